#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <queue>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "models/platforms/platform.hpp"
#include "models/rng.hpp"
#include "models/runs/trace.hpp"
#include "models/workload.hpp"

/// Simulator and strategies of HPDC'14 as one would write them first: sets, linear scans and a
/// priority queue, slow and obviously right.
///
/// They draw the same random numbers in the same order as the fast ones, so that runs agree one by
/// one: an unknown index by below(unknown) on a swap array, for i, then j, then l; a pool of fewer
/// than 32768 tasks by Rng::shuffle at the first draw; the start order by Rng::shuffle; drift by
/// one stream a processor.
namespace damocles::oracle {

using Tasks = std::vector<std::uint64_t>;
using Data = std::set<std::uint64_t>;

/// What was sent to each processor.
using Memory = std::vector<Data>;

struct Answer {
  Data loads;
  Tasks tasks;
};

class Strategy {
 public:
  Strategy() = default;
  Strategy(const Strategy&) = delete;
  Strategy& operator=(const Strategy&) = delete;
  virtual ~Strategy() = default;
  virtual Answer request(std::size_t processor, const Memory& memory) = 0;
};

inline Data inputs(const Workload& workload, std::uint64_t task) {
  Data data;
  workload.for_each_input(TaskId{task}, [&](DataId id) { data.insert(raw(id)); });
  return data;
}

inline Answer one_task(const Workload& workload, std::uint64_t task, const Data& held) {
  Answer answer{{}, {task}};
  for (const std::uint64_t data : inputs(workload, task)) {
    if (!held.contains(data)) answer.loads.insert(data);
  }
  return answer;
}

class Sorted final : public Strategy {
 public:
  explicit Sorted(Workload workload) : workload_(std::move(workload)) {}
  Answer request(std::size_t processor, const Memory& memory) override {
    if (next_ == workload_.tasks()) return {};
    return one_task(workload_, next_++, memory[processor]);
  }

 private:
  Workload workload_;
  std::uint64_t next_ = 0;
};

/// One phase 2: the given tasks in random order.
class Shuffled {
 public:
  explicit Shuffled(Tasks tasks) : tasks_(std::move(tasks)) {}
  std::optional<std::uint64_t> draw(Rng& rng) {
    if (next_ == tasks_.size()) return std::nullopt;
    if (next_ == 0) rng.shuffle(std::span(tasks_));
    return tasks_[next_++];
  }

 private:
  Tasks tasks_;
  std::size_t next_ = 0;
};

class Random final : public Strategy {
 public:
  Random(const Workload& workload, Rng rng)
      : workload_(workload), rng_(rng), pool_(all(workload)) {}
  Answer request(std::size_t processor, const Memory& memory) override {
    const auto task = pool_.draw(rng_);
    return task ? one_task(workload_, *task, memory[processor]) : Answer{};
  }

 private:
  static Tasks all(const Workload& workload) {
    Tasks tasks;
    for (std::uint64_t task = 0; task < workload.tasks(); ++task) tasks.push_back(task);
    return tasks;
  }

  Workload workload_;
  Rng rng_;
  Shuffled pool_;
};

/// `dynamic`, and `dynamic-2phases` where `phase2_at` tasks are left to phase 2.
class Dynamic final : public Strategy {
 public:
  Dynamic(const Workload& workload, std::size_t processors, Rng rng, double phase2_at)
      : workload_(workload),
        rng_(rng),
        phase2_at_(phase2_at),
        known_(processors),
        unknown_(processors) {
    for (std::uint64_t task = 0; task < workload.tasks(); ++task) open_.insert(task);
    for (std::size_t p = 0; p < processors; ++p) {
      known_[p].resize(dimensions());
      for (std::size_t d = 0; d < dimensions(); ++d) {
        std::vector<std::uint64_t> all;
        for (std::uint64_t i = 0; i < workload.extent(static_cast<int>(d)); ++i) all.push_back(i);
        unknown_[p].push_back(all);
      }
    }
  }

  Answer request(std::size_t processor, const Memory& memory) override {
    if (!pool_ && static_cast<double>(open_.size()) > phase2_at_) return grow(processor, memory);
    if (phase2_at_ == 0) return {};
    if (!pool_) pool_.emplace(phase2_order());
    const auto task = pool_->draw(rng_);
    return task ? one_task(workload_, *task, memory[processor]) : Answer{};
  }

 private:
  [[nodiscard]] std::size_t dimensions() const {
    return static_cast<std::size_t>(workload_.dimensions());
  }

  /// Moves a random index from the unknown to the known ones; the first unknown one takes its
  /// place.
  void learn(std::size_t processor, std::size_t dimension) {
    auto& unknown = unknown_[processor][dimension];
    if (unknown.empty()) return;
    const std::size_t chosen = rng_.below(unknown.size());
    std::swap(unknown[0], unknown[chosen]);
    known_[processor][dimension].insert(unknown[0]);
    unknown.erase(unknown.begin());
  }

  [[nodiscard]] bool knows(std::size_t processor, std::uint64_t task) const {
    const auto index = workload_.indices(TaskId{task});
    for (std::size_t d = 0; d < dimensions(); ++d) {
      if (!known_[processor][d].contains(index[d])) return false;
    }
    return true;
  }

  Answer grow(std::size_t processor, const Memory& memory) {
    for (std::size_t d = 0; d < dimensions(); ++d) learn(processor, d);
    Answer answer;
    // All data of all tasks within the known indices, granted before or not; all open ones of them.
    for (std::uint64_t task = 0; task < workload_.tasks(); ++task) {
      if (!knows(processor, task)) continue;
      for (const std::uint64_t data : inputs(workload_, task)) {
        if (!memory[processor].contains(data)) answer.loads.insert(data);
      }
      if (open_.erase(task) == 1) answer.tasks.push_back(task);
    }
    return answer;
  }

  /// The open tasks in the order in which phase 2 shuffles them: ascending.
  [[nodiscard]] Tasks phase2_order() const { return {open_.begin(), open_.end()}; }

  Workload workload_;
  Rng rng_;
  double phase2_at_;
  std::set<std::uint64_t> open_;
  std::vector<std::vector<Data>> known_;                          // processor, dimension
  std::vector<std::vector<std::vector<std::uint64_t>>> unknown_;  // processor, dimension
  std::optional<Shuffled> pool_;
};

/// `name`: sorted, random, dynamic or dynamic-2phases; the last with its beta.
inline std::unique_ptr<Strategy> make(const std::string& name, double beta,
                                      const Workload& workload, std::size_t processors, Rng rng) {
  if (name == "sorted") return std::make_unique<Sorted>(workload);
  if (name == "random") return std::make_unique<Random>(workload, rng);
  const double left =
      name == "dynamic" ? 0 : std::exp(-beta) * static_cast<double>(workload.tasks());
  return std::make_unique<Dynamic>(workload, processors, rng, left);
}

/// One run; the same Trace as simulate(), to the last bit.
inline Trace simulate(const Workload& workload, const Platform& platform, const std::string& name,
                      double beta, std::uint64_t seed, std::uint64_t replicate) {
  using Event = std::pair<double, std::uint32_t>;  // time, processor
  const std::size_t p = platform.processors();
  Trace trace{std::vector<std::uint64_t>(p, 0), std::vector<std::uint64_t>(p, 0),
              std::vector<double>(p, 0), 0};
  Memory memory(p);
  std::vector<double> speeds = platform.speeds;
  std::vector<Rng> drift;
  std::vector<std::uint32_t> start;
  for (std::uint32_t k = 0; k < p; ++k) {
    drift.emplace_back(seed, Draw::drift, replicate, k);
    start.push_back(k);
  }
  const auto strategy = make(name, beta, workload, p, Rng(seed, Draw::strategy, replicate));
  std::priority_queue<Event, std::vector<Event>, std::greater<>> idle;

  const auto serve = [&](std::uint32_t k, double now) {
    Answer answer;
    do {
      answer = strategy->request(k, memory);
      memory[k].insert(answer.loads.begin(), answer.loads.end());
      trace.loads[k] += answer.loads.size();
    } while (answer.tasks.empty() && !answer.loads.empty());
    if (answer.tasks.empty()) return;
    double busy = 0;
    if (platform.drift == 0) {
      busy = static_cast<double>(answer.tasks.size()) / speeds[k];
    } else {
      for (std::size_t task = 0; task < answer.tasks.size(); ++task) {
        busy += 1 / speeds[k];
        const double u = platform.drift * (2 * drift[k].uniform() - 1);
        speeds[k] = std::max(1.0, speeds[k] * (1 + u));
      }
    }
    trace.tasks[k] += answer.tasks.size();
    trace.busy_s[k] += busy;
    trace.makespan_s = std::max(trace.makespan_s, now + busy);
    idle.emplace(now + busy, k);
  };

  Rng(seed, Draw::start_order, replicate).shuffle(std::span(start));
  for (const std::uint32_t k : start) serve(k, 0);
  while (!idle.empty()) {
    const auto [now, k] = idle.top();
    idle.pop();
    serve(k, now);
  }
  return trace;
}

}  // namespace damocles::oracle
