#include "strategies/parts/completion_time.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace damocles {
namespace {

/// As many are looked at one by one, which costs less than keeping account of who is alike.
constexpr std::size_t few_processors = 8;

/// At which each processor expects its inputs [B/s]: that of its link, or over a bus of which all K
/// on it take as much, in both directions, bandwidth / (2 K), as StarPU predicts it
/// (docs/explanation/peers.md).
std::vector<double> expected_rates(const Platform& platform) {
  std::vector<double> rates;
  if (!platform.machine) return rates;
  const MachineModel& machine = *platform.machine;
  std::vector<double> on_bus(machine.buses(), 0);
  for (const ProcessorModel& gpu : machine.processors)
    on_bus[gpu.bus] += gpu.in_host_memory ? 0 : 1;
  for (const ProcessorModel& gpu : machine.processors) {
    rates.push_back(
        std::min(gpu.link_bytes_per_s, machine.bus_rate(gpu.bus) / (2 * on_bus[gpu.bus])));
  }
  return rates;
}

}  // namespace

CostWeights CostWeights::of(const Spec& spec) {
  CostWeights weights;
  weights.alpha = number_of(spec, "alpha", weights.alpha);
  weights.beta = number_of(spec, "beta", weights.beta);
  if (spec.has("gamma")) weights.gamma_s_per_j = number_of(spec, "gamma", 0) * 1e-6;
  weights.idle_w = number_of(spec, "idle-power", weights.idle_w);
  return weights;
}

std::vector<StrategyOption> with_cost_options(std::vector<StrategyOption> options) {
  const OptionValues weight = OptionValues::number(0, 1e9);
  options.push_back(
      {"alpha", "weight of a task's completion time when it is placed (default 1)", weight});
  options.push_back({"beta", "weight of its transfer time (default 1)", weight});
  options.push_back(
      {"gamma", "weight of a joule, in us (default 1000); for platforms that give power", weight});
  options.push_back(
      {"idle-power",
       "power of the idle processors while a task makes the run longer, in W (default 0)", weight});
  return options;
}

StrategyOption transfers_option() {
  return {
      "transfers",
      "how to estimate a transfer: alone (default): as if it were the only one, as in StarPU; queued: "
      "behind the transfers of the tasks placed before; for slow or unequal links",
      OptionValues::words({"alone", "queued"})};
}

CompletionTimes::CompletionTimes(const StrategyContext& context, Placing placing)
    : graph_(context.workload.graph()),
      platform_(context.platform),
      placing_(placing),
      weights_(CostWeights::of(context.spec)),
      durations_(context.workload, context.platform),
      powers_(context.workload, context.platform),
      any_in_host_memory_(platform_.machine && platform_.machine->any_in_host_memory()),
      queued_(context.spec.word("transfers") == "queued"),
      rates_(expected_rates(context.platform)),
      all_(context.platform.processors(), Allotted{std::vector<bool>(graph_.data())}),
      counted_(graph_.tasks()),
      holders_(graph_.data()) {
  for (std::size_t k = 0; k < all_.size(); ++k) {
    if (!in_host_memory(k)) continue;
    all_[k].held.assign(graph_.data(), true);
    home_.push_back(k);
  }
  if (placing_.by_priority) waiting_.emplace(graph_, all_.size());
  // A task changes what goes before each rank; that many trees must be cheaper than all processors.
  const std::size_t ranks = waiting_ ? waiting_->ranks() : 1;
  const bool few_ranks = ranks == 1 || 4 * ranks <= all_.size();
  for (std::size_t k = 0; k < all_.size(); ++k) {
    singles_.push_back(ProcessorId{static_cast<std::uint32_t>(k)});
  }
  if (placing_.teams) teams_ = teams_of_cores(durations_.teams(), context.spec);
  const bool many = all_.size() > few_processors;
  if (many && few_ranks && !queued_ && teams_.empty() && !powers_.known()) {
    alike_.emplace(durations_, rates_, all_.size(), ranks);
  }
}

bool CompletionTimes::in_host_memory(std::size_t k) const {
  return any_in_host_memory_ && platform_.machine->processors[k].in_host_memory;
}

/// Time to send the inputs of the task that were not sent before to processor k. So long too takes
/// to host memory what is to be read there and was written elsewhere.
double CompletionTimes::transfer_s(std::size_t k, Index task) const {
  if (!placing_.transfers) return 0;
  double time = 0;
  for (const Index data : graph_.needed(task)) {
    if (!all_[k].held[data]) time += transfer_of(k, data);
  }
  return time;
}

double CompletionTimes::transfer_of(std::size_t k, Index data) const {
  if (rates_.empty() || !placing_.transfers) return 0;
  return platform_.machine->latency_s + static_cast<double>(graph_.bytes(data)) / rates_[k];
}

/// Of all inputs, to who holds none.
double CompletionTimes::full_transfer_s(std::size_t k, Index task) const {
  double time = 0;
  for (const Index data : graph_.needed(task)) time += transfer_of(k, data);
  return time;
}

/// Until what goes before a task of the rank ends.
double CompletionTimes::before_s(std::size_t k, std::size_t rank) const {
  if (!waiting_) return all_[k].left_s;
  return std::max(0.0, all_[k].left_s - waiting_->behind_s(k, rank));
}

double CompletionTimes::cost(Place at, Index task, double end_s, double transfer_s) const {
  if (!placing_.transfers) return end_s;
  double cost_s = weights_.alpha * end_s + weights_.beta * transfer_s;
  if (powers_.known()) {
    const double busy_s = durations_.s(raw(at.front()), task, at.size());
    for (const ProcessorId one : at) {
      cost_s += weights_.gamma_s_per_j * powers_.w(raw(one), task) * busy_s;
    }
  }
  if (weights_.idle_w > 0 && end_s > latest_s_) {
    cost_s += weights_.gamma_s_per_j * weights_.idle_w * (end_s - latest_s_);
  }
  return cost_s;
}

/// Those that can run the task.
template <typename Visit>
void CompletionTimes::for_each_place(Index task, Visit&& visit) const {
  for (std::size_t k = 0; k < all_.size(); ++k) {
    if (durations_.runs(k, task)) visit(Place(&singles_[k], 1));
  }
  for (const Team& team : teams_) {
    const std::size_t k = raw(team.front());
    if (durations_.runs(k, task) && durations_.teams().most(k, task) >= team.size()) visit(team);
  }
}

/// Those that hold some input, or compute where all data lie, once for each input.
template <typename Visit>
void CompletionTimes::for_each_holder(Index task, Visit&& visit) const {
  const auto visit_one = [&](std::size_t k) {
    if (durations_.runs(k, task)) visit(Place(&singles_[k], 1));
  };
  for (const std::size_t k : home_) visit_one(k);
  for (const Index data : graph_.needed(task)) {
    for (const std::uint32_t k : holders_[data]) visit_one(k);
  }
}

/// Those among which the cheapest is, the lowest of equal ones: the holders; of others, which cost
/// the more the more they have to do, the first of those that cost the least.
template <typename Visit>
void CompletionTimes::for_each_promising_place(Index task, Visit&& visit) {
  for_each_holder(task, visit);
  for (AlikeProcessors::Group& group : alike_->groups()) {
    const std::size_t any = group.any();
    if (in_host_memory(any) || !durations_.runs(any, task)) continue;
    const double transfer = full_transfer_s(any, task);
    const auto cost_if_left = [&](double left_s) {
      const double start = std::max(left_s, placing_.transfers_delay ? transfer : 0.0);
      return cost(Place(&singles_[any], 1), task, start + compute_s(any, task), transfer);
    };
    const double least = cost_if_left(group.least_s(rank(task)));
    const auto first =
        group.first_if([&](double left_s) { return cost_if_left(left_s) <= least; }, rank(task));
    if (first) visit(Place(&singles_[*first], 1));
  }
}

/// When the task can start there.
double CompletionTimes::start_s(Place at, Index task, double transfer_s) const {
  double start = placing_.transfers_delay ? arrival_s(raw(at.front()), transfer_s) : 0;
  for (const ProcessorId one : at) start = std::max(start, before_s(raw(one), rank(task)));
  return start;
}

CompletionTimes::Candidate CompletionTimes::candidate(Place at, Index task) const {
  const std::size_t k = raw(at.front());
  const double transfer = transfer_s(k, task);
  const double end = start_s(at, task, transfer) + durations_.s(k, task, at.size());
  return {cost(at, task, end, transfer), at, end};
}

CompletionTimes::Choice CompletionTimes::choose(Index task) {
  std::optional<Candidate> best;
  const auto compare = [&](Place at) {
    const Candidate other = candidate(at, task);
    const bool first = !best || other.cost_s < best->cost_s ||
                       (other.cost_s == best->cost_s && other.at.size() == best->at.size() &&
                        raw(other.at.front()) < raw(best->at.front()));
    if (first) best = other;
  };
  if (alike_) {
    for_each_promising_place(task, compare);
  } else {
    for_each_place(task, compare);
  }
  if (!best) return {};
  return {best->at.front(), best->end_s, best->at.subspan(1)};
}

/// Whether there is nobody in the group of processors who holds none.
bool CompletionTimes::all_hold_an_input(std::size_t group, Index task) {
  std::vector<std::uint32_t> holders;
  for (const Index data : graph_.needed(task)) {
    for (const std::uint32_t k : holders_[data]) {
      if (alike_->group_of(k) == group) holders.push_back(k);
    }
  }
  std::sort(holders.begin(), holders.end());
  holders.erase(std::unique(holders.begin(), holders.end()), holders.end());
  return holders.size() == alike_->groups()[group].size();
}

double CompletionTimes::spread_s(Index task) {
  double soonest = std::numeric_limits<double>::infinity();
  double latest = 0;
  const auto note = [&](double end_s) {
    soonest = std::min(soonest, end_s);
    latest = std::max(latest, end_s);
  };
  const auto look_at = [&](Place at) { note(candidate(at, task).end_s); };
  if (!alike_ || waiting_) {
    for_each_place(task, look_at);
    return latest - soonest;
  }
  // Holders are looked at one by one. The others of a group wait for all inputs, and end between
  // the processor with the least and the one with the most to do. Either may be a holder: it ends
  // no later than is counted here, and exactly then if it has more to do than the transfer takes.
  // Where nobody has, the count is right only if some processor of the group holds no input.
  for_each_holder(task, look_at);
  for (std::size_t at = 0; at < alike_->groups().size(); ++at) {
    AlikeProcessors::Group& group = alike_->groups()[at];
    const std::size_t any = group.any();
    if (in_host_memory(any) || !durations_.runs(any, task)) continue;
    const double wait_s = placing_.transfers_delay ? full_transfer_s(any, task) : 0;
    if (group.most_s() < wait_s && all_hold_an_input(at, task)) continue;
    note(std::max(group.least_s(), wait_s) + compute_s(any, task));
    note(std::max(group.most_s(), wait_s) + compute_s(any, task));
  }
  return latest - soonest;
}

/// Each member waits for the last of them.
void CompletionTimes::allot_to_team(Index task, const Choice& choice) {
  auto& shares = shares_s_[task];
  const auto take = [&](ProcessorId member) {
    Allotted& to = all_[raw(member)];
    shares.emplace_back(member, choice.end_s - to.left_s);
    set_left(raw(member), choice.end_s);
    ++to.tasks;
  };
  take(choice.processor);
  for (const ProcessorId helper : choice.helpers) take(helper);
}

void CompletionTimes::allot(Index task, const Choice& choice) {
  const std::size_t k = raw(choice.processor);
  Allotted& to = all_[k];
  if (!choice.helpers.empty()) {
    allot_to_team(task, choice);
  } else {
    const double its_s = compute_s(k, task);
    const double transfer = transfer_s(k, task);
    const double arrival = placing_.transfers_delay ? arrival_s(k, transfer) : 0;
    counted_[task] = {transfer, std::max(0.0, arrival - to.left_s)};
    to.transfers_s += transfer;
    set_left(k, waiting_ ? std::max(to.left_s, arrival) + its_s : choice.end_s);
    if (waiting_) add_waiting(k, task, its_s);
    ++to.tasks;
  }
  ++left_;
  if (weights_.idle_w > 0) latest_s_ = std::max(latest_s_, to.left_s);
  note_accesses(k, task);
}

ProcessorId CompletionTimes::allot(Index task) {
  const Choice choice = choose(task);
  allot(task, choice);
  return choice.processor;
}

void CompletionTimes::granted(ProcessorId processor, Index task) {
  if (waiting_) add_waiting(raw(processor), task, -compute_s(raw(processor), task));
}

void CompletionTimes::set_left(std::size_t k, double left_s) {
  all_[k].left_s = left_s;
  note_work(k);
}

void CompletionTimes::add_waiting(std::size_t k, Index task, double work_s) {
  waiting_->add(k, task, work_s);
  note_work(k);
}

void CompletionTimes::note_work(std::size_t k) {
  if (!alike_) return;
  const std::size_t ranks = waiting_ ? waiting_->ranks() : 1;
  for (std::size_t rank = 0; rank < ranks; ++rank) alike_->set(k, before_s(k, rank), rank);
}

void CompletionTimes::hold(std::size_t k, Index data) {
  if (all_[k].held[data]) return;
  all_[k].held[data] = true;
  if (!in_host_memory(k)) holders_[data].push_back(static_cast<std::uint32_t>(k));
}

/// Nobody holds it any longer but those that compute in host memory, if they did.
void CompletionTimes::drop(Index data) {
  for (const std::uint32_t k : holders_[data]) all_[k].held[data] = false;
  holders_[data].clear();
}

/// The processor will hold what the task accesses, and nobody else what it writes. What is sent to
/// it, and what is written in host memory, lies there for all that compute there.
void CompletionTimes::note_accesses(std::size_t by, Index task) {
  graph_.for_each_access(task, [&](Index data, Access access) {
    // A sum of its own, which nobody reads; what comes of it lies in host memory.
    if (reduces(access)) {
      drop(data);
      for (const std::size_t k : home_) all_[k].held[data] = true;
      return;
    }
    const bool sent = !all_[by].held[data] && reads(access);
    if (writes(access)) {
      drop(data);
      for (const std::size_t k : home_) all_[k].held[data] = in_host_memory(by);
    } else if (sent) {
      for (const std::size_t k : home_) all_[k].held[data] = true;
    }
    hold(by, data);
  });
}

void CompletionTimes::started(ProcessorId processor, Index task) {
  const auto shorten = [&](ProcessorId by, double s) {
    set_left(raw(by), std::max(0.0, all_[raw(by)].left_s - s));
  };
  if (const auto team = shares_s_.find(task); team != shares_s_.end()) {
    const double its_s = durations_.s(raw(processor), task, team->second.size());
    for (auto& [member, share_s] : team->second) {
      shorten(member, share_s - its_s);
      share_s = its_s;
    }
    return;
  }
  const auto [transfer_s, wait_s] = std::exchange(counted_[task], {});
  shorten(processor, wait_s);
  double& transfers_s = all_[raw(processor)].transfers_s;
  transfers_s = std::max(0.0, transfers_s - transfer_s);
}

void CompletionTimes::finished(ProcessorId processor, Index task) {
  --left_;
  started(processor, task);  // where nobody said so
  const auto done = [&](ProcessorId by, double share_s) {
    Allotted& its = all_[raw(by)];
    --its.tasks;
    // What is left of rounding ends with the last task.
    set_left(raw(by), its.tasks == 0 ? 0 : std::max(0.0, its.left_s - share_s));
    if (its.tasks == 0) its.transfers_s = 0;
  };
  if (const auto team = shares_s_.find(task); team != shares_s_.end()) {
    for (const auto& [member, share_s] : team->second) done(member, share_s);
    shares_s_.erase(team);
  } else {
    done(processor, compute_s(raw(processor), task));
  }
  if (weights_.idle_w == 0) return;
  latest_s_ = 0;
  for (const Allotted& one : all_) latest_s_ = std::max(latest_s_, one.left_s);
}

}  // namespace damocles
