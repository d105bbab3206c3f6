#include "experiments/studies/students_t.hpp"

#include <boost/math/distributions/students_t.hpp>

namespace damocles {

double students_t_975(double freedom) {
  return boost::math::quantile(boost::math::students_t(freedom), 0.975);
}

}  // namespace damocles
