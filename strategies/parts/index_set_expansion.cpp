#include "strategies/parts/index_set_expansion.hpp"

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "strategies/parts/index_set.hpp"
#include "strategies/parts/open_boxes.hpp"
#include "strategies/parts/open_grid.hpp"

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

/// The index sets of a processor.
using Held = std::vector<IndexSet>;  // one a dimension

std::vector<Held> none_held(const Workload& workload, std::size_t processors) {
  Held none;
  for (int index = 0; index < workload.dimensions(); ++index) {
    none.emplace_back(workload.extent(index));
  }
  return std::vector<Held>(processors, none);
}

class OuterExpansion final : public IndexSetExpansion {
 public:
  OuterExpansion(const Workload& workload, std::size_t processors)
      : workload_(workload), open_(workload), held_(none_held(workload, processors)) {}

  [[nodiscard]] const OpenTasks& open() const override { return open_; }

  void step(ProcessorId processor, Rng& rng, Grant& grant) override {
    IndexSet& rows = held_[raw(processor)][0];
    IndexSet& columns = held_[raw(processor)][1];
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

 private:
  const Workload& workload_;
  OpenGrid open_;
  std::vector<Held> held_;
};

/// What a processor learns in a step.
using Learnt = std::array<std::optional<std::uint32_t>, 3>;

void claim(OpenGrid& open, ProcessorId, const Held& held, const Learnt& learnt, TaskList& claimed) {
  const IndexSet& rows = held[0];
  const IndexSet& columns = held[1];
  const IndexSet& inner = held[2];
  const auto& [i, j, l] = learnt;
  if (i) open.claim_rows(*i, columns.known(), inner.mask(), claimed);
  for (const std::uint32_t row : older(rows, i)) {
    if (j) open.claim_rows(row, {&*j, 1}, inner.mask(), claimed);
    if (l) open.claim_column(row, older(columns, j), *l, claimed);
  }
}

void claim(OpenBoxes& open, ProcessorId processor, const Held& held, const Learnt& learnt,
           TaskList& claimed) {
  const IndexSet& rows = held[0];
  const IndexSet& columns = held[1];
  const auto& [i, j, l] = learnt;
  if (i) open.learn_row(processor, *i, older(columns, j), claimed);
  if (j) open.learn_column(processor, *j, rows.known(), claimed);
  if (l) open.learn_inner(processor, *l, rows.known(), claimed);
}

template <typename Open>
class MatrixExpansion final : public IndexSetExpansion {
 public:
  /// `open` are the arguments for Open.
  template <typename... Arguments>
  MatrixExpansion(const Workload& workload, std::size_t processors, const Arguments&... open)
      : workload_(workload), open_(open...), held_(none_held(workload, processors)) {}

  [[nodiscard]] const OpenTasks& open() const override { return open_; }

  void step(ProcessorId processor, Rng& rng, Grant& grant) override {
    Held& held = held_[raw(processor)];
    IndexSet& rows = held[0];     // I
    IndexSet& columns = held[1];  // J
    IndexSet& inner = held[2];    // K
    const auto i = learn(rows, rng);
    const auto j = learn(columns, rng);
    const auto l = learn(inner, rng);
    const auto send = [&](auto&& data, auto known_first, auto new_first, auto known_second,
                          auto new_second) {
      if (new_first) {
        for (const std::uint32_t second : known_second) {
          grant.loads.push_back(data(*new_first, second));
        }
      }
      if (new_second) {
        for (const std::uint32_t first : known_first) {
          grant.loads.push_back(data(first, *new_second));
        }
      }
    };
    const auto data_A = [&](auto a, auto b) { return workload_.data_A(a, b); };
    const auto data_B = [&](auto a, auto b) { return workload_.data_B(a, b); };
    const auto data_C = [&](auto a, auto b) { return workload_.data_C(a, b); };
    send(data_A, older(rows, i), i, inner.known(), l);
    send(data_B, older(inner, l), l, columns.known(), j);
    send(data_C, older(rows, i), i, columns.known(), j);

    claim(open_, processor, held, {i, j, l}, grant.tasks);
  }

 private:
  const Workload& workload_;
  Open open_;
  std::vector<Held> held_;
};

}  // namespace

std::unique_ptr<IndexSetExpansion> IndexSetExpansion::make(const Workload& workload,
                                                           std::size_t processors) {
  if (workload.dimensions() == 2) return std::make_unique<OuterExpansion>(workload, processors);
  if (OpenBoxes::suits(workload, processors)) {
    return std::make_unique<MatrixExpansion<OpenBoxes>>(workload, processors, workload, processors);
  }
  return std::make_unique<MatrixExpansion<OpenGrid>>(workload, processors, workload);
}

}  // namespace damocles
