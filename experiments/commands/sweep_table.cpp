#include "experiments/commands/sweep_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "experiments/results/result_table.hpp"
#include "experiments/results/tables.hpp"
#include "experiments/studies/summary.hpp"
#include "models/quantity.hpp"

namespace damocles {
namespace {

/// The column by which the strategies of each setting are ranked.
std::string ranking_column(const std::vector<Record>& records) {
  std::vector<Record> right;
  std::copy_if(records.begin(), records.end(), std::back_inserter(right),
               [](const Record& one) { return one.status.kind == Status::Kind::ok; });
  return right.empty() ? "" : std::string(deciding_column(right));
}

/// What a table of a sweep shows of each strategy.
std::vector<std::string> columns_of_sweep(bool predicted, bool timed,
                                          const std::vector<Record>& records) {
  std::vector<std::string> names{"strategy"};
  const auto add = [&](const std::vector<std::string>& more) {
    names.insert(names.end(), more.begin(), more.end());
  };
  if (predicted) add({"source", "model"});
  if (timed) add({"makespan_s", "makespan_ratio", "gflops"});
  add({"loads", "volume_ratio"});
  const auto ok = [](const Record& one) { return one.status.kind == Status::Kind::ok; };
  if (!std::all_of(records.begin(), records.end(), ok)) add({"status"});
  return names;
}

}  // namespace

std::string sweep_table(const SweepRequest& request, const std::vector<SweepPoint>& points,
                        const std::vector<Record>& records, Format format) {
  TableChoice choice{.sort = ranking_column(records)};
  choice.columns = columns_of_sweep(!request.models.empty(), choice.sort == "makespan_s", records);
  ResultTable table;
  auto& head = table.cells.emplace_back(request.varied);
  head.insert(head.end(), choice.columns.begin(), choice.columns.end());
  auto from = records.begin();
  for (const SweepPoint& point : points) {
    const auto to = from + static_cast<std::ptrdiff_t>(point.rows);
    const auto cells = result_table(summarise({from, to}), choice).cells;
    for (auto row = cells.begin() + 1; row != cells.end(); ++row) {
      auto& ours = table.cells.emplace_back();
      for (const auto& name : request.varied) ours.push_back(point.values.at(name));
      ours.insert(ours.end(), row->begin(), row->end());
    }
    from = to;
  }
  drop_blank_columns(table.cells);
  if (format == Format::markdown) return markdown_table(table.cells);
  if (format == Format::latex) return latex_table(table.cells);
  const std::string order = order_in_words(choice.sort);
  const std::string runs =
      request.precision ? fmt::format("as many runs as {:.6g} % need", 100 * *request.precision)
                        : counted(request.replicates, "run");
  table.heading = fmt::format("{}, means of {}{}\n\n", counted(points.size(), "setting"), runs,
                              order.empty() ? "" : "; of each setting the " + order);
  table.closing = "-o FILE.csv writes every run\n";
  return table_text(table, {.wide = true}, style_for({}));
}

}  // namespace damocles
