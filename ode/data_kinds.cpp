#include "ode/data_kinds.hpp"

namespace damocles {

double DataKind::count(const Problem& problem) const {
  double result = 1;
  for (const int index : of) result *= problem.extent(index);
  return result;
}

const std::vector<DataKind>& data_kinds(int dimensions) {
  static const std::vector<DataKind> outer{{{0}, 1}, {{1}, 0}};
  static const std::vector<DataKind> matrix{{{0, 2}, 1}, {{2, 1}, 0}, {{0, 1}, 2}};
  return dimensions == 2 ? outer : matrix;
}

}  // namespace damocles
