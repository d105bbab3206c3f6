// Ranks that make the rows of a sweep in virtual time, and are slow, silent or lost as a seed says.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "experiments/cluster/dealer.hpp"
#include "models/rng.hpp"

namespace damocles {

/// A sweep on one to eight ranks, dealt by a Dealer. All but the first may be lost for ever.
class FakeCluster {
 public:
  /// The row of this number.
  using MakeRow = std::function<Record(std::size_t number)>;

  /// @param made  told of each row, as Dealer tells it; what it throws ends the sweep
  FakeCluster(std::uint64_t seed, std::vector<RowToDeal> rows, MakeRow make_row, Dealer::Made made);

  /// Until all rows are made and all ranks have ended. @throws what a row or `made` throws, when
  /// the ranks have ended; std::logic_error where that takes too long
  void run();

 private:
  struct Rank {
    double a_row_s = 1;
    double lost_s = 1e9;         ///< when it is lost
    double silent_from_s = 1e9;  ///< when its messages begin to be held up,
    double silent_to_s = 1e9;    ///< and when they arrive
    std::deque<std::size_t> waiting{};
    double row_ends_s = 0;
    std::deque<std::string> held_up{};
  };

  void make_all_rows();
  void stop_all();
  void step();
  void make_rows(Rank& rank);
  void say(Rank& rank, std::string text) const;
  void deliver(std::size_t rank);
  void send_from_dealer();
  [[nodiscard]] std::string message_on(std::size_t number, double seconds) const;

  Rng rng_;
  std::size_t count_;
  MakeRow make_row_;
  std::vector<Rank> ranks_;
  Dealer dealer_;
  double now_s_ = 0;
};

}  // namespace damocles
