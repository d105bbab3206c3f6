#include "models/runs/load_terms.hpp"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <utility>

#include "models/platforms/memory_limits.hpp"
#include "models/runs/min_reloads.hpp"

namespace damocles {
namespace {

using Index = TaskGraph::Index;
using Kind = RunEvent::Kind;

constexpr std::size_t none_yet = std::numeric_limits<std::size_t>::max();

/// Two numbers below 2^32 as one key.
constexpr std::uint64_t key_of_both(std::uint64_t high, std::uint64_t low) {
  return high << 32 | low;
}

/// One copy of a data item in a memory, from its load (or creation) until it leaves.
struct Stay {
  std::size_t processor = 0;
  Index data = 0;
  std::uint32_t item = 0;     // of the processor: the data item between writes elsewhere
  std::uint32_t epoch = 0;    // how often others had written it
  std::uint32_t version = 0;  // how often anybody had written it
  bool loaded = false;        // else created
  double start_s = 0;
  std::uint64_t tasks_before = 0;
  std::size_t first_use = none_yet;  // a step of the processor: the task that first used it
};

/// What one processor's memory went through.
struct Step {
  enum class What : std::uint8_t { load, task, task_end };
  What what;
  std::size_t index;  // of a load its stay; of a task or its end the range of its uses
};

/// Follows the events of a run: who had which copy when, and what each memory was asked for.
class Copies {
 public:
  Copies(const Workload& workload, const Platform& platform)
      : graph_(workload.graph()),
        nodes_(platform.processors()),
        written_(graph_.writes() ? graph_.data() : 0) {
    const auto& machine = platform.machine;
    outputs_ = machine && machine->write_back && machine->outputs_take_memory;
    const auto bytes = machine ? memory_bytes(*machine, workload)
                               : std::vector<std::uint64_t>(nodes_.size(), home_bytes);
    for (std::size_t p = 0; p < nodes_.size(); ++p) {
      nodes_[p].memory_bytes = bytes[p];
      nodes_[p].in_host_memory = machine && machine->processors[p].in_host_memory;
    }
  }

  void take(const RunEvent& event) {
    Node& node = nodes_[raw(event.processor)];
    if (event.kind == Kind::task_started) return start_task(node, event);
    if (node.in_host_memory) return;
    if (event.kind == Kind::load_started || event.kind == Kind::created) enter(node, event);
    if (event.kind == Kind::evicted) leave(node, event);
    if (event.kind == Kind::task_ended && node.last_task == event.id) {
      node.steps.push_back({Step::What::task_end, node.tasks.size() - 1});
    }
  }

  [[nodiscard]] std::size_t processors() const { return nodes_.size(); }
  [[nodiscard]] const std::vector<Stay>& stays() const { return stays_; }
  [[nodiscard]] const TaskGraph& graph() const { return graph_; }
  [[nodiscard]] std::uint64_t bytes(const Stay& stay) const { return graph_.bytes(stay.data); }

  /// What MIN reloads on the processor's recorded order of tasks.
  [[nodiscard]] Reloads on_order(std::size_t processor) const {
    return min_reloads(requests(nodes_[processor], false), nodes_[processor].item_bytes,
                       nodes_[processor].memory_bytes);
  }
  /// The same where it moreover has each load from when the run made it to its first use.
  [[nodiscard]] Reloads with_loads(std::size_t processor) const {
    return min_reloads(requests(nodes_[processor], true), nodes_[processor].item_bytes,
                       nodes_[processor].memory_bytes);
  }
  /// Of two data items, how often each was evicted for the other.
  [[nodiscard]] std::optional<EvictingPair> pair() const;

 private:
  struct Copy {
    std::uint32_t own_writes = 0;  // of the data item, by this processor
    std::uint32_t item = 0;
    std::uint32_t epoch = 0;
    bool has_item = false;
    std::size_t stay = none_yet;  // that is there now
  };
  struct Range {
    std::uint64_t begin;
    std::uint64_t end;
  };
  struct Node {
    std::uint64_t memory_bytes = 0;
    bool in_host_memory = false;
    std::unordered_map<Index, Copy> copies{};
    std::vector<std::uint64_t> item_bytes{};
    std::vector<Step> steps{};
    std::vector<MemoryRequests::Use> uses{};
    std::vector<Range> tasks{};
    std::uint64_t last_task = none_yet;
    std::vector<Index> evicted{};  // since the last load
  };

  [[nodiscard]] std::uint32_t written(Index data) const {
    return written_.empty() ? 0 : written_[data];
  }

  std::uint32_t new_item(Node& node, std::uint64_t bytes) {
    node.item_bytes.push_back(bytes);
    return static_cast<std::uint32_t>(node.item_bytes.size() - 1);
  }
  /// The item that the data item is now on this processor.
  Copy& copy_of(Node& node, Index data) {
    Copy& copy = node.copies[data];
    const std::uint32_t epoch = written(data) - copy.own_writes;
    if (!copy.has_item || copy.epoch != epoch) {
      copy.item = new_item(node, graph_.bytes(data));
      copy.epoch = epoch;
      copy.has_item = true;
    }
    return copy;
  }

  void enter(Node& node, const RunEvent& event) {
    const auto data = static_cast<Index>(event.id);
    Copy& copy = copy_of(node, data);
    for (const Index victim : node.evicted) ++evicted_for_[key_of_both(victim, data)];
    node.evicted.clear();
    copy.stay = stays_.size();
    Stay& stay = stays_.emplace_back();
    stay.processor = raw(event.processor);
    stay.data = data;
    stay.item = copy.item;
    stay.epoch = copy.epoch;
    stay.version = written(data);
    stay.loaded = event.kind == Kind::load_started;
    stay.start_s = event.time_s;
    stay.tasks_before = tasks_;
    if (stay.loaded) node.steps.push_back({Step::What::load, copy.stay});
  }

  void leave(Node& node, const RunEvent& event) {
    const auto data = static_cast<Index>(event.id);
    node.copies[data].stay = none_yet;
    if (!event.overwritten) node.evicted.push_back(data);
  }

  void start_task(Node& node, const RunEvent& event) {
    const auto task = static_cast<Index>(event.id);
    ++tasks_;
    if (!node.in_host_memory) use_inputs(node, task);
    graph_.for_each_access(task, [&](Index data, Access access) {
      if (!writes(access)) return;
      ++written_[data];
      if (!reduces(access)) ++node.copies[data].own_writes;
    });
  }

  void use_inputs(Node& node, Index task) {
    const std::uint64_t begin = node.uses.size();
    graph_.for_each_access(task, [&](Index data, Access access) {
      if (reduces(access)) {
        node.uses.push_back({new_item(node, graph_.bytes(data)), false});
        return;
      }
      Copy& copy = copy_of(node, data);
      node.uses.push_back({copy.item, reads(access)});
      if (copy.stay == none_yet) return;
      Stay& stay = stays_[copy.stay];
      const bool uses_it = reads(access) || !stay.loaded;
      if (uses_it && stay.first_use == none_yet) stay.first_use = node.steps.size();
    });
    if (outputs_ && graph_.output_bytes(task) > 0) {
      node.uses.push_back({new_item(node, graph_.output_bytes(task)), false});
    }
    node.last_task = task;
    node.tasks.push_back({begin, node.uses.size()});
    node.steps.push_back({Step::What::task, node.tasks.size() - 1});
  }

  using Awaited = std::vector<std::pair<std::size_t, std::uint32_t>>;  // (step of first use, item)
  [[nodiscard]] Awaited awaited_items(const Node& node, bool with_loads) const;
  [[nodiscard]] MemoryRequests requests(const Node& node, bool with_loads) const;

  const TaskGraph& graph_;
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> written_;  // by data item: by anybody
  std::vector<Stay> stays_;
  std::unordered_map<std::uint64_t, std::uint64_t>
      evicted_for_;  // key_of_both(victim, what came next)
  std::uint64_t tasks_ = 0;
  bool outputs_ = false;
};

/// The items that were loaded before a task used them.
Copies::Awaited Copies::awaited_items(const Node& node, bool with_loads) const {
  Awaited result;
  if (!with_loads) return result;
  for (const Step& step : node.steps) {
    if (step.what != Step::What::load) continue;
    const Stay& stay = stays_[step.index];
    if (stay.first_use != none_yet) result.emplace_back(stay.first_use, stay.item);
  }
  std::sort(result.begin(), result.end());
  return result;
}

MemoryRequests Copies::requests(const Node& node, bool with_loads) const {
  MemoryRequests all;
  const auto awaited = awaited_items(node, with_loads);
  auto next_awaited = awaited.begin();
  for (std::size_t at = 0; at < node.steps.size(); ++at) {
    const Step& step = node.steps[at];
    if (!with_loads && step.what != Step::What::task) continue;
    MemoryRequests::Request request{all.uses.size(), 0, with_loads, all.released.size(), 0};
    if (step.what == Step::What::load) {
      const Stay& stay = stays_[step.index];
      if (stay.first_use == none_yet) continue;
      all.uses.push_back({stay.item, true});
    } else {
      const Range range = node.tasks[step.index];
      for (auto u = range.begin; u < range.end; ++u) {
        const bool ends = step.what == Step::What::task_end;
        if (ends) all.released.push_back(node.uses[u].item);
        if (!ends) all.uses.push_back(node.uses[u]);
      }
      for (; next_awaited != awaited.end() && next_awaited->first == at; ++next_awaited) {
        all.released.push_back(next_awaited->second);
      }
    }
    request.uses_end = all.uses.size();
    request.released_end = all.released.size();
    all.requests.push_back(request);
  }
  return all;
}

std::optional<EvictingPair> Copies::pair() const {
  std::uint64_t most = 0;
  std::uint64_t best = 0;
  for (const auto& [pair, there] : evicted_for_) {
    const std::uint64_t first = pair >> 32;
    const std::uint64_t second = pair & 0xffffffff;
    if (first >= second) continue;
    const auto back = evicted_for_.find(key_of_both(second, first));
    if (back == evicted_for_.end()) continue;
    const std::uint64_t times = std::min(there, back->second);
    if (times < most || (times == most && pair > best)) continue;
    most = times;
    best = pair;
  }
  if (most == 0) return std::nullopt;
  return EvictingPair{DataId{best >> 32}, DataId{best & 0xffffffff}, most};
}

/// Labels the copies that were loaded, and splits the reloads by the policies of MIN.
class Attribution {
 public:
  Attribution(const Copies& copies, std::uint64_t lower_bound)
      : copies_(copies),
        lower_bound_(lower_bound),
        seen_(copies.graph().data(), false),
        reloads_(copies.graph().data(), 0),
        again_(copies.processors()) {}

  LoadExplanation run() {
    result_.estimated = !copies_.graph().uniform_bytes().has_value();
    for (const Stay& stay : copies_.stays()) label(stay);
    for (std::size_t p = 0; p < copies_.processors(); ++p) split(p);
    set_capacity();
    list_reloaded();
    result_.pair = copies_.pair();
    return std::move(result_);
  }

 private:
  TermLoads& of(LoadTerm term) { return result_.terms[static_cast<std::size_t>(term)]; }

  void label(const Stay& stay) {
    // What this processor had of the data item: the number of the last epoch, plus one.
    std::uint32_t& had = had_[key_of_both(stay.processor, stay.data)];
    const bool same_item = had == stay.epoch + 1;
    if (!stay.loaded) {
      had = stay.epoch + 1;
      return;
    }
    if (stay.first_use == none_yet) return count(LoadTerm::unused, stay);
    if (same_item) {
      again(stay);
    } else if (had > 0) {
      count(LoadTerm::coherence, stay);
    } else if (stay.version > 0) {
      count(LoadTerm::handover, stay);
    } else {
      count(seen_[stay.data] ? LoadTerm::sharing : LoadTerm::compulsory, stay);
    }
    seen_[stay.data] = true;
    had = stay.epoch + 1;
  }

  void count(LoadTerm term, const Stay& stay) {
    ++of(term).loads;
    of(term).bytes += copies_.bytes(stay);
  }

  void again(const Stay& stay) {
    Reloads& reloads = again_[stay.processor];
    ++reloads.loads;
    reloads.bytes += copies_.bytes(stay);
    ++reloads_[stay.data];
    if (result_.first_reload_s) return;
    result_.first_reload_s = stay.start_s;
    result_.tasks_before_reload = stay.tasks_before;
  }

  /// Of one processor's reloads.
  void split(std::size_t processor) {
    const Reloads made = again_[processor];
    if (made.loads == 0) return;
    const Reloads on_order = copies_.on_order(processor);
    const Reloads with_loads = copies_.with_loads(processor);
    // Where sizes differ MIN may reload more than what was done.
    split(made.loads, with_loads.loads, on_order.loads, &TermLoads::loads);
    split(made.bytes, with_loads.bytes, on_order.bytes, &TermLoads::bytes);
  }

  void split(std::uint64_t made, std::uint64_t with_loads, std::uint64_t on_order,
             std::uint64_t TermLoads::*part) {
    with_loads = std::min(with_loads, made);
    on_order = std::min(on_order, with_loads);
    of(LoadTerm::order).*part += on_order;
    of(LoadTerm::prefetch).*part += with_loads - on_order;
    of(LoadTerm::eviction).*part += made - with_loads;
  }

  void set_capacity() {
    set_capacity(lower_bound_, &TermLoads::loads);
    const auto bytes = copies_.graph().uniform_bytes();
    if (bytes) set_capacity(lower_bound_ * *bytes, &TermLoads::bytes);
  }

  void set_capacity(std::uint64_t bound, std::uint64_t TermLoads::*part) {
    const std::uint64_t first = of(LoadTerm::compulsory).*part;
    std::uint64_t left = bound > first ? bound - first : 0;
    for (const LoadTerm from : {LoadTerm::order, LoadTerm::sharing}) {
      const std::uint64_t taken = std::min(left, of(from).*part);
      of(from).*part -= taken;
      of(LoadTerm::capacity).*part += taken;
      left -= taken;
    }
  }

  void list_reloaded() {
    for (std::size_t data = 0; data < reloads_.size(); ++data) {
      if (reloads_[data] > 0) result_.reloaded.push_back({DataId{data}, reloads_[data]});
    }
    std::stable_sort(
        result_.reloaded.begin(), result_.reloaded.end(),
        [](const ReloadedItem& a, const ReloadedItem& b) { return a.reloads > b.reloads; });
  }

  const Copies& copies_;
  std::uint64_t lower_bound_;
  std::vector<bool> seen_;              // by data item: some task used a loaded copy
  std::vector<std::uint64_t> reloads_;  // by data item
  std::vector<Reloads> again_;          // by processor
  std::unordered_map<std::uint64_t, std::uint32_t> had_;  // key_of_both(processor, data item)
  LoadExplanation result_;
};

}  // namespace

TermLoads LoadExplanation::total() const {
  TermLoads sum;
  for (const TermLoads& term : terms) {
    sum.loads += term.loads;
    sum.bytes += term.bytes;
  }
  return sum;
}

LoadExplanation explain_loads(const std::vector<RunEvent>& events, const Workload& workload,
                              const Platform& platform, std::uint64_t lower_bound) {
  Copies copies(workload, platform);
  for (const RunEvent& event : events) copies.take(event);
  return Attribution(copies, lower_bound).run();
}

}  // namespace damocles
