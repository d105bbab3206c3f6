#include "ode/model.hpp"

namespace damocles {

std::string without_work(const Problem& problem, double) {
  return problem.tasks() < problem.processors() ? "there are fewer tasks than processors" : "";
}

std::string without_field(const Problem& problem, double) {
  return has_mean_field(problem) ? "" : "a mean field takes 4 tasks a processor or more";
}

bool has_mean_field(const Problem& problem) {
  const double processors = problem.processors();
  return processors == 1 || problem.tasks() >= 4 * processors;
}

}  // namespace damocles
