// Which of thousands of processors that are alike has the least to do, without a look at each.
#pragma once

#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "models/platforms/durations.hpp"
#include "models/winner_tree.hpp"

namespace damocles {

/// Processors in groups, on each of which a task takes the same and so do its inputs on their way;
/// and of each processor how much it has to do: before a task of each rank, where ranks decide what
/// goes before it. O(log processors) a step.
class AlikeProcessors {
 public:
  class Group {
   public:
    /// One of them, for what they have in common.
    [[nodiscard]] std::size_t any() const { return members_.front(); }
    /// The least that one of them has to do.
    [[nodiscard]] double least_s(std::size_t rank = 0) {
      return left_s_[rank].key(left_s_[rank].best());
    }
    /// And the most, before a task of the first rank.
    [[nodiscard]] double most_s() { return -negative_s_.key(negative_s_.best()); }
    [[nodiscard]] std::size_t size() const { return members_.size(); }
    /// The first of those of which may(what it has to do) is true. @pre if it is true of some
    /// number, it is so of all smaller ones
    template <typename May>
    [[nodiscard]] std::optional<std::size_t> first_if(May&& may, std::size_t rank = 0) {
      const auto at = left_s_[rank].first_if(may);
      return at ? std::optional(members_[*at]) : std::nullopt;
    }

   private:
    friend class AlikeProcessors;
    std::vector<std::size_t> members_;        // ascending
    std::vector<WinnerTree<double>> left_s_;  // by rank
    WinnerTree<double> negative_s_{none};     // of the numbers of the first rank
  };

  /// @param rates  at which each expects its inputs [B/s]; of all or of none
  AlikeProcessors(const Durations& durations, const std::vector<double>& rates,
                  std::size_t processors, std::size_t ranks = 1) {
    std::map<std::pair<Durations::Class, double>, std::size_t> known;
    for (std::size_t k = 0; k < processors; ++k) {
      const auto key = std::pair(durations.class_of(k), rates.empty() ? 0.0 : rates[k]);
      const auto [at, added] = known.emplace(key, groups_.size());
      if (added) groups_.emplace_back().left_s_.assign(ranks, WinnerTree<double>(none));
      Group& group = groups_[at->second];
      places_.push_back({at->second, group.members_.size()});
      group.members_.push_back(k);
      for (auto& left_s : group.left_s_) left_s.push_back(0);
      group.negative_s_.push_back(0);
    }
  }

  [[nodiscard]] std::vector<Group>& groups() { return groups_; }
  [[nodiscard]] std::size_t group_of(std::size_t processor) const {
    return places_[processor].group;
  }
  void set(std::size_t processor, double left_s, std::size_t rank = 0) {
    const auto [group, place] = places_[processor];
    groups_[group].left_s_[rank].set(place, left_s);
    if (rank == 0) groups_[group].negative_s_.set(place, -left_s);
  }

 private:
  static constexpr double none = std::numeric_limits<double>::infinity();

  struct Place {
    std::size_t group;
    std::size_t place;
  };
  std::vector<Group> groups_;
  std::vector<Place> places_;  // of each processor
};

}  // namespace damocles
