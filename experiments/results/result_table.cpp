#include "experiments/results/result_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "models/error.hpp"
#include "models/platforms/gpus.hpp"
#include "models/platforms/measured_kernels.hpp"
#include "models/quantity.hpp"

namespace damocles {
namespace {

using Names = std::vector<std::string_view>;
using Rows = std::vector<std::vector<std::string>>;

constexpr std::size_t screen_width = 80;  ///< columns where nothing tells

const Column& column_named(std::string_view name) {
  const auto found = std::find_if(columns().begin(), columns().end(),
                                  [&](const Column& one) { return one.name == name; });
  if (found != columns().end()) return *found;
  std::vector<std::string> names;
  for (const Column& one : columns()) names.emplace_back(one.name);
  refuse_unknown("column", name, names);
}

std::optional<double> number_in(const Record& record, const Column& column) {
  if (const auto* const real = std::get_if<Record::Real Record::*>(&column.member)) {
    return record.*(*real);
  }
  const auto& count = record.*std::get<Record::Count Record::*>(column.member);
  return count ? std::optional(static_cast<double>(*count)) : std::nullopt;
}

bool is_number(const Column& column) {
  return std::holds_alternative<Record::Real Record::*>(column.member) ||
         std::holds_alternative<Record::Count Record::*>(column.member);
}

/// For eyes: six digits.
std::string short_cell(const Record& record, const Column& column) {
  const auto* const real = std::get_if<Record::Real Record::*>(&column.member);
  if (real == nullptr || !(record.*(*real))) return cell(record, column);
  return fmt::format("{:.6g}", *(record.*(*real)));
}

/// Whether the column has one text, which is not empty, in all records of results.
bool is_shared(const std::vector<Record>& records, const Column& column) {
  std::optional<std::string> shared;
  for (const Record& record : records) {
    if (record.status.kind == Status::Kind::failed) continue;
    std::string text = short_cell(record, column);
    if (text.empty() || text != shared.value_or(text)) return false;
    shared = std::move(text);
  }
  return shared.has_value();
}

/// The columns of a table in which not all says the same; what decides stands first.
Names shown_columns(const std::vector<Record>& records, std::string_view decides) {
  Names names{"strategy", "source", "model", "replicate", "beta"};
  const Names of_time{"makespan_s", "makespan_ratio", "gflops"};
  const Names of_volume{"loads", "lower_bound", "balanced_bound", "volume_ratio", "sd", "ci95"};
  for (const Names& group :
       decides == "makespan_s" ? std::array{of_time, of_volume} : std::array{of_volume, of_time}) {
    names.insert(names.end(), group.begin(), group.end());
  }
  for (const std::string_view name :
       {"planned_makespan_s", "energy_j", "scheduling_s", "eviction", "n", "domain", "status"}) {
    names.push_back(name);
  }
  const Status ok{Status::Kind::ok};
  std::erase_if(names, [&](std::string_view name) {
    if (name == "status") {
      return std::all_of(records.begin(), records.end(),
                         [&](const Record& one) { return one.status == ok; });
    }
    if (name == "domain") {
      return std::none_of(records.begin(), records.end(),
                          [](const Record& one) { return one.domain.starts_with("outside"); });
    }
    if (name == "makespan_s") {  // where nothing takes time it is in units of nothing
      return std::none_of(records.begin(), records.end(), [](const Record& one) {
        return one.makespan_ratio || one.source == "executed";
      });
    }
    constexpr std::array<std::string_view, 5> told_once{"lower_bound", "balanced_bound", "n",
                                                        "source", "replicate"};
    return std::find(told_once.begin(), told_once.end(), name) != told_once.end() &&
           is_shared(records, column_named(name));
  });
  return names;
}

/// Whether the runs hardly differ: by less than 0.01 % in time and in loads.
bool hardly_differ(const Record& a, const Record& b) {
  const auto near = [](const std::optional<double>& x, const std::optional<double>& y) {
    if (!x || !y) return x == y;
    return std::abs(*x - *y) <= 1e-4 * std::max(std::abs(*x), std::abs(*y));
  };
  return a.status == b.status && near(a.makespan_s, b.makespan_s) && near(a.loads, b.loads) &&
         near(a.bytes_loaded, b.bytes_loaded) && near(a.energy_j, b.energy_j);
}

/// "1.0 % above", "2.35 times".
std::string above(double ratio, std::string_view bound) {
  if (ratio >= 2) return fmt::format("{:.3g} times {}", ratio, bound);
  if (ratio < 1.0005) return fmt::format("at {}", bound);
  return fmt::format("{:.1f} % above {}", 100 * (ratio - 1), bound);
}

}  // namespace

bool greatest_first(std::string_view column) {
  return column == "gflops" || column == "busy_fraction";
}

namespace {

/// "8 processors", and of which memory where the platform leaves that to its preset.
std::string processors_of(const std::vector<Record>& records, const Record& first) {
  const std::string gpus =
      is_shared(records, column_named("platform")) ? preset_memory_in_words(first.platform) : "";
  std::string all = counted(*first.processors, "processor");
  if (gpus.empty()) return all;
  return gpus.starts_with(fmt::format("{} ", *first.processors)) ? gpus : all + ": " + gpus;
}

/// Where the rows that have a time took those of their tasks from, if all from there.
std::string shared_kernel_times(const std::vector<Record>& records) {
  std::optional<std::string> shared;
  for (const Record& record : records) {
    if (!record.makespan_s || record.status.kind == Status::Kind::failed) continue;
    if (shared.value_or(record.kernel_times) != record.kernel_times) return "";
    shared = record.kernel_times;
  }
  return shared.value_or("");
}

}  // namespace

std::string heading_of(const std::vector<Record>& records, const std::string& order) {
  const auto ran = std::find_if(records.begin(), records.end(), [](const Record& one) {
    return one.status.kind != Status::Kind::failed;
  });
  const Record& first = ran != records.end() ? *ran : records.front();
  const auto shared = [&](std::string_view name) { return is_shared(records, column_named(name)); };
  std::string text;
  if (first.tasks && first.data && first.processors) {
    text = fmt::format("{}, {}, {}", counted(*first.tasks, "task"),
                       counted(*first.data, "data item"), processors_of(records, first));
  }
  std::string bounds;
  // Of two bounds the one by which volume_ratio is normalised.
  if (shared("lower_bound") && *first.lower_bound > 0 && !first.balanced_bound) {
    bounds += fmt::format("{:.6g} loads", *first.lower_bound);
  }
  if (shared("makespan_lower_bound_s")) {
    bounds += fmt::format("{}{:.6g} s", bounds.empty() ? "" : ", ", *first.makespan_lower_bound_s);
  }
  if (!bounds.empty()) {
    text += fmt::format("; lower bound{}: {}", bounds.find(',') < bounds.size() ? "s" : "", bounds);
  }
  if (shared("balanced_bound")) {
    text += fmt::format("; balanced bound: {:.6g} loads", *first.balanced_bound);
  }
  const std::string times = shared_kernel_times(records);
  if (!times.empty()) text += "\nkernel times: " + measured_kernels_in_words(times);
  if (shared("n") && *first.n > 1) text += fmt::format("\nmeans of {} runs", *first.n);
  if (!order.empty()) text += (shared("n") && *first.n > 1 ? ", " : "\n") + order;
  return text.empty() ? text : text + "\n\n";
}

std::string fold(std::vector<Record>& records, const std::vector<std::string>& usual) {
  std::string lines;
  for (std::size_t first = 0; first < records.size(); ++first) {
    const auto begin = records.begin() + static_cast<std::ptrdiff_t>(first);
    const auto end = std::find_if_not(
        begin, records.end(), [&](const Record& one) { return hardly_differ(*begin, one); });
    if (end - begin < 2) continue;
    const auto known = std::find_if(begin, end, [&](const Record& one) {
      return std::find(usual.begin(), usual.end(), one.strategy) != usual.end();
    });
    if (known != end) std::rotate(begin, known, known + 1);
    std::vector<std::string> others;
    for (auto other = begin + 1; other != end; ++other) others.push_back(other->strategy);
    lines += fmt::format("{0} (+{1}): also {2}\n", begin->strategy, others.size(),
                         fmt::join(others, ", "));
    begin->strategy += fmt::format(" (+{})", others.size());
    records.erase(begin + 1, end);
  }
  return wrapped(lines, {.width = screen_width});
}

void check_columns(const TableChoice& choice) {
  for (const std::string& name : choice.columns) (void)column_named(name);
  if (choice.sort.empty() || is_number(column_named(choice.sort))) return;
  throw InvalidInput(fmt::format(
      "--sort {}: this column holds words; give one of numbers, as makespan_s", choice.sort));
}

std::string_view deciding_column(const std::vector<Record>& records) {
  const auto all = [&](auto&& has) { return std::all_of(records.begin(), records.end(), has); };
  const auto failed = [](const Record& one) { return one.status.kind == Status::Kind::failed; };
  if (all([](const Record& one) { return one.source == "simulated"; })) {
    const bool timed = all(
        [&](const Record& one) { return failed(one) || one.makespan_lower_bound_s.has_value(); });
    return timed ? "makespan_s" : "loads";
  }
  if (all([](const Record& one) { return one.source == "executed" && one.bytes_loaded; })) {
    return "bytes_loaded";
  }
  return "";
}

std::string order_in_words(std::string_view column) {
  if (column.empty()) return "";
  if (column == "makespan_s") return "fastest first";
  if (column == "loads") return "fewest loads first";
  if (column == "bytes_loaded") return "fewest bytes loaded first";
  return fmt::format("sorted by {}, {} first", column,
                     greatest_first(column) ? "greatest" : "least");
}

void rank(std::vector<Record>& records, std::string_view column) {
  if (column.empty()) return;
  const Column& by = column_named(column);
  const auto key = [&](const Record& record) {
    const auto value =
        record.status.kind == Status::Kind::failed ? std::nullopt : number_in(record, by);
    if (!value) return std::numeric_limits<double>::infinity();
    return greatest_first(column) ? -*value : *value;
  };
  const Column& then = column_named(column == "makespan_s" ? "loads" : "makespan_s");
  std::stable_sort(records.begin(), records.end(), [&](const Record& a, const Record& b) {
    if (key(a) != key(b)) return key(a) < key(b);
    return number_in(a, then) < number_in(b, then);
  });
}

namespace {

/// The first and all that have its value: "a", "a and b", "a and 2 more", of which the table shows
/// the first `shown` rows.
std::string names_of_best(const std::vector<Record>& ranked, const Column& by, std::size_t shown) {
  const auto best = number_in(ranked.front(), by);
  const auto end = std::find_if(ranked.begin(), ranked.end(),
                                [&](const Record& one) { return number_in(one, by) != best; });
  const auto others = end - ranked.begin() - 1;
  if (others == 0) return ranked.front().strategy;
  return ranked.front().strategy + (others == 1 && shown > 1 ? " and " + ranked[1].strategy
                                                             : fmt::format(" and {} more", others));
}

/// "; eager takes 2.3 times as long", of what a user has who does not choose: StarPU's default, or
/// any order; "" where the table shows none of these in its first rows, or where it is as good.
std::string usual_beside_best(const std::vector<Record>& ranked, const Column& by, bool timed,
                              std::size_t shown) {
  const double best = *number_in(ranked.front(), by);
  const auto end = ranked.begin() + static_cast<std::ptrdiff_t>(std::min(shown, ranked.size()));
  for (const std::string_view usual : {"lws", "eager", "random"}) {
    const auto found = std::find_if(ranked.begin(), end, [&](const Record& one) {
      return one.strategy == usual || one.strategy.starts_with(fmt::format("{} (+", usual));
    });
    if (found == end) continue;
    const auto value = number_in(*found, by);
    if (!value || *value <= 0 || best <= 0 || *value == best) continue;
    if (*value / best < 1.005) return "";
    return fmt::format("; {} {} {:.3g} times as {}", usual, timed ? "takes" : "loads",
                       *value / best, timed ? "long" : "much");
  }
  return "";
}

}  // namespace

std::string best_line(const std::vector<Record>& ranked, std::string_view column,
                      std::size_t shown) {
  const bool timed = column == "makespan_s";
  const bool is_alone =
      ranked.size() == 1 && ranked.front().strategy.find(" (+") == std::string::npos;
  if (ranked.empty() || is_alone || (!timed && column != "loads")) return "";
  const Column& by = column_named(column);
  const Record& first = ranked.front();
  if (!number_in(first, by) || first.status.kind == Status::Kind::failed) return "";
  std::string line = "best: " + names_of_best(ranked, by, shown);
  if (const auto ratio = timed ? first.makespan_ratio : first.volume_ratio) {
    const std::string_view of_loads =
        first.balanced_bound ? "the balanced bound" : "the lower bound";
    line += ", " + above(*ratio, timed ? "the lower bound on time" : of_loads);
  }
  return line + usual_beside_best(ranked, by, timed, shown) + "\n";
}

std::size_t shown_rows(const TableChoice& choice) {
  return choice.top > 0 ? choice.top : std::numeric_limits<std::size_t>::max();
}

void keep_first_rows(ResultTable& table, std::size_t most) {
  const std::size_t rows = table.cells.size() - 1;
  if (most == 0 || most >= rows) return;
  table.cells.resize(most + 1);
  table.closing += fmt::format("the first {} of {} rows (--top)\n", most, rows);
}

ResultTable result_table(std::vector<Record> records, const TableChoice& choice) {
  check_columns(choice);
  const std::string_view decides = deciding_column(records);
  const std::string_view by = choice.sort.empty() ? decides : std::string_view(choice.sort);
  rank(records, by);
  ResultTable table;
  table.heading = heading_of(records, records.size() > 1 ? order_in_words(by) : "");
  const std::string folded = choice.fold && !by.empty() ? fold(records, choice.usual) : "";
  if (by == decides) table.closing = best_line(records, by, shown_rows(choice));
  table.closing += folded;
  Names names(choice.columns.begin(), choice.columns.end());
  if (names.empty()) names = shown_columns(records, decides);
  table.cells.emplace_back(names.begin(), names.end());
  for (const Record& record : records) {
    auto& row = table.cells.emplace_back();
    for (const std::string_view name : names) row.push_back(short_cell(record, column_named(name)));
  }
  if (choice.columns.empty()) drop_blank_columns(table.cells);
  keep_first_rows(table, choice.top);
  return table;
}

std::string table_text(const ResultTable& table, const TableChoice& choice, const TableStyle& style,
                       std::span<const std::string_view> first_out) {
  Rows cells = table.cells;
  std::string closing = table.closing;
  if (!choice.wide && choice.columns.empty()) {
    const auto left_out = fit(cells, style.width > 0 ? style.width : screen_width, first_out);
    if (!left_out.empty()) {
      closing += fmt::format("--wide also shows {}\n", fmt::join(left_out, ", "));
    }
  }
  return wrapped(table.heading, style) + aligned(cells, style) +
         (closing.empty() ? "" : "\n" + wrapped(closing, style));
}

}  // namespace damocles
