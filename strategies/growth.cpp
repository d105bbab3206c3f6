#include "strategies/growth.hpp"

#include <optional>

namespace damocles {
namespace {

std::optional<std::uint32_t> learn(IndexSet& set, Rng& rng) {
  if (set.full()) return std::nullopt;
  return set.learn_random(rng);
}

/// The known indices without the one just learnt, if one was.
std::span<const std::uint32_t> older(const IndexSet& set, std::optional<std::uint32_t> learnt) {
  const auto known = set.known();
  return learnt ? known.first(known.size() - 1) : known;
}

}  // namespace

Growth::Growth(const Workload& workload, std::size_t processors)
    : workload_(workload), open_(workload) {
  Held none;
  for (int index = 0; index < workload.dimensions(); ++index) {
    none.emplace_back(workload.extent(index));
  }
  held_.assign(processors, none);
}

void Growth::step(ProcessorId processor, Rng& rng, Grant& grant) {
  Held& held = held_[raw(processor)];
  workload_.dimensions() == 2 ? step_outer(held, rng, grant) : step_matrix(held, rng, grant);
}

void Growth::step_outer(Held& held, Rng& rng, Grant& grant) {
  IndexSet& rows = held[0];
  IndexSet& columns = held[1];
  const auto i = learn(rows, rng);
  const auto j = learn(columns, rng);
  if (i) {
    grant.loads.push_back(workload_.data_a(*i));
    open_.claim_rows(0, {&*i, 1}, columns.mask(), grant.tasks);
  }
  if (j) {
    grant.loads.push_back(workload_.data_b(*j));
    open_.claim_column(0, older(rows, i), *j, grant.tasks);
  }
}

void Growth::step_matrix(Held& held, Rng& rng, Grant& grant) {
  IndexSet& rows = held[0];     // I
  IndexSet& columns = held[1];  // J
  IndexSet& inner = held[2];    // K
  const auto i = learn(rows, rng);
  const auto j = learn(columns, rng);
  const auto l = learn(inner, rng);
  const auto send = [&](auto&& data, auto known_first, auto new_first, auto known_second,
                        auto new_second) {
    if (new_first) {
      for (const std::uint32_t second : known_second)
        grant.loads.push_back(data(*new_first, second));
    }
    if (new_second) {
      for (const std::uint32_t first : known_first) grant.loads.push_back(data(first, *new_second));
    }
  };
  const auto data_A = [&](auto a, auto b) { return workload_.data_A(a, b); };
  const auto data_B = [&](auto a, auto b) { return workload_.data_B(a, b); };
  const auto data_C = [&](auto a, auto b) { return workload_.data_C(a, b); };
  send(data_A, older(rows, i), i, inner.known(), l);
  send(data_B, older(inner, l), l, columns.known(), j);
  send(data_C, older(rows, i), i, columns.known(), j);

  if (i) open_.claim_rows(*i, columns.known(), inner.mask(), grant.tasks);
  for (const std::uint32_t row : older(rows, i)) {
    if (j) open_.claim_rows(row, {&*j, 1}, inner.mask(), grant.tasks);
    if (l) open_.claim_column(row, older(columns, j), *l, grant.tasks);
  }
}

}  // namespace damocles
