// Bounds on the makespan from what precedes and what follows each task.

#include "models/bounds/path_bound.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

namespace damocles {
namespace {

using Index = TaskGraph::Index;
using Seconds = std::vector<double>;

/// What moves between host memory and processors, and how fast at best.
struct Ways {
  bool any = false;     ///< something has to move
  bool back = false;    ///< what tasks write counts until it is in host memory
  bool single = false;  ///< what a processor has came over its own stream
  double latency_s = 0;
  double to_one = 0;    ///< [B/s]
  double to_all = 0;    ///< [B/s]
  double from_all = 0;  ///< the same on the way to host memory [B/s]
  double streams = 0;

  explicit Ways(const MachineModel& machine)
      : any(!machine.any_in_host_memory()),
        back(any && machine.write_back && machine.outputs_take_memory),
        single(!machine.has_peers()),
        latency_s(machine.latency_s) {
    if (!any) return;
    std::vector<double> links(machine.buses(), 0);
    for (std::size_t p = 0; p < machine.processors.size(); ++p) {
      links[machine.processors[p].bus] += machine.processors[p].link_bytes_per_s;
      to_one = std::max(to_one, machine.home_rate(p));
      from_all += machine.home_rate(p);  // with duplex=true the links alone hold that way up
      ++streams;
    }
    for (std::size_t bus = 0; bus < links.size(); ++bus) {
      to_all += std::min(machine.bus_rate(bus), links[bus]);
    }
    if (!machine.duplex) from_all = to_all;
  }
  /// What a copy takes of its stream.
  [[nodiscard]] double copy_s(double bytes) const { return latency_s + bytes / to_one; }
  /// Until copies of these have moved at that rate, over all streams.
  [[nodiscard]] double moved_s(double bytes, double copies_s, double rate) const {
    return std::max(latency_s + bytes / rate, copies_s / streams);
  }
};

/// Tasks that follow one another in the graph, with as much before and after each of them.
struct Run {
  Index first = 0;
  Index end = 0;
  double head = 0;
  double tail = 0;
  double inputs = 0;  ///< bytes that come from host memory to the task's processor
};

/// Heads and tails of all tasks. Of independent tasks that are alike it holds one run, and no
/// number for each task.
class Levels {
 public:
  Levels(const TaskGraph& graph, const Ways& ways, const ShortestTimes& shortest_s)
      : graph_(graph), ways_(ways) {
    if (graph.dependencies().empty() && !graph.writes()) {
      std::vector<bool> none;
      for (Index task = 0; task < graph.tasks(); ++task) {
        Run alone{.first = task, .end = task + 1};
        if (ways.any) count_loads(task, none, alone.head, alone.inputs);
        if (ways.back) alone.tail = return_s(task, none);
        add(alone);
      }
    } else {
      follow_dependencies(shortest_s);
    }
  }

  [[nodiscard]] const std::vector<Run>& runs() const { return runs_; }

 private:
  void follow_dependencies(const ShortestTimes& shortest_s) {
    const auto& dependencies = graph_.dependencies();
    const std::size_t tasks = graph_.tasks();
    const std::size_t nodes = tasks + dependencies.joints();
    Seconds heads(nodes, 0);
    Seconds tails(nodes, 0);
    std::vector<double> inputs(tasks, 0);
    const auto order = dependencies.order_of_nodes(tasks);
    if (ways_.any) add_transfers(order, heads, tails, inputs);
    // Of a joint nothing.
    const auto own_s = [&](Index node) { return node < tasks ? shortest_s[node] : 0; };
    for (const Index node : order) {
      for (const Index later : dependencies.nodes_after(node)) {
        heads[later] = std::max(heads[later], heads[node] + own_s(node));
      }
    }
    std::for_each(order.rbegin(), order.rend(), [&](Index node) {
      for (const Index later : dependencies.nodes_after(node)) {
        tails[node] = std::max(tails[node], own_s(later) + tails[later]);
      }
    });
    runs_.reserve(tasks);
    for (Index task = 0; task < tasks; ++task) {
      add({task, task + 1, heads[task], tails[task], inputs[task]});
    }
  }
  void add(const Run& alone) {
    if (!runs_.empty()) {
      Run& last = runs_.back();
      if (last.head == alone.head && last.tail == alone.tail && last.inputs == alone.inputs) {
        last.end = alone.end;
        return;
      }
    }
    runs_.push_back(alone);
  }

  void add_transfers(std::span<const Index> order, Seconds& heads, Seconds& tails,
                     std::vector<double>& inputs) const {
    std::vector<bool> written(graph_.data(), false);
    for (const Index task : order) {
      if (graph_.dependencies().is_joint(task)) continue;
      count_loads(task, written, heads[task], inputs[task]);
    }
    if (!ways_.back) return;
    std::vector<bool> written_later(graph_.data(), false);
    std::for_each(order.rbegin(), order.rend(), [&](Index task) {
      if (!graph_.dependencies().is_joint(task)) tails[task] = return_s(task, written_later);
    });
  }
  /// Of what the task reads. @param written  by data, by earlier tasks; kept up to date
  void count_loads(Index task, std::vector<bool>& written, double& head, double& inputs) const {
    double all_s = 0;
    graph_.for_each_access(task, [&](Index data, Access access) {
      if (reads(access) && graph_.read_from_home(data)) {
        const double copy_s = ways_.copy_s(static_cast<double>(graph_.bytes(data)));
        head = std::max(head, copy_s);
        if ((written.empty() || !written[data]) && !commutes(access)) {
          all_s += copy_s;
          inputs += static_cast<double>(graph_.bytes(data));
        }
      }
      if (writes(access)) written[data] = true;
    });
    if (ways_.single) head = std::max(head, all_s);
  }
  /// Until what the task writes is in host memory.
  double return_s(Index task, std::vector<bool>& written_later) const {
    const auto output = static_cast<double>(graph_.output_bytes(task));
    double longest_s = output > 0 ? ways_.copy_s(output) : 0;
    double all_s = 0;
    graph_.for_each_access(task, [&](Index data, Access access) {
      if (!writes(access) || graph_.temporary(data)) return;
      const double copy_s = ways_.copy_s(static_cast<double>(graph_.bytes(data)));
      longest_s = std::max(longest_s, copy_s);
      if (!written_later[data] && !commutes(access) && !reduces(access)) all_s += copy_s;
      written_later[data] = true;
    });
    return ways_.single ? std::max(longest_s, all_s) : longest_s;
  }

  const TaskGraph& graph_;
  const Ways& ways_;
  std::vector<Run> runs_;
};

/// A data item that has to move, and what follows its arrival or precedes its leaving.
struct Move {
  double bytes;
  double beside_s;
};

/// Jackson's bound: the largest, over the moves with the most beside them, of all these take and
/// the least beside them.
double jackson_s(const Ways& ways, std::vector<Move> moves, double rate) {
  std::sort(moves.begin(), moves.end(),
            [](const Move& a, const Move& b) { return a.beside_s > b.beside_s; });
  double bytes = 0;
  double copies_s = 0;
  double best = 0;
  for (const Move& move : moves) {
    bytes += move.bytes;
    copies_s += ways.copy_s(move.bytes);
    best = std::max(best, ways.moved_s(bytes, copies_s, rate) + move.beside_s);
  }
  return best;
}

double bus_s(const TaskGraph& graph, const MachineModel& machine, const Ways& ways,
             const Levels& levels, const ShortestTimes& shortest_s) {
  std::vector<Move> in;
  std::vector<Move> out;
  Seconds tails(graph.data(), 0);
  Seconds heads(graph.data(), -1);
  for (const Run& run : levels.runs()) {
    for (Index task = run.first; task < run.end; ++task) {
      const double own_s = shortest_s[task];
      graph.for_each_access(task, [&](Index data, Access access) {
        if (reads(access)) tails[data] = std::max(tails[data], own_s + run.tail);
        if (ways.back && writes(access) && !graph.temporary(data)) {
          heads[data] = std::max(heads[data], run.head + own_s);
        }
      });
    }
  }
  double bytes = 0;
  for (std::size_t d = 0; d < graph.data(); ++d) {
    const auto data = static_cast<Index>(d);
    const auto size = static_cast<double>(graph.bytes(data));
    const double tail = tails[d];
    const double head = heads[d];
    if (graph.read_from_home(data)) in.push_back({size, tail});
    if (head >= 0) out.push_back({size, head});
    bytes += (graph.read_from_home(data) ? size : 0) + (head >= 0 ? size : 0);
  }
  double best = std::max(jackson_s(ways, std::move(in), ways.to_all),
                         jackson_s(ways, std::move(out), ways.from_all));
  if (!machine.duplex && bytes > 0) {
    best = std::max(best, ways.latency_s + bytes / machine.all_buses_bytes_per_s());
  }
  return best;
}

/// The bound on work.
class Work {
 public:
  Work(const MachineModel& machine, const Ways& ways, const Levels& levels,
       std::span<const double> flops)
      : ways_(ways), levels_(levels), flops_(flops) {
    for (const ProcessorModel& gpu : machine.processors) {
      rates_.push_back(gpu.flops_per_s);
      teams_ = teams_ || !gpu.speedups.empty();
    }
    std::sort(rates_.begin(), rates_.end(), std::greater<>());
    // NOLINTNEXTLINE(cppcoreguidelines-prefer-member-initializer): of rates known here only
    rate_ = std::accumulate(rates_.begin(), rates_.end(), 0.0);
  }

  [[nodiscard]] double best_s() {
    double best = 0;
    kept_.reserve(levels_.runs().size());
    const auto heads = thresholds(&Run::head);
    for (const double tail : thresholds(&Run::tail)) {
      keep_from(tail);
      for (const double head : heads) best = std::max(best, of_set_s(head, tail));
    }
    return best;
  }

 private:
  static constexpr std::size_t few = 8;  // processors

  /// The least, and others so many that all sets take a bounded time.
  [[nodiscard]] std::vector<double> thresholds(double Run::*of) const {
    constexpr double steps = 1 << 18;
    const auto most = std::clamp<std::size_t>(
        static_cast<std::size_t>(std::sqrt(steps / static_cast<double>(flops_.size()))), 1, 24);
    std::vector<double> values;
    values.reserve(levels_.runs().size());
    for (const Run& run : levels_.runs()) values.push_back(run.*of);
    if (most == 1) return {*std::min_element(values.begin(), values.end())};
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    if (values.size() <= most) return values;
    std::vector<double> some;
    for (std::size_t i = 0; i < most; ++i) some.push_back(values[i * values.size() / most]);
    return some;
  }

  /// Keeps the tasks that have so long a tail, of which a set is a part.
  void keep_from(double least_tail) {
    kept_.clear();
    std::copy_if(levels_.runs().begin(), levels_.runs().end(), std::back_inserter(kept_),
                 [&](const Run& run) { return run.tail >= least_tail; });
  }

  /// @pre keep_from(least_tail)
  double of_set_s(double least_head, double least_tail) {
    heads_.clear();
    tails_.clear();
    double work = 0;
    double least_inputs = std::numeric_limits<double>::infinity();
    for (const Run& run : kept_) {
      if (run.head < least_head) continue;
      least_inputs = std::min(least_inputs, run.inputs);
      work += flops_[run.first];
      note(heads_, run.head);
      note(tails_, run.tail);
      if (run.end - run.first == 1) continue;
      for (Index task = run.first + 1; task < run.end; ++task) work += flops_[task];
      // No more of them than there are processors can be among the least.
      for (std::size_t n = std::min<std::size_t>(run.end - run.first, rates_.size()); n > 1; --n) {
        note(heads_, run.head);
        note(tails_, run.tail);
      }
    }
    if (heads_.empty()) return 0;
    if (teams_) return least_head + work / rate_ + least_tail;
    const std::size_t most = std::min(rates_.size(), heads_.size());
    sort_least(heads_);
    sort_least(tails_);
    double rate = 0;
    double best = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < most; ++k) {
      double head = heads_[k];
      const double waited_for = static_cast<double>(k + 1) * least_inputs;
      if (ways_.any && ways_.single && waited_for > 0) {
        head = std::max(head, ways_.latency_s + waited_for / ways_.to_all);
      }
      work += rates_[k] * (head + tails_[k]);
      rate += rates_[k];
      best = std::min(best, work / rate);
    }
    return best;
  }

  /// Of the values, those that may be among the least, as many as there are processors: of few
  /// processors no more than these, ascending.
  void note(Seconds& values, double value) const {
    if (rates_.size() > few) return values.push_back(value);
    if (values.size() == rates_.size()) {
      if (value >= values.back()) return;
      values.pop_back();
    }
    values.insert(std::upper_bound(values.begin(), values.end(), value), value);
  }
  void sort_least(Seconds& noted) const {
    if (rates_.size() <= few) return;
    const std::size_t most = std::min(rates_.size(), noted.size());
    std::partial_sort(noted.begin(), noted.begin() + static_cast<std::ptrdiff_t>(most),
                      noted.end());
  }

  const Ways& ways_;
  const Levels& levels_;
  std::span<const double> flops_;
  std::vector<Run> kept_;
  std::vector<double> rates_;
  double rate_ = 0;
  bool teams_ = false;  ///< a task may run on several processors
  Seconds heads_;
  Seconds tails_;
};

}  // namespace

MakespanBound path_bound(const TaskGraph& graph, const MachineModel& machine,
                         const ShortestTimes& shortest_s, std::span<const double> flops) {
  const Ways ways(machine);
  const Levels levels(graph, ways, shortest_s);
  MakespanBound bound;
  const auto raise = [&](double seconds, std::string_view argument) {
    if (seconds > bound.seconds) bound = {seconds, argument};
  };
  for (const Run& run : levels.runs()) {
    for (Index task = run.first; task < run.end; ++task) {
      raise(run.head + shortest_s[task] + run.tail,
            graph.ordered() ? "critical path" : "longest task");
    }
  }
  if (ways.any) raise(bus_s(graph, machine, ways, levels, shortest_s), "bus");
  raise(Work(machine, ways, levels, flops).best_s(), "work");
  return bound;
}

}  // namespace damocles
