#include "experiments/studies/students_t.hpp"

#include <boost/math/distributions/students_t.hpp>
#include <cmath>

namespace damocles {

/// Boost would compute in long double, and set that up before main(), which valgrind cannot.
using InDouble = boost::math::students_t_distribution<
    double, boost::math::policies::policy<boost::math::policies::promote_double<false>>>;

double students_t_975(double freedom) { return boost::math::quantile(InDouble(freedom), 0.975); }

double students_t_above(double value, double freedom) {
  return boost::math::cdf(boost::math::complement(InDouble(freedom), value));
}

double half_width_of_mean(double sd, double n) { return students_t_975(n - 1) * sd / std::sqrt(n); }

}  // namespace damocles
