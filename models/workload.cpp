#include "models/workload.hpp"

#include <fmt/format.h>

#include <initializer_list>

#include "models/error.hpp"
#include "models/spec.hpp"

namespace damocles {
namespace {

void check_extents(std::initializer_list<std::uint64_t> extents) {
  for (const std::uint64_t extent : extents) {
    if (extent < 1 || extent > max_extent) {
      throw InvalidInput(
          fmt::format("a workload with {} blocks a side; give 1 to {}", extent, max_extent));
    }
  }
}

}  // namespace

Workload::Workload(std::string text, std::uint64_t m, std::uint64_t n, std::uint64_t k)
    : text_(std::move(text)), m_(m), n_(n), k_(k) {
  // A product of two extents fits in 64 bits, one of three may not: divide instead.
  if (m * n > max_tasks || (k > 0 && k > max_tasks / (m * n))) {
    throw InvalidInput(fmt::format(
        "workload '{}' has more than 2^40 tasks; make the product of its sizes at most {}", text_,
        max_tasks));
  }
}

Workload Workload::outer(std::uint64_t m, std::uint64_t n) {
  check_extents({m, n});
  return {m == n ? fmt::format("outer:n={}", n) : fmt::format("outer:m={},n={}", m, n), m, n, 0};
}

Workload Workload::matrix(std::uint64_t m, std::uint64_t n, std::uint64_t k) {
  check_extents({m, n, k});
  return {m == n && k == n ? fmt::format("matrix:n={}", n)
                           : fmt::format("matrix:m={},n={},k={}", m, n, k),
          m, n, k};
}

const std::vector<std::array<std::string, 2>>& Workload::forms() {
  static const std::vector<std::array<std::string, 2>> all{
      {"outer:n=N", "outer product of two vectors of N blocks: N^2 tasks, 2 inputs each"},
      {"outer:m=M,n=N", "the same of M and N blocks: M N tasks"},
      {"matrix:n=N", "product of two N x N block matrices: N^3 tasks, 3 inputs each (A, B, C)"},
      {"matrix:m=M,n=N,k=K", "the same of M x K and K x N blocks: M N K tasks"},
  };
  return all;
}

Workload Workload::parse(std::string_view text) {
  const Spec spec = Spec::parse(text, "workload");
  static const std::vector<std::string> names{"outer", "matrix"};
  static const std::vector<std::string> outer_keys{"n", "m"};
  static const std::vector<std::string> matrix_keys{"n", "m", "k"};
  const bool is_outer = spec.name() == "outer";
  if (!is_outer && spec.name() != "matrix") refuse_unknown("workload", spec.name(), names);
  spec.allow(is_outer ? outer_keys : matrix_keys);

  const auto size = [&](const char* key) { return spec.integer(key, 1, max_extent); };
  const auto n = size("n");
  if (!n) spec.refuse("needs n, the number of blocks a side, as in " + spec.name() + ":n=100");
  const std::uint64_t m = size("m").value_or(*n);
  return is_outer ? outer(m, *n) : matrix(m, *n, size("k").value_or(*n));
}

}  // namespace damocles
