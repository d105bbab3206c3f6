#include "tests/experiments/cluster/fake_cluster.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "experiments/results/csv.hpp"

namespace damocles {

FakeCluster::FakeCluster(std::uint64_t seed, std::vector<RowToDeal> rows, MakeRow make_row,
                         Dealer::Made made)
    : rng_(seed, Draw::test, 0),
      count_(rows.size()),
      make_row_(std::move(make_row)),
      ranks_(1 + rng_.below(8)),
      dealer_(static_cast<int>(ranks_.size()) + 1, "d", 0) {
  dealer_.deal(std::move(rows), std::move(made));
  for (Rank& rank : ranks_) {
    rank.a_row_s = 0.1 + 10 * rng_.uniform() * rng_.uniform();
    if (&rank != &ranks_.front() && rng_.below(3) == 0) rank.lost_s = 60 * rng_.uniform();
    if (rng_.below(3) > 0) continue;
    rank.silent_from_s = 60 * rng_.uniform();
    rank.silent_to_s = rank.silent_from_s + 40 * rng_.uniform();
  }
}

void FakeCluster::run() {
  try {
    make_all_rows();
  } catch (...) {
    stop_all();
    throw;
  }
  stop_all();
}

void FakeCluster::make_all_rows() {
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    say(ranks_[i], fmt::format("ready {} d", 1 + i % 3));
  }
  // The slowest rank alone takes 10.1 s a row; silences add 40 s.
  const double latest_s = 10.1 * static_cast<double>(count_) + 100;
  while (!dealer_.complete()) {
    step();
    if (now_s_ > latest_s) throw std::logic_error("the ranks do not make all rows");
  }
}

void FakeCluster::stop_all() {
  dealer_.stop(now_s_);
  const double latest_s = now_s_ + 60;
  while (!dealer_.has_ended()) {
    step();
    if (now_s_ > latest_s) throw std::logic_error("the ranks do not end");
  }
}

void FakeCluster::step() {
  now_s_ += 0.1;
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    make_rows(ranks_[i]);
    if (rng_.below(10) == 0) say(ranks_[i], "here");
    deliver(i);
  }
  dealer_.look_at_clock(now_s_);
  send_from_dealer();
}

void FakeCluster::make_rows(Rank& rank) {
  if (rank.waiting.empty() || now_s_ < rank.row_ends_s) return;
  say(rank, message_on(rank.waiting.front(), rank.a_row_s));
  rank.waiting.pop_front();
  rank.row_ends_s = now_s_ + rank.a_row_s;
}

std::string FakeCluster::message_on(std::size_t number, double seconds) const {
  try {
    return fmt::format("row {} {}\n{}", number, seconds,
                       csv_line(make_row_(number), Group::origin));
  } catch (const std::runtime_error& error) {
    return fmt::format("failed {}\n{}", number, error.what());
  }
}

void FakeCluster::say(Rank& rank, std::string text) const {
  if (now_s_ < rank.lost_s) rank.held_up.push_back(std::move(text));
}

void FakeCluster::deliver(std::size_t rank) {
  Rank& from = ranks_[rank];
  if (now_s_ >= from.silent_from_s && now_s_ < from.silent_to_s) return;
  while (!from.held_up.empty()) {
    const std::string text = std::move(from.held_up.front());
    from.held_up.pop_front();
    dealer_.hear({static_cast<int>(rank) + 1, text}, now_s_);
  }
}

void FakeCluster::send_from_dealer() {
  for (const RankMessage& message : dealer_.take_messages()) {
    Rank& rank = ranks_[static_cast<std::size_t>(message.rank - 1)];
    if (message.text == "stop") say(rank, "bye");
    if (!message.text.starts_with("make ")) continue;
    if (rank.waiting.empty()) rank.row_ends_s = now_s_ + rank.a_row_s;
    rank.waiting.push_back(std::stoull(message.text.substr(5)));
  }
}

}  // namespace damocles
