#include "experiments/explain/findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "models/platforms/memory_limits.hpp"
#include "models/quantity.hpp"

namespace damocles {
namespace {

using Kind = RunEvent::Kind;

/// Terms that a better schedule may avoid.
constexpr std::array avoidable{LoadTerm::order,   LoadTerm::prefetch, LoadTerm::eviction,
                               LoadTerm::sharing, LoadTerm::handover, LoadTerm::coherence,
                               LoadTerm::unused};

/// Of a term, for a table and for a sentence without its full stop.
struct TermWords {
  const char* meaning;
  const char* sentence;
};

const TermWords& words_on_term(LoadTerm term) {
  static constexpr std::array<TermWords, load_terms> words{{
      {"the first load of a data item", ""},
      {"more that no schedule avoids (lower bound)", ""},
      {"reloads that this order of tasks needs",
       "The order of the tasks comes back to data items that memory cannot hold meanwhile: it needs "
       "{loads} even with the best evictions"},
      {"reloads as data were fetched early",
       "Prefetching evicts what is needed sooner: it costs {loads}"},
      {"reloads that better evictions would save", ""},
      {"the first load on a further processor",
       "{loads} bring{s} a data item to a further processor: tasks that share data run on different "
       "processors"},
      {"what another processor wrote, first read here",
       "{loads} bring{s} what another processor wrote: the tasks that read it run elsewhere"},
      {"copies that a write elsewhere made invalid",
       "{loads} replace{s} {copies} that became invalid when another processor wrote the data item"},
      {"copies that no task used",
       "{loads} {were} of no use: the copy left before any task read it"},
  }};
  return words.at(static_cast<std::size_t>(term));
}

std::string in_upper_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

/// "LRU", "Belady's policy", "LUF".
std::string policy_name(const std::string& eviction) {
  if (eviction.starts_with("belady")) return "Belady's policy";
  return eviction.size() <= 4 ? in_upper_case(eviction) : "eviction policy " + eviction;
}

std::string whole_percent(double share) { return fmt::format("{:.0f} %", 100 * share); }

/// "72 % of it", "all of it".
std::string part_of_it(double share) {
  return share >= 0.995 ? "all of it" : whole_percent(share) + " of it";
}

/// "A(0)", "A(0) and A(1)", "A(0) to A(39)": those that were reloaded nearly as often as the first.
std::string most_reloaded(const ExplainedRun& run, const LoadExplanation& loads) {
  if (loads.reloaded.empty()) return "";
  const std::uint64_t top = loads.reloaded.front().reloads;
  std::vector<std::uint64_t> items;
  for (const ReloadedItem& one : loads.reloaded) {
    if (10 * one.reloads >= 9 * top) items.push_back(raw(one.data));
  }
  const auto [least, greatest] = std::minmax_element(items.begin(), items.end());
  const std::string first = run.workload.data_name(DataId{*least});
  const std::string times = fmt::format("{} more", counted(top, "time"));
  if (items.size() == 1) return fmt::format("{} is loaded {}", first, times);
  const std::string last = run.workload.data_name(DataId{*greatest});
  const bool row = *greatest - *least + 1 == items.size() &&
                   name_without_numbers(first) == name_without_numbers(last);
  if (items.size() == 2) return fmt::format("{} and {} are loaded {} each", first, last, times);
  if (row) return fmt::format("{} to {} are loaded up to {} each", first, last, times);
  return fmt::format("{}, {} among them, are loaded up to {} each",
                     counted(items.size(), "data item"), first, times);
}

class Findings {
 public:
  Findings(const ExplainedRun& run, const Explanation& why) : run_(run), why_(why) {}

  std::vector<std::string> all() {
    say_loads();
    for (const bool cores : {false, true}) say_idle(cores);
    say_path();
    say_returns();
    say_what_if();
    return std::move(said_);
  }

 private:
  [[nodiscard]] std::uint64_t loads(LoadTerm term) const { return why_.loads.of(term).loads; }
  [[nodiscard]] const std::string& strategy() const { return run_.record.strategy; }
  [[nodiscard]] std::uint64_t unavoidable() const {
    return loads(LoadTerm::compulsory) + loads(LoadTerm::capacity);
  }

  void say_loads() {
    const std::uint64_t total = why_.loads.total().loads;
    if (total == 0) {
      said_.push_back(fmt::format("{} loads nothing.", strategy()));
      return;
    }
    auto ranked = avoidable;
    std::stable_sort(ranked.begin(), ranked.end(),
                     [&](LoadTerm a, LoadTerm b) { return loads(a) > loads(b); });
    std::string text = fmt::format("{} makes {}", strategy(), counted(total, "load"));
    if (20 * loads(ranked[0]) <= total) {
      const std::uint64_t more = total - unavoidable();
      text += more == 0 ? ", and none of them can be avoided."
                        : fmt::format(", {} more than any schedule must.", more);
      said_.push_back(text);
      return;
    }
    const double bound = run_.record.lower_bound.value_or(0);
    if (bound > 0) {
      text += fmt::format(", {:.3g} times the lower bound of {:.6g}",
                          static_cast<double>(total) / bound, bound);
    }
    text += ". " + cause(ranked[0]);
    if (5 * loads(ranked[1]) > total) text += " " + cause(ranked[1]);
    said_.push_back(text);
    say_reloads();
  }

  /// A sentence on the loads of one term.
  [[nodiscard]] std::string cause(LoadTerm term) const {
    if (term == LoadTerm::eviction) return evictions();
    const bool one = loads(term) == 1;
    std::string text = fmt::format(
        fmt::runtime(words_on_term(term).sentence), fmt::arg("loads", counted(loads(term), "load")),
        fmt::arg("s", one ? "s" : ""), fmt::arg("copies", one ? "a copy" : "copies"),
        fmt::arg("were", one ? "was" : "were"));
    const std::uint64_t reloads =
        loads(LoadTerm::order) + loads(LoadTerm::prefetch) + loads(LoadTerm::eviction);
    if (term == LoadTerm::coherence && reloads == 0) text += "; memory is large enough";
    return text + ".";
  }

  /// The policy, beside the best one for the same order of tasks.
  [[nodiscard]] std::string evictions() const {
    const std::uint64_t best = why_.loads.total().loads - loads(LoadTerm::eviction);
    const double bound = run_.record.lower_bound.value_or(0);
    return fmt::format(
        "{} evicts {}: the best evictions for the same order of tasks make {}{}.",
        run_.record.eviction.empty() ? "The run" : policy_name(run_.record.eviction),
        why_.victims.mostly_soonest() ? "each data item just before it is needed again"
                                      : "data items that are needed again soon",
        counted(best, "load"),
        bound > 0 ? fmt::format(" ({:.3g} times the bound)", static_cast<double>(best) / bound)
                  : "");
  }

  void say_reloads() {
    const std::uint64_t reloads = loads(LoadTerm::order) + loads(LoadTerm::prefetch) +
                                  loads(LoadTerm::eviction) + loads(LoadTerm::capacity);
    if (why_.loads.reloaded.empty()) return;
    std::string text;
    if (why_.large) {
      const LargeGroup& group = *why_.large;
      const bool all = group.items == run_.workload.data() || group.name.empty();
      text = fmt::format("{} not fit in memory: {}, {} together. ",
                         all ? "The data do" : group.name + " does",
                         counted(group.items, "data item"), size_text(group.bytes));
    }
    text += most_reloaded(run_, why_.loads) + ".";
    const auto& pair = why_.loads.pair;
    if (pair && pair->times > 2 && 20 * pair->times > 3 * reloads) {
      text +=
          fmt::format(" {} and {} evict each other {} times.", run_.workload.data_name(pair->first),
                      run_.workload.data_name(pair->second), pair->times);
    }
    if (why_.loads.first_reload_s && run_.record.makespan_s.value_or(0) > 0) {
      text += fmt::format(" The first reload is after {} of the tasks.",
                          whole_percent(static_cast<double>(why_.loads.tasks_before_reload) /
                                        static_cast<double>(run_.workload.tasks())));
    }
    said_.push_back(text);
  }

  [[nodiscard]] bool is_core(std::size_t processor) const {
    return run_.platform.machine && run_.platform.machine->processors[processor].in_host_memory;
  }

  void say_idle(bool cores) {
    IdleShares sums{};
    std::size_t processors = 0;
    for (std::size_t p = 0; p < why_.idle.size(); ++p) {
      if (is_core(p) != cores) continue;
      ++processors;
      for (std::size_t k = 0; k < sums.size(); ++k) sums.at(k) += why_.idle[p].at(k);
    }
    const double whole = std::accumulate(sums.begin(), sums.end(), 0.0);
    const double time = run_.record.makespan_s.value_or(0) * static_cast<double>(processors);
    if (processors == 0 || !(whole > 0.05 * time)) return;
    const auto* const most = std::max_element(sums.begin(), sums.end());
    const auto reason = static_cast<IdleReason>(most - sums.begin());
    const bool one = processors == 1;
    const std::string who = cores                    ? (one ? "The core is" : "The cores are")
                            : !run_.platform.machine ? "Processors are"
                                                     : (one ? "The GPU is" : "The GPUs are");
    said_.push_back(fmt::format("{} idle for {} of the time, {} waiting for {}.", who,
                                whole_percent(whole / time), part_of_it(*most / whole),
                                meaning(reason)));
  }

  void say_path() {
    const double makespan = run_.record.makespan_s.value_or(0);
    const bool mixed = run_.platform.machine && run_.platform.machine->any_in_host_memory() &&
                       run_.platform.machine->on_buses() > 0;
    if (!mixed || !(why_.path.task_on_core_s > 0.5 * makespan)) return;
    said_.push_back(fmt::format(
        "The end of the run waits for tasks on cores: they are {} of the critical path.",
        whole_percent(why_.path.task_on_core_s / makespan)));
  }

  void say_returns() {
    double idle_s = 0;
    for (const IdleShares& one : why_.idle) {
      idle_s += one[static_cast<std::size_t>(IdleReason::write_back)];
    }
    std::uint64_t home = 0;
    for (const NodeTraffic& node : why_.nodes) home += node.to_host;
    if (5 * why_.returns.bytes <= home) return;
    if (!(idle_s > 0.2 * run_.record.makespan_s.value_or(0))) return;
    said_.push_back(fmt::format(
        "{} went to host memory, and no task reads them there, as {}: if they are no result, declare them temporary.",
        size_text(why_.returns.bytes), run_.workload.data_name(why_.returns.most)));
  }

  void say_what_if() {
    if (why_.what_if.empty()) return;
    const WhatIf& best = why_.what_if.front();
    said_.push_back(fmt::format("What would help most: {} ({:.0f} % less time).", best.change,
                                100 * (1 - best.makespan_s / *run_.record.makespan_s)));
  }

  const ExplainedRun& run_;
  const Explanation& why_;
  std::vector<std::string> said_;
};

/// "evicts B(3) on GPU0".
std::string decision_in_words(const ExplainedRun& run, const std::optional<RunEvent>& event) {
  if (!event) return "has ended";
  const bool task = event->kind == Kind::task_started;
  const std::string what =
      task ? run.workload.task_name(TaskId{event->id}) : run.workload.data_name(DataId{event->id});
  const char* const verb = event->kind == Kind::load_started ? "loads"
                           : event->kind == Kind::evicted    ? "evicts"
                           : task                            ? "starts"
                                                             : "returns";
  return fmt::format("{} {} on {}", verb, what, run.platform.name(raw(event->processor)));
}

}  // namespace

std::vector<std::string> findings(const ExplainedRun& run, const Explanation& explanation) {
  return Findings(run, explanation).all();
}

std::vector<std::string> findings(const ExplainedRun& a, const ExplainedRun& b,
                                  const Difference& difference) {
  const std::string& one = a.record.strategy;
  const std::string& other = b.record.strategy;
  if (!difference.first) return {fmt::format("{} and {} decide the same throughout.", one, other)};
  std::vector<std::string> said;
  if (*difference.first > 0) {
    const double at_s = difference.here ? difference.here->time_s : difference.there->time_s;
    said.push_back(fmt::format("They decide the same until decision {} at {:.4g} s: {} {}, {} {}.",
                               *difference.first, at_s, one, decision_in_words(a, difference.here),
                               other, decision_in_words(b, difference.there)));
  } else {
    said.push_back(fmt::format("{} and {} differ from their first decision on.", one, other));
  }
  const auto& tenths = difference.loads_by_tenth;
  const auto whole = std::accumulate(tenths.begin(), tenths.end(), std::int64_t{0});
  if (whole == 0) return said;
  std::int64_t so_far = 0;
  std::size_t tenth = 0;
  while (tenth + 1 < tenths.size() && 10 * std::abs(so_far + tenths.at(tenth)) < std::abs(whole)) {
    so_far += tenths.at(tenth++);
  }
  said.push_back(
      fmt::format("{} makes {} {} loads than {}; the difference opens {}.", one, std::abs(whole),
                  whole > 0 ? "more" : "fewer", other,
                  tenth == 0 ? "at once" : fmt::format("after {} % of the tasks", 10 * tenth)));
  return said;
}

std::string meaning(LoadTerm term) { return words_on_term(term).meaning; }

std::string meaning(IdleReason reason) {
  static constexpr std::array<const char*, idle_reasons> words{
      "the inputs of the first task",
      "inputs on their way from host memory",
      "inputs while the bus also serves other processors",
      "inputs on their way from another processor",
      "inputs that memory had no room to prefetch",
      "inputs requested only when the task before had ended",
      "inputs that another processor wrote",
      "tasks that must come before",
      "room, until what was written there is in host memory",
      "a task, as other processors hold all that are ready",
      "a decision, or the start of the task",
      "the end, as all tasks have started"};
  return words.at(static_cast<std::size_t>(reason));
}

}  // namespace damocles
