#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "orders/packages.hpp"
#include "orders/pair_set.hpp"

namespace damocles {

/// The fair partner of a package in a round without visiting all that share something.
///
/// A package no two of whose data are read together by another shares at most one of them. So its
/// partner reads its heaviest data; and of those that read it, the partner is the first that waits
/// for its turn and fits, as none has fewer tasks. Where none of them waits, or two data items are
/// read together elsewhere, there is no answer here.
class TurnIndex {
 public:
  using Index = Packages::Index;

  explicit TurnIndex(const Packages& packages) : packages_(packages) {}

  /// For a round in which the packages `turn`, ascending, have `tasks` tasks. It takes the time of
  /// all data of all packages, so it is not made where few packages wait or little would be gained.
  void start(std::span<const Index> turn, std::uint64_t tasks);

  /// Two packages are about to be merged: their data will be read together.
  void before_merge(Index into, Index from);

  /// The partner of `package` will be asked for soon. A hint; it may be dead.
  void expect(Index package);

  /// @param memory_bytes  what two packages may weigh together [B]
  /// @return              the partner of `package`, which is in turn, if it is found here
  std::optional<Packages::Sharer> partner(Index package, std::uint64_t memory_bytes);

 private:
  static constexpr std::size_t most_data = 8;  // of a package; pairs of them are listed

  struct Waiting {  // packages in turn that read some data, ascending
    std::size_t begin = 0;
    std::size_t end = 0;
  };

  /// False if a package has too many data items.
  [[nodiscard]] bool list_pairs();
  /// False if that is not worth it.
  [[nodiscard]] bool list_waiting(std::span<const Index> turn);
  /// Lists the data of a package; false if there are too many.
  bool list_data(Index package, std::vector<Index>& list) const;
  /// Calls visit(a, b) for each pair of the list.
  template <typename Visit>
  static void for_each_pair(const std::vector<Index>& list, Visit&& visit) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) visit(list[i], list[j]);
    }
  }
  [[nodiscard]] bool shares_one_at_most();
  [[nodiscard]] bool waits(Index package) const {
    return packages_.alive(package) && packages_.tasks(package) == tasks_;
  }
  [[nodiscard]] Index first_waiting(Index data, Index package, std::uint64_t memory_bytes);

  const Packages& packages_;
  bool ready_ = false;
  std::uint64_t tasks_ = 0;
  PairSet together_;              // data that one package reads
  std::vector<Waiting> waiting_;  // by data
  std::vector<Index> in_turn_;    // what they refer to
  std::vector<Index> mine_;
  std::vector<Index> others_;
};

}  // namespace damocles
