#include "experiments/studies/students_t.hpp"

#include <boost/math/distributions/students_t.hpp>
#include <cmath>

namespace damocles {

double students_t_975(double freedom) {
  return boost::math::quantile(boost::math::students_t(freedom), 0.975);
}

double half_width_of_mean(double sd, double n) { return students_t_975(n - 1) * sd / std::sqrt(n); }

}  // namespace damocles
