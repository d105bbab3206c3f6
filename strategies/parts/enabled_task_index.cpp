#include "strategies/parts/enabled_task_index.hpp"

#include <algorithm>
#include <numeric>

namespace damocles {

EnabledTaskIndex::EnabledTaskIndex(const TaskGraph& graph, std::size_t processors,
                                   std::size_t pair_inputs)
    : graph_(graph),
      pair_inputs_(pair_inputs),
      most_(pair_inputs > 0 ? 3 : 2),
      open_(graph.tasks(), graph.ordered() ? 0 : 1),
      in_view_(graph.data(), processors),
      watched_(graph.data(), processors),
      processors_(processors, Processor{std::vector<Index>(graph.data()), {}}) {
  for (Processor& at : processors_) std::iota(at.numbers.begin(), at.numbers.end(), unnumbered);
  for (Index task = 0; task < graph.tasks() && !graph.ordered(); ++task) {
    if (graph.inputs(task).size() < most_) count(task, 1);
  }
}

void EnabledTaskIndex::note_watched(Index data) {
  const std::uint64_t* const row = watched_.row(data);
  for (std::uint64_t word = 0; word < watched_.words_a_row(); ++word) {
    BitRows::for_each_column(row[word], word, [&](std::uint64_t k) {
      Processor& at = processors_[k];
      at.items[at.numbers[data]].known = none;
      note(at, at.numbers[data]);
    });
  }
}

EnabledTaskIndex::Index EnabledTaskIndex::give_number(Processor& at, Index data) {
  const auto number = static_cast<Index>(at.items.size());
  at.items.push_back({.data = data, .place = std::exchange(at.numbers[data], number) - unnumbered});
  return number;
}

inline void EnabledTaskIndex::change_frees(Processor& at, Index data, Index task,
                                           std::uint32_t by) {
  const Index number = numbered(at, data);
  Item& item = at.items[number];
  item.frees += by;
  if (pair_inputs_ > 0) item.flops += by == 1 ? graph_.flops(task) : -graph_.flops(task);
  note(at, number);
}

void EnabledTaskIndex::change_nearly(Processor& at, Index data, std::uint32_t by) {
  const Index number = numbered(at, data);
  at.items[number].nearly += by;
  note(at, number);
}

/// What the task lacks apart from `except`.
inline EnabledTaskIndex::Missing EnabledTaskIndex::missing(BitRows::Column in_view, Index task,
                                                           Index except) const {
  Missing result;
  for (const Index input : graph_.inputs(task)) {
    if (input == except || in_view[input]) continue;
    result.data[result.count++] = input;
    if (result.count == most_) break;
  }
  return result;
}

void EnabledTaskIndex::set_order(std::size_t k, std::span<const Index> order) {
  auto& [numbers, items, changed] = processors_[k];
  for (Index place = 0; place < order.size(); ++place) {
    Index& number = numbers[order[place]];
    if (number < unnumbered) {
      items[number].place = place;
    } else {
      number = unnumbered + place;
    }
  }
}

bool EnabledTaskIndex::is_free(std::size_t k, Index task) const {
  return open_[task] != 0 && missing(in_view_.column(k), task, none).count == 0;
}

bool EnabledTaskIndex::is_nearly_free_by(std::size_t k, Index task, Index data) const {
  const auto inputs = graph_.inputs(task);
  return open_[task] != 0 && is_pair(task) && !in_view(k, data) &&
         std::find(inputs.begin(), inputs.end(), data) != inputs.end() &&
         missing(in_view_.column(k), task, data).count == 1;
}

/// The open tasks that read `data` come closer by 1 as it comes into view, or by -1 as it leaves.
void EnabledTaskIndex::move_users(std::size_t k, Index data, std::uint32_t closer) {
  Processor& at = processors_[k];
  const BitRows::Column view = in_view_.column(k);
  free_.clear();
  for (const Index task : graph_.users(data)) {
    if (open_[task] == 0) continue;
    const Missing others = missing(view, task, data);
    if (others.count == 0) {
      if (closer == 1) free_.push_back(task);
      change_frees(at, data, task, 0 - closer);
    } else if (others.count == 1) {
      change_frees(at, others.data[0], task, closer);
    }
    if (is_pair(task)) move_pair(at, data, others, closer);
  }
}

void EnabledTaskIndex::move_pair(Processor& at, Index data, const Missing& others,
                                 std::uint32_t closer) {
  if (others.count == 1) {
    change_nearly(at, data, 0 - closer);
    change_nearly(at, others.data[0], 0 - closer);
  } else if (others.count == 2) {
    change_nearly(at, others.data[0], closer);
    change_nearly(at, others.data[1], closer);
  }
}

/// The processors among these 64 where the task lacks an input; two or more; three or more.
std::array<std::uint64_t, 3> EnabledTaskIndex::lacking(Index task, std::uint64_t word) const {
  std::array<std::uint64_t, 3> lack{};
  for (const Index input : graph_.inputs(task)) {
    const std::uint64_t missing = ~in_view_.row(input)[word];
    lack[2] |= lack[1] & missing;
    lack[1] |= lack[0] & missing;
    lack[0] |= missing;
    if (~lack[most_ - 1] == 0) break;
  }
  return lack;
}

/// Adds or removes what an open task counts for, and finds out where it lacks nothing.
void EnabledTaskIndex::count(Index task, std::uint32_t by) {
  free_.clear();
  for (std::uint64_t word = 0; word < in_view_.words_a_row(); ++word) {
    const std::uint64_t left = processors_.size() - word * 64;
    const std::uint64_t all = left < 64 ? (std::uint64_t{1} << left) - 1 : ~std::uint64_t{0};
    const auto lack = lacking(task, word);
    BitRows::for_each_column(all & ~lack[0], word, [&](std::uint64_t k) {
      free_.push_back(static_cast<std::uint32_t>(k));
    });
    BitRows::for_each_column(all & lack[0] & ~lack[1], word, [&](std::size_t k) {
      change_frees(processors_[k], missing(in_view_.column(k), task, none).data[0], task, by);
    });
    if (!is_pair(task)) continue;
    BitRows::for_each_column(all & lack[1] & ~lack[2], word, [&](std::size_t k) {
      const Missing two = missing(in_view_.column(k), task, none);
      change_nearly(processors_[k], two.data[0], by);
      change_nearly(processors_[k], two.data[1], by);
    });
  }
}

}  // namespace damocles
