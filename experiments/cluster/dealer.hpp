// What rank 0 of a sweep on many ranks says to the others, and when it takes one for lost.
#pragma once

#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "experiments/cluster/deal.hpp"
#include "models/ranks.hpp"
#include "models/runs/record.hpp"

namespace damocles {

/// Messages begin with a word. A worker says
/// - `here`: it lives; every second
/// - `ready THREADS DIGEST`: it knows the sweep, of this digest, and makes so many rows at once
/// - `row NUMBER SECONDS`, and a line of CSV: a row, and how long it took
/// - `failed NUMBER`, and a line that says why: no row, but an error that ends the sweep
/// - `refused WHY`: it cannot read the sweep
/// - `bye`: it has stopped
///
/// The dealer says
/// - `here`: it lives; every second
/// - `make NUMBER`: make this row
/// - `stop`: make nothing more, and answer bye
/// - `end`: all have stopped, end together
/// - `leave`: some are lost, end alone
///
/// The dealer has no clock and sends nothing itself, so that tests can say what happens when. Times
/// are in seconds from any start. A rank that is silent for `silence_s` is taken for lost: its rows
/// are given out again. One that still reads the sweep has no rows, and more time. If it is heard
/// after all, it goes on, and of a row that comes twice the first counts.
class Dealer {
 public:
  static constexpr double silence_s = 10;
  static constexpr double reading_s = 600;
  static constexpr double nobody_s = 120;  ///< of silence of all: it is more than a slow network

  /// Told of each row, by its place among those to be dealt, once; and how long it took.
  using Made = std::function<void(std::size_t row, Record, double seconds)>;

  /// @param ranks  rank 0 among them, which makes no row
  /// @param digest  of the sweep; a rank that reads another one is refused
  Dealer(int ranks, std::string digest, double now_s);

  /// Some rows of the sweep, to be made now. Not before those of an earlier call are complete().
  void deal(std::vector<RowToDeal> rows, Made made);

  /// @throws InvalidInput where a rank refuses the sweep or reads another one; std::runtime_error
  /// where making a row failed
  void hear(const RankMessage& message, double now_s);
  /// To be called often. @throws std::runtime_error where no rank is left
  void look_at_clock(double now_s);
  [[nodiscard]] bool complete() const { return deal_.complete(); }
  /// Of the work of all rows.
  [[nodiscard]] double share_done() const { return deal_.share_done(); }

  /// From now on no rank gets a row. Also after an error.
  void stop(double now_s);
  /// After stop(): whether every rank has answered or is lost. Then all of them are told to end.
  [[nodiscard]] bool has_ended();
  /// Whether all ranks answered.
  [[nodiscard]] bool ended_together() const { return together_; }

  /// What is to be sent now.
  [[nodiscard]] std::vector<RankMessage> take_messages();

 private:
  struct Worker {
    double heard_s = 0;
    std::size_t threads = 0;  ///< 0: it is not ready
    bool lost = false;
    bool has_stopped = false;
    std::set<std::size_t> rows{};
  };
  [[nodiscard]] Worker& worker(int rank) { return workers_.at(static_cast<std::size_t>(rank - 1)); }
  void send_to_all(const std::string& text);
  void be_ready(int rank, std::string_view said);
  void take_row(int rank, std::string_view said);
  void give_rows(int rank);
  void give_rows_to_all();

  std::string digest_;
  std::vector<std::size_t> numbers_;                      ///< of the rows that are dealt
  std::unordered_map<std::size_t, std::size_t> rows_of_;  ///< of their numbers
  Deal deal_{std::vector<RowToDeal>()};
  Made made_;
  std::vector<Worker> workers_;
  std::vector<RankMessage> messages_;
  double told_s_ = 0;  ///< when the ranks were last told that rank 0 lives
  bool stopping_ = false;
  bool together_ = false;
};

}  // namespace damocles
