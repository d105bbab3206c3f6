#include "tests/sim/naive/draws.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "tests/strategies/small_graphs.hpp"
#include "tests/strategies/writing_graphs.hpp"

namespace damocles::naive {
namespace {

using Index = TaskGraph::Index;

/// What numbers of a workload and its machine are drawn from.
class Numbers {
 public:
  explicit Numbers(Rng& rng) : rng_(rng), exact_(one_in(3)) {}

  [[nodiscard]] Rng& rng() const { return rng_; }
  [[nodiscard]] bool exact() const { return exact_; }
  [[nodiscard]] bool one_in(std::uint64_t of) const { return rng_.below(of) == 0; }
  [[nodiscard]] std::uint64_t below(std::uint64_t bound) const { return rng_.below(bound); }

  /// Of data and of flops: a few; where not exact, large and uneven.
  [[nodiscard]] std::uint64_t size(std::uint64_t few) const {
    return exact_ || few == 0 ? few : few * large + rng_.below(large);
  }
  /// 1, 2, 4 or 8 a second; where not exact, anything between 1 and 16.
  [[nodiscard]] double rate() const {
    const auto power = static_cast<double>(std::uint64_t{1} << rng_.below(4));
    return exact_ ? power : power * (1 + rng_.uniform());
  }
  /// So many of what size() gives.
  [[nodiscard]] double rate_of_sizes() const {
    return rate() * static_cast<double>(exact_ ? 8 : large);
  }
  [[nodiscard]] double link() const {
    return one_in(2) ? std::numeric_limits<double>::infinity() : rate_of_sizes();
  }
  [[nodiscard]] double short_time_or_0() const { return one_in(2) ? 0 : rate() / 16; }

 private:
  static constexpr std::uint64_t large = 1 << 16;
  Rng& rng_;
  bool exact_;
};

/// The graph with outputs, kinds of kernels, priorities, and sizes as drawn.
Workload dressed(TaskGraph::Parts parts, const Numbers& numbers) {
  const bool outputs = numbers.one_in(2);
  const bool kinds = numbers.one_in(2);
  if (kinds) parts.kind_names = {"GEMM", "TRSM"};
  for (auto& bytes : parts.bytes) bytes = numbers.size(bytes);
  for (std::size_t t = 0; t < parts.flops.size(); ++t) {
    if (outputs) parts.output_bytes.push_back(numbers.size(numbers.below(6)));
    if (kinds) parts.task_kinds.push_back(static_cast<std::uint16_t>(numbers.below(2)));
    parts.priorities.push_back(static_cast<double>(numbers.below(4)));
    parts.flops[t] = static_cast<double>(numbers.size(numbers.below(5)));
  }
  return Workload::of_graph("drawn", TaskGraph(std::move(parts)));
}

/// One of the texts, in which SIDE stands for that of a tile: its data have about a size().
Workload one_of(const std::vector<std::string>& texts, const Numbers& numbers) {
  std::string text = texts[numbers.below(texts.size())];
  while (text.find("SIDE") != std::string::npos) {
    text.replace(text.find("SIDE"), 4, numbers.exact() ? "3" : "99");
  }
  return Workload::parse(text);
}

bool has_kind(const TaskGraph& graph, const std::string& kind) {
  for (Index task = 0; task < graph.tasks(); ++task) {
    if (graph.kind_name(task) == kind) return true;
  }
  return false;
}

ProcessorModel draw_gpu(const TaskGraph& graph, const Numbers& numbers) {
  std::uint64_t least = 1;
  std::uint64_t all = 0;
  for (Index t = 0; t < graph.tasks(); ++t) {
    least = std::max(least, graph.footprint(t) + graph.output_bytes(t));
    all += graph.output_bytes(t);
  }
  for (Index d = 0; d < graph.data(); ++d) all += graph.bytes(d);
  const std::uint64_t more = numbers.one_in(2) ? all : all / 8;
  ProcessorModel gpu{.flops_per_s = numbers.rate_of_sizes(),
                     .memory_bytes = least + numbers.below(more + 1),
                     .link_bytes_per_s = numbers.link()};
  if (numbers.one_in(3) && has_kind(graph, "GEMM")) {
    gpu.kernel_times.push_back({"GEMM", numbers.rate()});
  }
  return gpu;
}

/// Cores after the GPUs, at least one where there are none.
void draw_cores(MachineModel& machine, const Numbers& numbers) {
  const std::size_t cores =
      std::max<std::size_t>(numbers.below(4), machine.processors.empty() ? 1 : 0);
  for (std::size_t core = 0; core < cores; ++core) {
    machine.processors.push_back({.flops_per_s = numbers.rate_of_sizes(),
                                  .link_bytes_per_s = std::numeric_limits<double>::infinity(),
                                  .kind = "cpu",
                                  .in_host_memory = true});
  }
}

/// The same of cores that are alike and compute tasks together; 6 at most do.
void draw_teams(MachineModel& machine, const TaskGraph& graph, const Numbers& numbers) {
  Speedup law{.law = Speedup::Law::table, .table = {1, 2, 2, 4, 4, 4}};
  if (!numbers.exact() && !numbers.one_in(3)) {
    law = {.law = numbers.one_in(2) ? Speedup::Law::power : Speedup::Law::amdahl,
           .parameter = numbers.rate() / 16};
  }
  const bool one_kind = numbers.one_in(3) && has_kind(graph, "GEMM");
  const double rate = numbers.rate_of_sizes();
  const std::size_t cores = 2 + numbers.below(5);
  for (std::size_t core = 0; core < cores; ++core) {
    machine.processors.push_back({.flops_per_s = rate,
                                  .link_bytes_per_s = std::numeric_limits<double>::infinity(),
                                  .kind = "cpu",
                                  .in_host_memory = true});
    Speedup own = law;
    if (one_kind) own.kind = "GEMM";
    machine.processors.back().speedups = {own};
  }
}

/// Of each kind of tasks one processor runs it; others may not.
void draw_kinds(MachineModel& machine, const TaskGraph& graph, const Numbers& numbers) {
  for (const auto& kind : graph.parts().kind_names) {
    const std::size_t runs = numbers.below(machine.processors.size());
    for (std::size_t p = 0; p < machine.processors.size(); ++p) {
      if (p == runs || !has_kind(graph, kind) || !numbers.one_in(4)) continue;
      auto& times = machine.processors[p].kernel_times;
      std::erase_if(times, [&](const KernelTime& time) { return time.kind == kind; });
      times.push_back({kind, never_s});
    }
  }
}

void draw_times(MachineModel& machine, const Numbers& numbers) {
  machine.bus_bytes_per_s = numbers.rate_of_sizes();
  machine.latency_s = numbers.short_time_or_0();
  machine.request_s = numbers.short_time_or_0();
  machine.overhead_s = numbers.short_time_or_0();
  if (numbers.one_in(4)) machine.decision_s = numbers.short_time_or_0() / 16;
  if (machine.decision_s > 0 && numbers.one_in(2))
    machine.handover_s = numbers.short_time_or_0() / 4;
  if (numbers.one_in(4)) machine.interference = 0.5;
  if (!numbers.one_in(3)) machine.jitter = numbers.one_in(2) ? 0 : 0.02;
}

bool linked(const MachineModel& machine, std::size_t a, std::size_t b) {
  return std::any_of(machine.peer_links.begin(), machine.peer_links.end(), [&](const auto& link) {
    return (link.a == a && link.b == b) || (link.a == b && link.b == a);
  });
}

/// Of GPUs a < b over some of those between them, as far as these have links; or over the bus.
void draw_route(MachineModel& machine, std::size_t a, std::size_t b, const Numbers& numbers) {
  std::vector<std::size_t> gpus{a};
  for (std::size_t p = a + 1; p < b; ++p) {
    if (!numbers.one_in(4)) gpus.push_back(p);
  }
  gpus.push_back(b);
  if (numbers.one_in(2)) std::reverse(gpus.begin(), gpus.end());
  PeerRoute route{gpus.front(), gpus.back(), {gpus.begin() + 1, gpus.end() - 1}};
  for (std::size_t at = 1; at < gpus.size(); ++at) {
    if (!linked(machine, gpus[at - 1], gpus[at])) route.via.clear();
  }
  machine.peer_routes.push_back(route);
}

/// Links in a line over all GPUs, but for some, and routes of most pairs without one.
void draw_routes(MachineModel& machine, const Numbers& numbers) {
  const std::size_t gpus = machine.on_buses();
  for (std::size_t p = 1; p < gpus; ++p) {
    if (linked(machine, p - 1, p) || numbers.one_in(4)) continue;
    machine.peer_links.push_back({p, p - 1, numbers.rate_of_sizes(), numbers.one_in(2)});
  }
  for (std::size_t a = 0; a < gpus; ++a) {
    for (std::size_t b = a + 1; b < gpus; ++b) {
      if (!linked(machine, a, b) && !numbers.one_in(4)) draw_route(machine, a, b, numbers);
    }
  }
  machine.peers_over_bus = numbers.one_in(3);
  machine.peers_cross_once = numbers.one_in(2);
}

void draw_rules(MachineModel& machine, const Numbers& numbers) {
  machine.sharing = numbers.one_in(3) ? BusSharing::fifo : BusSharing::fair;
  machine.duplex = numbers.one_in(3);
  machine.copy_streams = 1 + numbers.below(2);
  machine.depth = numbers.below(6);
  machine.write_back = numbers.one_in(2);
  machine.outputs_take_memory = numbers.one_in(2);
  if (!machine.write_back && numbers.one_in(2)) machine.output_places = 1 + numbers.below(3);
  if (numbers.one_in(3)) machine.peer_bytes_per_s = numbers.rate_of_sizes();
  machine.peers_half_duplex = numbers.one_in(2);
  if (numbers.one_in(3) && machine.on_buses() > 1) {
    machine.peer_links.push_back({0, 1 + numbers.below(machine.on_buses() - 1),
                                  2 * numbers.rate_of_sizes(), numbers.one_in(2)});
  }
  if (machine.peer_bytes_per_s == 0 && numbers.one_in(2)) draw_routes(machine, numbers);
  if (numbers.one_in(3)) machine.loads_ahead = numbers.below(5);
}

/// Two buses, alike or not, behind each at least one.
void draw_buses(MachineModel& machine, const Numbers& numbers) {
  const std::size_t gpus = machine.on_buses();
  if (gpus < 2 || !numbers.one_in(3)) return;
  for (std::size_t p = 1; p < gpus; ++p) machine.processors[p].bus = p == 1 ? 1 : numbers.below(2);
  if (numbers.one_in(2)) machine.bus_rates = {numbers.rate_of_sizes(), numbers.rate_of_sizes()};
}

/// Drivers wait for the kind of some task.
void draw_synchronous(MachineModel& machine, const TaskGraph& graph, const Numbers& numbers) {
  if (!numbers.one_in(4)) return;
  machine.synchronous = {
      graph.kind_name(static_cast<TaskGraph::Index>(numbers.below(graph.tasks())))};
}

/// Takes away what is not a sum of powers of 2: three on the bus, shares of it other than halves,
/// parts of the way of a copy, what is drawn in [0, 1).
void make_exact(MachineModel& machine) {
  machine.interference = 0;
  machine.jitter = 0;
  machine.noise.reset();
  const std::size_t streams = machine.duplex ? 1 : machine.copy_streams;
  if (machine.on_buses() * streams > 2) machine.sharing = BusSharing::fifo;
  if (machine.sharing == BusSharing::fifo) return;
  for (ProcessorModel& gpu : machine.processors) {
    if (std::isfinite(gpu.link_bytes_per_s)) {
      gpu.link_bytes_per_s = machine.bus_rate(gpu.bus) / 2;
    }
  }
}

Drawn with_machine(Workload workload, const Numbers& numbers, Processors processors) {
  const bool of_kinds = processors != Processors::gpus;
  const bool teams = processors == Processors::with_teams;
  const bool alike = numbers.one_in(2);
  MachineModel machine;
  const std::size_t gpus = (of_kinds ? 0 : 1) + numbers.below(teams ? 3 : 4);
  for (std::size_t p = 0; p < gpus; ++p) {
    machine.processors.push_back(alike && p > 0 ? machine.processors.front()
                                                : draw_gpu(workload.graph(), numbers));
  }
  if (of_kinds) {
    teams ? draw_teams(machine, workload.graph(), numbers) : draw_cores(machine, numbers);
    if (numbers.one_in(2)) draw_kinds(machine, workload.graph(), numbers);
    if (numbers.one_in(4)) machine.noise = Noise{numbers.one_in(4) ? 0 : 0.3};
  }
  draw_times(machine, numbers);
  draw_rules(machine, numbers);
  draw_buses(machine, numbers);
  draw_synchronous(machine, workload.graph(), numbers);
  if (numbers.exact()) make_exact(machine);
  Platform platform;
  for (const ProcessorModel& gpu : machine.processors) platform.speeds.push_back(gpu.flops_per_s);
  platform.machine = machine;
  return {std::move(workload), platform, numbers.exact()};
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const Drawn& drawn) {
  const MachineModel& machine = *drawn.platform.machine;
  out << drawn.workload.text() << ", " << drawn.workload.tasks() << " tasks, "
      << fmt::format(
             "{}bus {}{} B/s {}{}, latency {}, request {}, decision {}, handover {}, overhead {}, "
             "interference {}, depth {}, loads ahead {}, write_back {}{}, {} places for outputs, streams {}, peers {}{}+{}, {} routes{}, "
             "jitter {}{}",
             drawn.exact ? "exact, " : "", machine.bus_bytes_per_s,
             machine.bus_rates.empty()
                 ? ""
                 : fmt::format(" ({} + {})", machine.bus_rates[0], machine.bus_rates[1]),
             machine.sharing == BusSharing::fifo ? "fifo" : "fair", machine.duplex ? " duplex" : "",
             machine.latency_s, machine.request_s, machine.decision_s, machine.handover_s,
             machine.overhead_s, machine.interference, machine.depth, machine.loads_ahead,
             machine.write_back, machine.outputs_take_memory ? " in memory" : "",
             machine.output_places, machine.copy_streams, machine.peer_bytes_per_s,
             machine.peers_half_duplex ? " half" : "", machine.peer_links.size(),
             machine.peer_routes.size(),
             machine.peers_over_bus ? (machine.peers_cross_once ? " and bus once" : " and bus")
                                    : "",
             machine.jitter_of(),
             machine.noise ? fmt::format(", noise {}", machine.noise->sigma) : "");
  for (const std::string& kind : machine.synchronous) out << ", waits for kernels '" << kind << "'";
  for (const ProcessorModel& gpu : machine.processors) {
    out << fmt::format("; {} flop/s, ", gpu.flops_per_s)
        << (gpu.in_host_memory ? std::string("core")
                               : fmt::format("{} B, link {}, bus {}", gpu.memory_bytes,
                                             gpu.link_bytes_per_s, gpu.bus));
    for (const KernelTime& time : gpu.kernel_times) {
      out << fmt::format(", {} {} s", time.kind, time.seconds);
    }
  }
  return out;
}

Drawn draw_reading(Rng& rng, Processors processors) {
  const Numbers numbers(rng);
  if (numbers.one_in(2)) {
    const std::size_t tasks = 1 + rng.below(24);
    const auto graph = oracle::random_graph(rng, tasks, 1 + rng.below(10), 4, 1 + rng.below(9));
    return with_machine(dressed(graph.parts(), numbers), numbers, processors);
  }
  static const std::vector<std::string> texts{"gemm2d:m=3,n=5,tile=SIDE,k=SIDE",
                                              "gemm2d:n=5,tile=SIDE,k=SIDE,order=random,seed=2",
                                              "gemm3d:n=3,tile=SIDE",
                                              "gemm3d:m=2,n=3,k=4,tile=SIDE,c=yes",
                                              "cholesky:n=4,tile=SIDE,deps=false",
                                              "sparse2d:n=10,tile=SIDE,k=SIDE,density=0.15,seed=4"};
  return with_machine(one_of(texts, numbers), numbers, processors);
}

Drawn draw_writing(Rng& rng, Processors processors) {
  const Numbers numbers(rng);
  if (!numbers.one_in(3)) {
    return with_machine(dressed(drawn_writing_graph(rng).parts(), numbers), numbers, processors);
  }
  static const std::vector<std::string> texts{"cholesky:n=4,tile=SIDE,deps=true",
                                              "cholesky:n=4,tile=SIDE,deps=true,updates=commute",
                                              "cholesky:n=4,tile=SIDE,deps=true,updates=reduce",
                                              "stencil:n=3,steps=3,tile=SIDE",
                                              "layered:n=4,layers=4,tile=SIDE,reads=3,seed=2",
                                              "gemm3d:n=3,tile=SIDE,c=made"};
  return with_machine(one_of(texts, numbers), numbers, processors);
}

}  // namespace damocles::naive
