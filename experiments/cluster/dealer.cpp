#include "experiments/cluster/dealer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <utility>

#include "experiments/results/csv.hpp"
#include "models/error.hpp"
#include "models/spec.hpp"

namespace damocles {
namespace {

constexpr double between_signs_s = 1;

/// Takes the first word off, and what parts it from the rest.
std::string_view take_word(std::string_view& text) {
  const std::size_t end = std::min(text.find_first_of(" \n"), text.size());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return word;
}

}  // namespace

Dealer::Dealer(int ranks, std::string digest, double now_s)
    : digest_(std::move(digest)),
      workers_(static_cast<std::size_t>(ranks - 1), Worker{.heard_s = now_s}) {}

void Dealer::deal(std::vector<RowToDeal> rows, Made made) {
  numbers_.clear();
  rows_of_.clear();
  for (const RowToDeal& row : rows) {
    rows_of_.emplace(row.number, numbers_.size());
    numbers_.push_back(row.number);
  }
  deal_ = Deal(std::move(rows));
  made_ = std::move(made);
  // A rank may still make a row of an earlier call, which another one has made as well.
  for (Worker& one : workers_) one.rows.clear();
  give_rows_to_all();
}

void Dealer::send_to_all(const std::string& text) {
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    messages_.push_back({static_cast<int>(i) + 1, text});
  }
}

void Dealer::hear(const RankMessage& message, double now_s) {
  Worker& from = worker(message.rank);
  from.heard_s = now_s;
  from.lost = false;
  std::string_view said = message.text;
  const std::string_view word = take_word(said);
  if (stopping_) {
    from.has_stopped = from.has_stopped || word == "bye";
    return;
  }
  if (word == "ready") {
    be_ready(message.rank, said);
  } else if (word == "row") {
    take_row(message.rank, said);
  } else if (word == "refused") {
    throw InvalidInput(fmt::format("rank {}: {}", message.rank, said));
  } else if (word == "failed") {
    (void)take_word(said);
    throw std::runtime_error(fmt::format("rank {}: {}", message.rank, said));
  }
  give_rows(message.rank);
}

void Dealer::be_ready(int rank, std::string_view said) {
  const std::size_t threads = parse_integer(take_word(said)).value_or(1);
  if (said != digest_) {
    throw InvalidInput(fmt::format(
        "rank {} reads another sweep than rank 0; give all machines the same files and the same "
        "program",
        rank));
  }
  worker(rank).threads = threads;
}

void Dealer::take_row(int rank, std::string_view said) {
  const auto known = rows_of_.find(parse_integer(take_word(said)).value());
  if (known == rows_of_.end()) return;  // of an earlier call, made twice
  const std::size_t row = known->second;
  const double seconds = std::strtod(std::string(take_word(said)).c_str(), nullptr);
  worker(rank).rows.erase(row);
  auto records = parse_csv(csv_header(Group::origin) + std::string(said),
                           fmt::format("a row of rank {}", rank));
  if (records.size() != 1) throw std::runtime_error(fmt::format("rank {} sent no row", rank));
  if (deal_.made(row, seconds)) made_(row, std::move(records[0]), seconds);
}

void Dealer::give_rows(int rank) {
  Worker& to = worker(rank);
  while (!stopping_ && !to.lost && to.rows.size() < to.threads) {
    const auto row = deal_.next();
    if (!row) return;
    to.rows.insert(*row);
    messages_.push_back({rank, fmt::format("make {}", numbers_[*row])});
  }
}

void Dealer::give_rows_to_all() {
  for (std::size_t i = 0; i < workers_.size(); ++i) give_rows(static_cast<int>(i) + 1);
}

void Dealer::look_at_clock(double now_s) {
  if (now_s - told_s_ >= between_signs_s) {
    told_s_ = now_s;
    send_to_all("here");
  }
  for (Worker& one : workers_) {
    const double patience_s = one.threads == 0 && !stopping_ ? reading_s : silence_s;
    if (one.lost || now_s - one.heard_s < patience_s) continue;
    one.lost = true;
    for (const std::size_t row : std::exchange(one.rows, {})) deal_.give_back(row);
  }
  if (stopping_ || complete()) return;
  give_rows_to_all();
  const bool is_any_left = std::any_of(workers_.begin(), workers_.end(), [&](const Worker& one) {
    return !one.lost || now_s - one.heard_s < nobody_s;
  });
  if (!is_any_left) {
    throw std::runtime_error(
        "all ranks that make rows are lost; the rows that they made are kept: run again to go on");
  }
}

void Dealer::stop(double now_s) {
  stopping_ = true;
  for (Worker& one : workers_) {
    if (!one.lost) one.heard_s = now_s;
  }
  send_to_all("stop");
}

bool Dealer::has_ended() {
  const auto has_left = [](const Worker& one) { return one.has_stopped || one.lost; };
  if (!std::all_of(workers_.begin(), workers_.end(), has_left)) return false;
  together_ = std::all_of(workers_.begin(), workers_.end(),
                          [](const Worker& one) { return one.has_stopped; });
  send_to_all(together_ ? "end" : "leave");
  return true;
}

std::vector<RankMessage> Dealer::take_messages() { return std::exchange(messages_, {}); }

}  // namespace damocles
