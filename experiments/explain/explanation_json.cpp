#include <nlohmann/json.hpp>

#include "experiments/explain/explanation_output.hpp"
#include "experiments/explain/findings.hpp"
#include "experiments/results/formats.hpp"
#include "experiments/results/stated_digest.hpp"

namespace damocles {
namespace {

using Json = nlohmann::ordered_json;

Json json_of_loads(const ExplainedRun& run, const LoadExplanation& loads) {
  Json terms = Json::object();
  for (std::size_t k = 0; k < load_terms; ++k) {
    const TermLoads& own = loads.terms.at(k);
    terms[std::string(load_term_names.at(k))] = {
        {"loads", own.loads}, {"bytes", own.bytes}, {"meaning", meaning(static_cast<LoadTerm>(k))}};
  }
  Json reloaded = Json::array();
  for (const ReloadedItem& item : loads.reloaded) {
    reloaded.push_back({{"data", raw(item.data)},
                        {"name", run.workload.data_name(item.data)},
                        {"reloads", item.reloads}});
  }
  Json json{
      {"loads", loads.total().loads}, {"bytes", loads.total().bytes}, {"terms", terms},
      {"estimated", loads.estimated}, {"reloaded", reloaded},         {"first_reload_s", nullptr}};
  if (loads.first_reload_s) json["first_reload_s"] = *loads.first_reload_s;
  if (loads.pair) {
    json["evict_each_other"] = {{"first", run.workload.data_name(loads.pair->first)},
                                {"second", run.workload.data_name(loads.pair->second)},
                                {"times", loads.pair->times}};
  }
  return json;
}

Json json_of_idle(const ExplainedRun& run, const Explanation& why) {
  Json all = Json::array();
  for (std::size_t p = 0; p < why.idle.size(); ++p) {
    Json reasons = Json::object();
    for (std::size_t k = 0; k < idle_reasons; ++k) {
      reasons[std::string(idle_reason_names.at(k))] = why.idle[p].at(k);
    }
    all.push_back({{"processor", run.platform.name(p)}, {"idle_s", reasons}});
  }
  return all;
}

Json json_of_path(const ExplainedRun& run, const CriticalPath& path) {
  static constexpr std::array kinds{"task", "task on core", "transfer", "write-back"};
  Json links = Json::array();
  for (const PathLink& link : path.links) {
    const bool task =
        link.kind == PathLink::Kind::task || link.kind == PathLink::Kind::task_on_core;
    links.push_back({{"kind", kinds.at(static_cast<std::size_t>(link.kind))},
                     {"start_s", link.start_s},
                     {"end_s", link.end_s},
                     {"processor", run.platform.name(link.processor)},
                     {"name", task ? run.workload.task_name(TaskId{link.id})
                                   : run.workload.data_name(DataId{link.id})}});
  }
  return {{"task_s", path.task_s},
          {"task_on_core_s", path.task_on_core_s},
          {"transfer_s", path.transfer_s},
          {"write_back_s", path.write_back_s},
          {"waiting_s", path.waiting_s},
          {"end_s", path.end_s},
          {"links", links}};
}

Json json_of_nodes(const ExplainedRun& run, const Explanation& why) {
  Json nodes = Json::array();
  for (const NodeTraffic& node : why.nodes) {
    nodes.push_back({{"processor", run.platform.name(node.processor)},
                     {"required_bytes", node.required},
                     {"from_host_bytes", node.from_host},
                     {"from_peers_bytes", node.from_peers},
                     {"to_host_bytes", node.to_host}});
  }
  return nodes;
}

Json json_of_run(const ExplainedAnswer& answer) {
  const auto& [run, why] = answer;
  Json what_if = Json::array();
  for (const WhatIf& one : why.what_if) {
    what_if.push_back(
        {{"change", one.change}, {"makespan_s", one.makespan_s}, {"loads", one.loads}});
  }
  Json json{{"strategy", run.record.strategy},
            {"workload", run.record.workload},
            {"platform", run.record.platform},
            {"kernel_times", run.record.kernel_times},
            {"seed", run.record.seed.value_or(0)},
            {"replicate", run.record.replicate.value_or(0)},
            {"lower_bound", run.record.lower_bound.value_or(0)},
            {"makespan_s", run.record.makespan_s.value_or(0)},
            {"times", run.measured ? "measured" : "simulated"},
            {"findings", findings(run, why)}};
  json["loads"] = json_of_loads(run, why.loads);
  json["memory_nodes"] = json_of_nodes(run, why);
  json["processors"] = json_of_idle(run, why);
  json["critical_path"] = json_of_path(run, why.path);
  json["what_if"] = what_if;
  json["not_tried"] = nullptr;
  if (!why.not_tried.empty()) json["not_tried"] = why.not_tried;
  return json;
}

}  // namespace

nlohmann::ordered_json explanation_object(const std::vector<ExplainedAnswer>& answers) {
  Json runs = Json::array();
  for (const ExplainedAnswer& answer : answers) runs.push_back(json_of_run(answer));
  Json json{{"damocles", "explanation"}, {"runs", runs}};
  if (answers.size() == 2) {
    const Difference apart = difference(answers[0].run, answers[1].run);
    json["difference"] = {{"findings", findings(answers[0].run, answers[1].run, apart)},
                          {"first_decision", nullptr},
                          {"loads_by_tenth", apart.loads_by_tenth}};
    if (apart.first) json["difference"]["first_decision"] = *apart.first;
  }
  return json;
}

std::string explanation_json(const std::vector<ExplainedAnswer>& answers) {
  return with_digest(json_text(explanation_object(answers)));
}

}  // namespace damocles
