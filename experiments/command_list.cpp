#include <fmt/format.h>

#include <memory>

#include "experiments/claims.hpp"
#include "experiments/command.hpp"
#include "experiments/tables.hpp"
#include "gpu/cuda_device.hpp"
#include "gpu/host_kernels.hpp"
#include "models/error.hpp"
#include "ode/model.hpp"
#include "strategies/eviction.hpp"
#include "strategies/registry.hpp"

namespace damocles {
namespace {

using Rows = std::vector<std::vector<std::string>>;

Rows strategy_rows() {
  Rows rows{{"strategy", "what it does", "options", "the paper's names", "source"}};
  for (const auto& entry : strategies()) {
    std::string options;
    for (const auto& option : entry.options) options += (options.empty() ? "" : ", ") + option[0];
    std::string names = entry.paper_names[0];
    if (!entry.paper_names[1].empty()) names += ", " + entry.paper_names[1];
    rows.push_back({entry.name, entry.summary, options, names, entry.source});
  }
  return rows;
}

Rows form_rows(const std::string& what, const std::vector<std::array<std::string, 2>>& forms) {
  Rows rows{{what, "what it is"}};
  for (const auto& form : forms) rows.push_back({form[0], form[1]});
  return rows;
}

Rows model_rows() {
  Rows rows{{"model", "what it is"}};
  for (const auto& model : models()) rows.push_back({model.name, model.summary});
  return rows;
}

Rows eviction_rows() {
  Rows rows{{"eviction", "what it does", "source"}};
  for (const auto& entry : evictions()) rows.push_back({entry.name, entry.summary, entry.source});
  return rows;
}

Rows claim_rows() {
  Rows rows{{"claim", "setting", "what the paper says"}};
  for (const auto& claim : claims()) rows.push_back({claim.id, claim.setting, claim.statement});
  return rows;
}

Rows sentence_rows() {
  Rows rows{{"claim", "weight", "section", "sentence"}};
  for (const auto& claim : claims()) {
    for (const auto& sentence : claim.sentences)
      rows.push_back({claim.id, to_string(sentence.weight), sentence.place, sentence.text});
  }
  return rows;
}

Rows backend_rows() {
  return {
      {"backend", "what it is"},
      {"host", "host threads; products by " + host_kernel_library()},
      {"cuda", cuda_was_built() ? "CUDA GPUs, products by cuBLAS"
                                : "CUDA GPUs; not in this build: configure with --preset cuda"}};
}

struct Topic {
  std::string name;
  Rows (*rows)();
  bool unasked = true;  ///< whether it is shown where no topic is named
};

const std::vector<Topic>& topics() {
  static const std::vector<Topic> all{
      {"strategies", strategy_rows},
      {"workloads", [] { return form_rows("workload", Workload::forms()); }},
      {"platforms", [] { return form_rows("platform", Scenario::forms()); }},
      {"evictions", eviction_rows},
      {"models", model_rows},
      {"backends", backend_rows},
      {"claims", claim_rows},
      {"sentences", sentence_rows, false},
  };
  return all;
}

void list(const std::string& chosen, bool as_markdown) {
  std::vector<std::string> names;
  for (const auto& topic : topics()) names.push_back(topic.name);
  bool first = true;
  for (const auto& topic : topics()) {
    if (chosen.empty() ? !topic.unasked : topic.name != chosen) continue;
    if (!first) fmt::print("\n");
    first = false;
    fmt::print("{}", as_markdown ? markdown_table(topic.rows()) : aligned(topic.rows()));
  }
  if (first) refuse_unknown("list", chosen, names);
}

}  // namespace

void add_list_command(Command program) {
  struct Options {
    std::string topic;
    bool markdown = false;
  };
  const auto options = std::make_shared<Options>();
  Command command = program.add(
      "list",
      "Show what there is: strategies, workloads, platforms, evictions, models, backends, "
      "claims, sentences of claims");
  command.optional_argument(
      "TOPIC", options->topic,
      "strategies | workloads | platforms | evictions | models | backends | claims | sentences "
      "(default: all but sentences)");
  command.flag("--markdown", options->markdown, "as Markdown tables");
  command.footer("EXAMPLES\n  damocles list strategies\n  damocles list claims\n");
  command.runs([options] { list(options->topic, options->markdown); });
}

}  // namespace damocles
