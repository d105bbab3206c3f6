#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "experiments/explain/explained_recording.hpp"
#include "experiments/explain/explanation_output.hpp"
#include "experiments/explain/findings.hpp"
#include "models/platforms/measured_kernels.hpp"
#include "models/quantity.hpp"

namespace damocles {
namespace {

using TextRows = std::vector<std::vector<std::string>>;

constexpr std::size_t most_listed = 5;  // data items and nodes that a table names

std::string megabytes(std::uint64_t bytes) {
  return fmt::format("{:.6g}", static_cast<double>(bytes) / 1e6);
}
std::string percentage(double share) { return fmt::format("{:.1f}", 100 * share); }
std::string term_name(LoadTerm term) {
  return std::string(load_term_names[static_cast<std::size_t>(term)]);
}

std::string table_of_loads(const ExplainedRun& run, const LoadExplanation& loads,
                           const TableStyle& style) {
  if (loads.total().loads == 0) return "";
  TextRows rows{{"loads", "number", "MB", "what they are"}};
  for (std::size_t k = 0; k < load_terms; ++k) {
    const auto term = static_cast<LoadTerm>(k);
    const TermLoads& own = loads.of(term);
    if (own.loads == 0 && own.bytes == 0) continue;
    rows.push_back(
        {term_name(term), fmt::format("{}", own.loads), megabytes(own.bytes), meaning(term)});
  }
  const TermLoads sum = loads.total();
  rows.push_back({"all", fmt::format("{}", sum.loads), megabytes(sum.bytes), ""});
  if (const TermLoads& saved = loads.of(LoadTerm::eviction); saved.loads > 0) {
    rows.push_back({"best evictions", fmt::format("{}", sum.loads - saved.loads),
                    megabytes(sum.bytes - saved.bytes),
                    "all but eviction: for the same order of tasks"});
  }
  if (!run.workload.has_sizes()) {
    for (auto& row : rows) row.erase(row.begin() + 2);
  }
  return aligned(rows, style) + "\n";
}

std::string table_of_time(const Explanation& why, const TableStyle& style) {
  TextRows rows{{"processors' time", "%", "what they do or wait for"}};
  rows.push_back({"computing", percentage(1 - why.idle_share), "tasks"});
  double idle_s = 0;
  IdleShares sums{};
  for (const IdleShares& one : why.idle) {
    for (std::size_t k = 0; k < sums.size(); ++k) sums.at(k) += one.at(k);
    idle_s = std::accumulate(one.begin(), one.end(), idle_s);
  }
  std::vector<std::size_t> order(idle_reasons);
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return sums.at(a) > sums.at(b); });
  for (const std::size_t k : order) {
    if (!(sums.at(k) * why.idle_share >= 0.0005 * idle_s) || !(idle_s > 0)) continue;
    rows.push_back({std::string(idle_reason_names.at(k)),
                    percentage(why.idle_share * sums.at(k) / idle_s),
                    meaning(static_cast<IdleReason>(k))});
  }
  return aligned(rows, style) + "\n";
}

std::string table_of_path(const CriticalPath& path, double makespan_s, const TableStyle& style) {
  if (!(makespan_s > 0)) return "";
  TextRows rows{{"critical path", "%"}};
  for (const auto& [name, time_s] :
       {std::pair("tasks", path.task_s), std::pair("tasks on cores", path.task_on_core_s),
        std::pair("transfers", path.transfer_s), std::pair("write-back", path.write_back_s),
        std::pair("waiting", path.waiting_s), std::pair("after the last task", path.end_s)}) {
    if (time_s >= 0.0005 * makespan_s) rows.push_back({name, percentage(time_s / makespan_s)});
  }
  return aligned(rows, style) + "\n";
}

std::string table_of_nodes(const ExplainedRun& run, const Explanation& why,
                           const TableStyle& style) {
  if (!run.workload.has_sizes()) return "";
  TextRows rows{{"memory [MB]", "required", "from host", "from peers", "to host", "loaded %"}};
  for (const NodeTraffic& node : why.nodes) {
    if (rows.size() > most_listed + 3) break;
    const std::uint64_t loaded = node.from_host + node.from_peers;
    rows.push_back(
        {run.platform.name(node.processor), megabytes(node.required), megabytes(node.from_host),
         node.from_peers > 0 ? megabytes(node.from_peers) : "",
         node.to_host > 0 ? megabytes(node.to_host) : "",
         node.required == 0
             ? ""
             : percentage(static_cast<double>(loaded) / static_cast<double>(node.required))});
  }
  if (rows.size() == 1) return "";
  std::string text = aligned(rows, style);
  const std::size_t left = why.nodes.size() - (rows.size() - 1);
  if (left > 0) text += fmt::format("and {} more; --format json has all\n", left);
  return text + "\n";
}

std::string table_of_items(const ExplainedRun& run, const LoadExplanation& loads,
                           const TableStyle& style) {
  if (loads.reloaded.empty()) return "";
  TextRows rows{{"most reloaded", "times", "MB"}};
  for (std::size_t k = 0; k < std::min(most_listed, loads.reloaded.size()); ++k) {
    const ReloadedItem& item = loads.reloaded[k];
    const auto bytes = run.workload.graph().bytes(static_cast<TaskGraph::Index>(raw(item.data)));
    rows.push_back({run.workload.data_name(item.data), fmt::format("{}", item.reloads),
                    megabytes(item.reloads * bytes)});
  }
  return aligned(rows, style) + "\n";
}

std::string table_of_what_if(const ExplainedRun& run, const Explanation& why,
                             const TableStyle& style) {
  std::string rest = why.not_tried.empty() ? "" : "not tried: " + why.not_tried + "\n";
  if (why.what_if.empty()) return rest;
  const auto before = static_cast<std::int64_t>(why.loads.total().loads);
  TextRows rows{{"what would help", "time %", "loads"}};
  for (const WhatIf& one : why.what_if) {
    rows.push_back({one.change,
                    fmt::format("{:+.1f}", 100 * (one.makespan_s / *run.record.makespan_s - 1)),
                    fmt::format("{:+}", static_cast<std::int64_t>(one.loads) - before)});
  }
  return aligned(rows, style) + rest + "\n";
}

std::string sentences(const std::vector<std::string>& all, const TableStyle& style) {
  std::string text;
  for (const std::string& one : all) text += one + "\n";
  return wrapped(text, style) + "\n";
}

std::string text_of_run(const ExplainedAnswer& answer, const TableStyle& style) {
  const auto& [run, why] = answer;
  std::string text = sentences(findings(run, why), style) + table_of_loads(run, why.loads, style);
  if (why.loads.estimated && why.loads.of(LoadTerm::order).loads > 0) {
    text += "sizes differ: order is at most, eviction at least what is said\n\n";
  }
  return text + table_of_items(run, why.loads, style) + table_of_nodes(run, why, style) +
         table_of_time(why, style) +
         table_of_path(why.path, run.record.makespan_s.value_or(0), style) +
         table_of_what_if(run, why, style);
}

std::string text_of_both(const ExplainedAnswer& a, const ExplainedAnswer& b,
                         const TableStyle& style) {
  const std::string& one = a.run.record.strategy;
  const std::string& other = b.run.record.strategy;
  TextRows rows{{"loads", one, other, "difference"}};
  const auto add = [&](const std::string& name, std::uint64_t here, std::uint64_t there) {
    if (here + there == 0) return;
    rows.push_back(
        {name, fmt::format("{}", here), fmt::format("{}", there),
         fmt::format("{:+}", static_cast<std::int64_t>(here) - static_cast<std::int64_t>(there))});
  };
  for (std::size_t k = 0; k < load_terms; ++k) {
    const auto term = static_cast<LoadTerm>(k);
    add(term_name(term), a.why.loads.of(term).loads, b.why.loads.of(term).loads);
  }
  add("all", a.why.loads.total().loads, b.why.loads.total().loads);
  return fmt::format("{} beside {}\n\n", one, other) +
         sentences(findings(a.run, b.run, difference(a.run, b.run)), style) + aligned(rows, style);
}

}  // namespace

std::string explanation_text(const std::vector<ExplainedAnswer>& answers, const TableStyle& style) {
  TableStyle own = style;
  if (own.width == 0) own.width = 80;
  const Record& first = answers.front().run.record;
  std::string text = fmt::format("{}, {}: {}, {}, {}\n", first.workload, first.platform,
                                 counted(first.tasks.value_or(0), "task"),
                                 counted(first.data.value_or(0), "data item"),
                                 counted(first.processors.value_or(0), "processor"));
  if (!first.kernel_times.empty()) {
    text += fmt::format("kernel times: {}\n", measured_kernels_in_words(first.kernel_times));
  }
  for (const ExplainedAnswer& answer : answers) {
    const std::string times = words_on_times(answer.run.record, answer.run.measured);
    if (!times.empty()) text += times + "\n";
  }
  text = wrapped(text + "\n", own);
  for (const ExplainedAnswer& answer : answers) text += text_of_run(answer, own);
  if (answers.size() == 2) text += text_of_both(answers[0], answers[1], own);
  text.erase(text.find_last_not_of('\n') + 1);
  return text + "\n";
}

}  // namespace damocles
