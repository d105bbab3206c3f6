// Reads WfCommons' WfFormat: workflows as JSON, with their files and what each task took.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <unordered_map>

#include "models/error.hpp"
#include "models/graph_files/graph_files.hpp"
#include "models/graph_files/graph_text.hpp"
#include "models/graph_files/json_text.hpp"
#include "models/platforms/gpu_presets.hpp"

namespace damocles {
namespace {

using Json = nlohmann::json;
using Index = TaskGraph::Index;

constexpr std::array<std::string_view, 4> known_schemas{"1.3", "1.4", "1.5", "1.6"};

struct WorkflowTask {
  std::string id;
  std::string name;
  std::string kind;
  std::optional<double> runtime_s{};
  double cores = 1;  ///< that it ran on
  std::vector<std::string> parents{};
  std::vector<std::string> children{};
  std::map<std::string, Access> files{};  ///< by name
};

/// One workflow: first all that the file says, then the graph of it.
class WorkflowReader {
 public:
  WorkflowReader(std::string file, const GraphDefaults& defaults)
      : file_(std::move(file)), defaults_(defaults) {}

  TaskGraph read(std::istream& in);

 private:
  [[nodiscard]] Json parsed(std::istream& in) const;
  [[noreturn]] void refuse(std::string_view why) const { refuse_file(file_, 0, why); }
  void check_schema(const Json& root) const;

  /// The member of an object; nothing where it is not there, or null.
  [[nodiscard]] static const Json* member(const Json& object, const char* key);
  [[nodiscard]] const Json& object(const Json& of, const char* key) const;
  /// The items of a list, each an object; of none, where it is not there.
  [[nodiscard]] std::vector<const Json*> objects(const Json& of, const char* key) const;
  [[nodiscard]] std::vector<std::string> words(const Json& of, const char* key) const;
  [[nodiscard]] std::string word(const Json& of, const char* key) const;
  /// 0 or more, up to `most`.
  [[nodiscard]] std::optional<double> number(const Json& of, const char* key, double most) const;

  /// 1.5 and later: what is to be done apart from what was done.
  void read_specification(const Json& workflow);
  void read_execution(const Json& execution);
  /// 1.3 and 1.4: all in the task.
  void read_old_task(const Json& one);
  void add_task(WorkflowTask task);
  void add_file(const std::string& name, std::optional<double> bytes);
  static void access(WorkflowTask& task, const std::string& name, Access how);

  [[nodiscard]] Index task_of(const std::string& name, const WorkflowTask& asking) const;
  void add_waits(TaskGraph::Parts& parts) const;
  [[nodiscard]] double flops_of(const WorkflowTask& task) const;
  [[nodiscard]] TaskGraph graph();
  void note() const;

  std::string file_;
  GraphDefaults defaults_;
  std::vector<WorkflowTask> tasks_;
  std::unordered_map<std::string, Index> by_id_;
  std::unordered_map<std::string, std::vector<Index>> by_name_;
  std::map<std::string, std::uint64_t> bytes_;  // of files
};

Json WorkflowReader::parsed(std::istream& in) const {
  constexpr int most_deep = 32;
  const auto check_depth = [&](int depth, Json::parse_event_t, Json&) {
    if (depth > most_deep) refuse(fmt::format("lists and objects more than {} deep", most_deep));
    return true;
  };
  try {
    return Json::parse(in, check_depth);
  } catch (const Json::exception& error) {
    refuse(json_fault(error.what(), true));
  }
}

const Json* WorkflowReader::member(const Json& object, const char* key) {
  const auto at = object.find(key);
  return at == object.end() || at->is_null() ? nullptr : &*at;
}

const Json& WorkflowReader::object(const Json& of, const char* key) const {
  const Json* const found = member(of, key);
  if (found != nullptr && found->is_object()) return *found;
  refuse(fmt::format("'{}' is {}; write an object, as WfFormat has it", key,
                     found == nullptr ? "missing" : "no object"));
}

std::vector<const Json*> WorkflowReader::objects(const Json& of, const char* key) const {
  std::vector<const Json*> result;
  const Json* const list = member(of, key);
  if (list == nullptr) return result;
  if (!list->is_array()) refuse(fmt::format("'{}' is no list; write [...]", key));
  for (const Json& item : *list) {
    if (!item.is_object()) refuse(fmt::format("an item of '{}' is no object; write {{...}}", key));
    result.push_back(&item);
  }
  return result;
}

std::vector<std::string> WorkflowReader::words(const Json& of, const char* key) const {
  std::vector<std::string> result;
  const Json* const list = member(of, key);
  if (list == nullptr) return result;
  if (!list->is_array()) refuse(fmt::format("'{}' is no list; write [...]", key));
  for (const Json& item : *list) {
    if (!item.is_string()) refuse(fmt::format("an item of '{}' is no string; write names", key));
    result.push_back(item.get<std::string>());
  }
  return result;
}

std::string WorkflowReader::word(const Json& of, const char* key) const {
  const Json* const found = member(of, key);
  if (found == nullptr) return "";
  if (!found->is_string()) refuse(fmt::format("a '{}' is no string; write one", key));
  return found->get<std::string>();
}

std::optional<double> WorkflowReader::number(const Json& of, const char* key, double most) const {
  const Json* const found = member(of, key);
  if (found == nullptr) return std::nullopt;
  const bool right =
      found->is_number() && found->get<double>() >= 0 && found->get<double>() <= most;
  if (!right) {
    refuse(fmt::format("a '{}' is {}; write a number from 0 to {:g}", key,
                       shown(found->dump(-1, ' ', true)), most));
  }
  return found->get<double>();
}

void WorkflowReader::check_schema(const Json& root) const {
  const std::string version = word(root, "schemaVersion");
  if (std::find(known_schemas.begin(), known_schemas.end(), version) != known_schemas.end()) return;
  refuse(fmt::format("schemaVersion '{}' of WfFormat is not read; give one of {}", shown(version),
                     fmt::join(known_schemas, ", ")));
}

void WorkflowReader::add_file(const std::string& name, std::optional<double> bytes) {
  const auto [known, is_new] = bytes_.try_emplace(name, 0);
  const std::uint64_t size = bytes    ? static_cast<std::uint64_t>(*bytes)
                             : is_new ? defaults_.bytes()
                                      : 0;
  known->second = std::max(known->second, size);
}

void WorkflowReader::access(WorkflowTask& task, const std::string& name, Access how) {
  const auto [at, is_new] = task.files.try_emplace(name, how);
  if (!is_new && at->second != how) at->second = Access::read_write;
}

void WorkflowReader::add_task(WorkflowTask task) {
  if (task.id.empty()) task.id = task.name;
  if (task.name.empty()) task.name = task.id;
  if (task.id.empty()) refuse("a task without id; write \"id\" and a name");
  const auto index = static_cast<Index>(tasks_.size());
  if (!by_id_.emplace(task.id, index).second) {
    refuse(fmt::format("task '{}' is there twice; write each id once", shown(task.id)));
  }
  by_name_[task.name].push_back(index);
  tasks_.push_back(std::move(task));
}

void WorkflowReader::read_specification(const Json& workflow) {
  const Json& specification = object(workflow, "specification");
  for (const Json* const file : objects(specification, "files")) {
    add_file(word(*file, "id"), number(*file, "sizeInBytes", static_cast<double>(most_bytes)));
  }
  for (const Json* const one : objects(specification, "tasks")) {
    WorkflowTask task{.id = word(*one, "id"), .name = word(*one, "name"), .kind = {}};
    task.parents = words(*one, "parents");
    task.children = words(*one, "children");
    for (const auto& [key, how] :
         {std::pair("inputFiles", Access::read), std::pair("outputFiles", Access::write)}) {
      for (const std::string& name : words(*one, key)) {
        if (!bytes_.contains(name)) add_file(name, std::nullopt);
        access(task, name, how);
      }
    }
    add_task(std::move(task));
  }
}

void WorkflowReader::read_execution(const Json& execution) {
  for (const Json* const one : objects(execution, "tasks")) {
    const std::string id = word(*one, "id");
    const auto at = by_id_.find(id);
    if (at == by_id_.end()) {
      refuse(
          fmt::format("task '{}' was executed, but is not specified; write it in both", shown(id)));
    }
    WorkflowTask& task = tasks_[at->second];
    task.runtime_s = number(*one, "runtimeInSeconds", 1e15);
    task.cores = number(*one, "coreCount", 1e9).value_or(1);
    if (const Json* const command = member(*one, "command"); command != nullptr) {
      if (command->is_object()) task.kind = word(*command, "program");
    }
  }
}

void WorkflowReader::read_old_task(const Json& one) {
  WorkflowTask task{
      .id = word(one, "id"), .name = word(one, "name"), .kind = word(one, "category")};
  for (const char* const key : {"runtimeInSeconds", "runtime"}) {
    if (const auto seconds = number(one, key, 1e15)) task.runtime_s = seconds;
  }
  if (const Json* const command = member(one, "command"); command != nullptr) {
    if (command->is_object() && member(*command, "program") != nullptr) {
      task.kind = word(*command, "program");
    }
  }
  for (const char* const key : {"cores", "coreCount"}) {
    task.cores = number(one, key, 1e9).value_or(task.cores);
  }
  task.parents = words(one, "parents");
  task.children = words(one, "children");
  for (const Json* const file : objects(one, "files")) {
    const std::string name = word(*file, "name");
    const std::string link = word(*file, "link");
    if (link != "input" && link != "output") {
      refuse(fmt::format("the link of file '{}' is '{}'; write input or output", shown(name),
                         shown(link)));
    }
    const char* const key = member(*file, "sizeInBytes") != nullptr ? "sizeInBytes" : "size";
    add_file(name, number(*file, key, static_cast<double>(most_bytes)));
    access(task, name, link == "input" ? Access::read : Access::write);
  }
  add_task(std::move(task));
}

Index WorkflowReader::task_of(const std::string& name, const WorkflowTask& asking) const {
  const auto id = by_id_.find(name);
  if (id != by_id_.end()) return id->second;
  const auto named = by_name_.find(name);
  if (named != by_name_.end() && named->second.size() == 1) return named->second.front();
  refuse(fmt::format("task '{}' has '{}' before or behind it, {}; write an id", shown(asking.id),
                     shown(name),
                     named == by_name_.end() ? "which is no task" : "which several are called"));
}

void WorkflowReader::add_waits(TaskGraph::Parts& parts) const {
  std::unordered_map<std::string, std::vector<Index>> writers;
  for (Index t = 0; t < tasks_.size(); ++t) {
    const WorkflowTask& task = tasks_[t];
    for (const auto& [name, how] : task.files) {
      if (writes(how)) writers[name].push_back(t);
    }
    for (const std::string& name : task.parents) {
      parts.dependencies.emplace_back(t, task_of(name, task));
    }
    for (const std::string& name : task.children) {
      parts.dependencies.emplace_back(task_of(name, task), t);
    }
  }
  for (Index t = 0; t < tasks_.size(); ++t) {
    for (const auto& [name, how] : tasks_[t].files) {
      const auto at = writers.find(name);
      if (how != Access::read || at == writers.end() || at->second.size() != 1) continue;
      parts.dependencies.emplace_back(t, at->second.front());
    }
  }
}

double WorkflowReader::flops_of(const WorkflowTask& task) const {
  if (!task.runtime_s) return defaults_.flops();
  const double flops = *task.runtime_s * defaults_.task_flops.value_or(usual_core_flops_per_s);
  if (flops <= most_flops) return flops;
  refuse(fmt::format("task '{}' takes {:g} s, {:g} flops; at most {:g} are possible",
                     shown(task.id), *task.runtime_s, flops, most_flops));
}

void WorkflowReader::note() const {
  const auto missing = std::count_if(tasks_.begin(), tasks_.end(),
                                     [](const WorkflowTask& task) { return !task.runtime_s; });
  if (missing < static_cast<std::ptrdiff_t>(tasks_.size()) && !defaults_.task_flops) {
    defaults_.note(fmt::format(
        "a second of runtime is taken as {:g} flops, those of a usual core (flops= gives another)",
        usual_core_flops_per_s));
  }
  double most_cores = 1;
  std::size_t wide = 0;
  for (const WorkflowTask& task : tasks_) {
    most_cores = std::max(most_cores, task.cores);
    if (task.cores > 1) ++wide;
  }
  if (wide > 0) {
    defaults_.note(fmt::format(
        "{} on several cores (coreCount, at most {:g}); each is taken to run on one for its whole runtime",
        wide == 1 ? "1 task ran" : fmt::format("{} tasks ran", wide), most_cores));
  }
}

TaskGraph WorkflowReader::graph() {
  TaskGraph::Parts parts;
  std::unordered_map<std::string, Index> data;
  for (const auto& [name, bytes] : bytes_) {
    if (bytes == 0) continue;
    data.emplace(name, static_cast<Index>(parts.bytes.size()));
    parts.bytes.push_back(bytes);
    parts.data_names.push_back(as_utf8(name));
  }
  std::vector<std::string_view> kinds;
  std::vector<Index> accessed;
  std::vector<Access> how;
  bool any_writes = false;
  for (const WorkflowTask& task : tasks_) {
    accessed.clear();
    how.clear();
    for (const auto& [name, one] : task.files) {
      const auto at = data.find(name);
      if (at == data.end()) continue;
      accessed.push_back(at->second);
      how.push_back(one);
      any_writes = any_writes || writes(one);
    }
    parts.add_task(accessed, how, flops_of(task));
    parts.task_names.push_back(as_utf8(task.name));
    kinds.emplace_back(task.kind);
  }
  if (!any_writes) parts.accesses.clear();
  parts.lifetimes.assign(parts.bytes.size(), Lifetime::by_use);
  set_kinds(parts, kinds);
  add_waits(parts);
  parts.independent = defaults_.independent;
  note();
  return finished(std::move(parts), file_);
}

TaskGraph WorkflowReader::read(std::istream& in) {
  const Json root = parsed(in);
  if (!root.is_object()) refuse(R"(no object; write {"schemaVersion": "1.5", "workflow": ...})");
  check_schema(root);
  const Json& workflow = object(root, "workflow");
  if (member(workflow, "specification") != nullptr) {
    read_specification(workflow);
    if (member(workflow, "execution") != nullptr) read_execution(object(workflow, "execution"));
  } else {
    for (const Json* const task : objects(workflow, "tasks")) read_old_task(*task);
  }
  if (tasks_.empty()) refuse("no tasks; write workflow.specification.tasks");
  return graph();
}

/// Whether `key` stands there as a key: in quotes, before a colon.
bool has_key(std::string_view text, std::string_view key) {
  const std::string quoted = fmt::format("\"{}\"", key);
  for (auto at = text.find(quoted); at != std::string_view::npos; at = text.find(quoted, at + 1)) {
    const auto next = text.find_first_not_of(" \t\r\n", at + quoted.size());
    if (next != std::string_view::npos && text[next] == ':') return true;
  }
  return false;
}

bool begins_wfformat(std::string_view beginning) {
  return !has_key(beginning, "damocles") &&
         (has_key(beginning, "schemaVersion") || has_key(beginning, "workflow"));
}

}  // namespace

TaskGraph read_wfformat(std::istream& in, const std::string& name, const GraphDefaults& defaults) {
  return WorkflowReader(name, defaults).read(in);
}

namespace {

const Register wfformat_format{GraphFormat{.name = "wfformat",
                                           .place = 3,
                                           .title = "WfCommons' WfFormat",
                                           .read = read_wfformat,
                                           .ending = ".json",
                                           .begins = begins_wfformat}};

}  // namespace
}  // namespace damocles
