#include "models/bounds/makespan_bound.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "models/bounds/graph_bound.hpp"

namespace damocles {
namespace {

using Index = TaskGraph::Index;

/// Processors of one speed and link, on buses of one bandwidth.
struct ProcessorKind {
  double flops_per_s;
  double link_bytes_per_s;
  double bus_bytes_per_s;
  double count;
};

/// What the bounds need to know of a machine.
struct Capacity {
  std::vector<ProcessorKind> kinds;
  double flops_per_s = 0;
  double fastest = 0;
  double inward = 0;  ///< to all processors together [B/s]
  double to_one = 0;  ///< to one processor, the best [B/s]
  double buses = 0;   ///< of all together [B/s]
  double latency_s = 0;

  explicit Capacity(const MachineModel& machine)
      : buses(machine.all_buses_bytes_per_s()), latency_s(machine.latency_s) {
    std::vector<double> links(machine.buses(), 0);
    for (const ProcessorModel& gpu : machine.processors) {
      const double bus = machine.bus_rate(gpu.bus);
      flops_per_s += gpu.flops_per_s;
      fastest = std::max(fastest, gpu.flops_per_s);
      links[gpu.bus] += gpu.link_bytes_per_s;
      to_one = std::max(to_one, std::min(bus, gpu.link_bytes_per_s));
      const auto same = std::find_if(kinds.begin(), kinds.end(), [&](const ProcessorKind& kind) {
        return kind.flops_per_s == gpu.flops_per_s &&
               kind.link_bytes_per_s == gpu.link_bytes_per_s && kind.bus_bytes_per_s == bus;
      });
      if (same != kinds.end()) {
        ++same->count;
      } else {
        kinds.push_back({gpu.flops_per_s, gpu.link_bytes_per_s, bus, 1});
      }
    }
    for (std::size_t bus = 0; bus < links.size(); ++bus) {
      inward += std::min(machine.bus_rate(bus), links[bus]);
    }
  }

  /// What each load takes of its processor's stream, at least.
  [[nodiscard]] double load_s(const ProcessorKind& kind, double size) const {
    return latency_s + size / std::min(kind.bus_bytes_per_s, kind.link_bytes_per_s);
  }
  /// No more loads end a second, on all streams together.
  [[nodiscard]] double loads_per_s(double size) const {
    double sum = 0;
    for (const ProcessorKind& kind : kinds) sum += kind.count / load_s(kind, size);
    return sum;
  }
};

/// What the bounds need to know of the tasks.
struct Totals {
  double flops = 0;
  double free_flops = 0;  ///< of tasks without inputs
  double least_flops = std::numeric_limits<double>::infinity();
  double least_inputs = std::numeric_limits<double>::infinity();  ///< [B]
  double least_output = std::numeric_limits<double>::infinity();  ///< [B]
  double outputs = 0;                                             ///< [B]
  double longest_s = 0;  ///< a task alone on the machine, its inputs included, less one latency
  double size = std::numeric_limits<double>::infinity();  ///< of the smallest data that is read [B]
  double bytes = 0;                                       ///< that must be loaded

  Totals(const TaskGraph& graph, const Capacity& capacity, std::uint64_t loads) {
    for (Index task = 0; task < graph.tasks(); ++task) {
      const auto inputs = static_cast<double>(graph.footprint(task));
      const auto output = static_cast<double>(graph.output_bytes(task));
      flops += graph.flops(task);
      free_flops += inputs == 0 ? graph.flops(task) : 0;
      least_flops = std::min(least_flops, graph.flops(task));
      least_inputs = std::min(least_inputs, inputs);
      least_output = std::min(least_output, output);
      outputs += output;
      longest_s =
          std::max(longest_s, inputs / capacity.to_one + graph.flops(task) / capacity.fastest);
    }
    for (Index data = 0; data < graph.data(); ++data) {
      if (graph.users(data).empty()) continue;
      size = std::min(size, static_cast<double>(graph.bytes(data)));
    }
    bytes = graph.uniform_bytes() ? static_cast<double>(loads) * size
                                  : static_cast<double>(compulsory_bytes(graph));
  }
};

/// P(u): the most flops computed `busy_s` and `flow_s` seconds after the first task could start and
/// the first byte flow, with `loads` loads in all.
double most_done(const Capacity& capacity, const LoadedWork& work, double size, double loads,
                 double busy_s, double flow_s) {
  // Rounding must not take a load away that came in time.
  constexpr double up = 1 + 16 * std::numeric_limits<double>::epsilon();
  struct Cap {
    double flops;
    double count;
  };
  std::vector<Cap> caps;
  for (const ProcessorKind& kind : capacity.kinds) {
    double cap = kind.flops_per_s * busy_s;
    const double loads_alone = (capacity.latency_s + flow_s) / capacity.load_s(kind, size);
    if (loads_alone < loads) cap = std::min(cap, work(loads_alone * up));
    caps.push_back({cap, kind.count});
  }
  std::sort(caps.begin(), caps.end(), [](const Cap& a, const Cap& b) { return a.flops > b.flops; });
  double done = 0;
  for (const Cap& cap : caps) {
    const double needed = work.loads_for(cap.flops);
    const double filled =
        needed > 0 ? std::min(cap.count, std::floor(loads / needed * up)) : cap.count;
    done += filled * cap.flops;
    loads -= filled > 0 ? filled * needed : 0;  // needed may be infinite
    if (filled < cap.count) return done + std::min(cap.flops, work(std::max(0.0, loads)));
  }
  return done;
}

double progress_bound(const Capacity& capacity, const Totals& totals, const LoadedWork& work,
                      double latency_s, double start_s) {
  double best = 0;
  constexpr double most_loads = 1e15;
  // Sums of up to 4096 kinds of processors: what they are short of by rounding is done.
  constexpr double all_but_rounding = 1 - 1e-12;
  // Each number of loads gives a bound, so those tried may be few.
  for (double loads = 0; loads < most_loads; loads = std::floor(loads + 1 + loads / 256)) {
    const double at = std::max(latency_s + (loads + 1) * totals.size / capacity.inward,
                               (loads + 1) / capacity.loads_per_s(totals.size));
    const double flow_s = at - latency_s;
    const double done = totals.free_flops + most_done(capacity, work, totals.size, loads,
                                                      std::max(0.0, at - start_s), flow_s);
    if (!(done < totals.flops * all_but_rounding)) break;
    best = std::max(best, at + (totals.flops - done) / capacity.flops_per_s);
  }
  return best;
}

void raise(MakespanBound& bound, double seconds, std::string_view argument) {
  if (seconds > bound.seconds) bound = {seconds, argument};
}

}  // namespace

MakespanBound makespan_bound(const TaskGraph& graph, const MachineModel& machine,
                             const LoadedWork& work, const LoadBound& loads, double area_s) {
  const Capacity capacity(machine);
  const Totals totals(graph, capacity, loads.loads);
  const double latency = machine.latency_s;
  const double start_s =
      totals.least_inputs > 0 ? latency + totals.least_inputs / capacity.to_one : 0;
  MakespanBound bound;
  raise(bound, start_s + totals.flops / capacity.flops_per_s, "compute");
  raise(bound, area_s > 0 ? start_s + area_s : 0, "area");
  raise(bound, (totals.least_inputs > 0 ? latency : 0) + totals.longest_s, "longest task");
  if (totals.bytes > 0) {
    double arrived_s = latency + totals.bytes / capacity.inward;
    if (graph.uniform_bytes()) {
      const double streams_s = static_cast<double>(loads.loads) / capacity.loads_per_s(totals.size);
      arrived_s = std::max(arrived_s, streams_s);
    }
    raise(bound, arrived_s + totals.least_flops / capacity.fastest, "bus");
    raise(bound, progress_bound(capacity, totals, work, latency, start_s), "progress");
  }
  // Outputs that take no memory are nobody's to wait for.
  if (!machine.write_back || !machine.outputs_take_memory) return bound;
  if (totals.least_output > 0) bound.seconds += latency + totals.least_output / capacity.to_one;
  if (totals.outputs > 0 && !machine.duplex) {
    raise(bound, latency + (totals.bytes + totals.outputs) / capacity.buses, "bus");
  }
  return bound;
}

}  // namespace damocles
