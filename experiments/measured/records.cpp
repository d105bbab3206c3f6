#include "experiments/measured/records.hpp"

#include <map>

#include "experiments/measured/counterpart.hpp"
#include "experiments/studies/rows.hpp"
#include "models/platforms/scenario.hpp"
#include "models/workload.hpp"

namespace damocles {
namespace {

Record record_of_point(const Measurement& point, const Counterpart& how, const Workload& workload) {
  const auto& graph = workload.graph();
  Record record;
  record.source = "measured";
  record.strategy = how.curve;
  record.workload = how.workloads.front();
  record.platform = how.platform;
  record.processors = point.gpus;
  record.tasks = workload.tasks();
  record.data = workload.data();
  record.makespan_s = point.time_ms / 1000;
  record.flops = graph.total_flops();
  if (how.has_rate) record.gflops = point.gflops;
  record.status = {Status::Kind::ok};
  if (!point.loads()) return record;
  const auto platform = Scenario::parse(how.platform).draw(1, 0);
  set_volume(record, *point.loads(), volume_bounds(workload, platform));
  if (const auto bytes = graph.uniform_bytes()) {
    record.bytes_loaded = *point.loads() * static_cast<double>(*bytes);
  }
  return record;
}

}  // namespace

std::vector<Record> measured_records(const std::string& figure) {
  const auto session = [&] {
    for (const char* const run : {"published", "2022-02 check"}) {
      if (!measured_strategies(figure, run).empty()) return std::string_view(run);
    }
    return std::string_view();
  }();
  std::vector<Record> records;
  std::map<std::string, Workload> workloads;  // each is written out once
  for (const auto& point : measurements()) {
    if (point.figure != figure || point.run != session) continue;
    const auto how = counterpart(point, 1);
    if (!how.absent.empty()) continue;
    const auto& text = how.workloads.front();
    const auto at = workloads.try_emplace(text, Workload::parse(text)).first;
    records.push_back(record_of_point(point, how, at->second));
  }
  return records;
}

}  // namespace damocles
