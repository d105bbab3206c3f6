#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace damocles {

/// Which bytes the unfinished work of some engines reads and writes, and which bytes there are at
/// all. Work in one engine is done in order; whatever else touches the same bytes is a race, unless
/// both only read.
class UseLedger {
 public:
  struct Range {
    const std::byte* begin;
    std::size_t bytes;
    bool adds = false;    ///< if written: to what work of its own engine may have written before
    bool shared = false;  ///< if written: in turns with other work that says so
  };
  struct Work {
    std::vector<Range> reads;
    std::vector<Range> writes;
    const void* together = nullptr;  ///< work that names the same shares it out itself
  };

  void allocated(const std::byte* at, std::size_t bytes) { pieces_[at] = bytes; }
  /// Why the piece cannot be released now, or "".
  std::string released(const std::byte* at, bool may_be_in_use) {
    const auto piece = pieces_.find(at);
    if (piece == pieces_.end()) return "memory is released that was not allocated";
    const Range range{at, piece->second};
    pieces_.erase(piece);
    return !may_be_in_use && used(range) ? "memory is released while work uses it" : "";
  }
  [[nodiscard]] std::size_t held() const { return pieces_.size(); }

  /// Notes work that was started on an engine; what is wrong with it, or "".
  std::string started(std::size_t engine, Work work) {
    std::string wrong;
    for (const auto* const ranges : {&work.reads, &work.writes}) {
      for (const Range& range : *ranges) {
        if (!inside(range)) wrong = "outside of all memory";
      }
    }
    for (const auto& [other, line] : unfinished_) {
      for (const Work& before : line) {
        if (before.together != nullptr && before.together == work.together) continue;
        const bool in_order = other == engine;
        for (const Range& read : work.reads) {
          if (!in_order && touches(before.writes, read)) wrong = "reads what is being written";
        }
        for (const Range& write : work.writes) {
          if (!in_order && touches(before.reads, write)) wrong = "writes what is being read";
          for (const Range& other_write : before.writes) {
            const bool may = (in_order && write.adds) || (write.shared && other_write.shared);
            if (!may && overlap(other_write, write)) wrong = "writes what is being written";
          }
        }
      }
    }
    unfinished_[engine].push_back(std::move(work));
    return wrong;
  }
  /// False if nothing was started on the engine.
  bool finished(std::size_t engine) {
    auto& line = unfinished_[engine];
    if (line.empty()) return false;
    line.pop_front();
    return true;
  }
  [[nodiscard]] bool idle(std::size_t engine) { return unfinished_[engine].empty(); }
  void forget_work() { unfinished_.clear(); }

 private:
  static bool overlap(const Range& a, const Range& b) {
    return a.begin < b.begin + b.bytes && b.begin < a.begin + a.bytes;
  }
  static bool touches(const std::vector<Range>& ranges, const Range& range) {
    return std::any_of(ranges.begin(), ranges.end(),
                       [&](const Range& other) { return overlap(other, range); });
  }
  [[nodiscard]] bool used(const Range& range) const {
    for (const auto& [engine, line] : unfinished_) {
      for (const Work& work : line) {
        if (touches(work.reads, range) || touches(work.writes, range)) return true;
      }
    }
    return false;
  }
  [[nodiscard]] bool inside(const Range& range) const {
    auto piece = pieces_.upper_bound(range.begin);
    if (piece == pieces_.begin()) return false;
    --piece;
    return range.begin + range.bytes <= piece->first + piece->second;
  }

  std::map<const std::byte*, std::size_t> pieces_;
  std::map<std::size_t, std::deque<Work>> unfinished_;  // of each engine, oldest first
};

}  // namespace damocles
