#pragma once

#include <fmt/format.h>

#include <array>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace damocles {

/// A strict reader of Pajé: every event is defined before it is used and has the fields of its
/// definition, types, values and containers are there when they are named, time never decreases,
/// and every container is destroyed once, after those within it.
class PajeReader {
 public:
  struct Container {
    std::string type, parent, name;
    bool alive = true;
    std::string state;  ///< now
    double since_s = 0;
    std::map<std::string, double> seconds;                     ///< spent in each state
    std::vector<std::pair<std::string, std::string>> objects;  ///< (state, object), as they came
    std::vector<std::string> events;
    std::vector<std::string> event_types;  ///< of each of them
    std::vector<double> variable;
  };

  /// @throws std::runtime_error naming the line that breaks a rule
  explicit PajeReader(const std::string& text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      ++number_;
      line[0] == '%' ? define(line) : take(words_of(line));
    }
    must(open_ == nullptr, "a definition has no end");
    for (const auto& [alias, container] : containers_) {
      must(!container.alive, "a container is never destroyed");
    }
  }

  [[nodiscard]] const std::map<std::string, Container>& containers() const { return containers_; }

 private:
  using Words = std::vector<std::string>;
  struct Definition {
    std::string name;
    std::vector<std::array<std::string, 2>> fields;  // name, type
  };

  void must(bool holds, const char* otherwise) const {
    if (!holds) throw std::runtime_error(fmt::format("line {}: {}", number_, otherwise));
  }

  [[nodiscard]] Words words_of(const std::string& line) const {
    Words words;
    for (std::size_t at = 0; at < line.size(); ++at) {
      if (line[at] == ' ') continue;
      const char end = line[at] == '"' ? '"' : ' ';
      const std::size_t from = end == '"' ? at + 1 : at;
      std::size_t to = line.find(end, from);
      must(end == ' ' || to != std::string::npos, "a quote has no end");
      if (to == std::string::npos) to = line.size();
      words.push_back(line.substr(from, to - from));
      at = to;
    }
    return words;
  }

  void define(const std::string& line) {
    const Words words = words_of(line.substr(1));
    if (words[0] == "EventDef") {
      must(open_ == nullptr && words.size() == 3, "not %EventDef NAME NUMBER");
      must(definitions_.emplace(words[2], Definition{words[1], {}}).second, "a number is taken");
      open_ = &definitions_[words[2]];
    } else if (words[0] == "EndEventDef") {
      must(open_ != nullptr, "nothing to end");
      open_ = nullptr;
    } else {
      must(open_ != nullptr && words.size() == 2, "not %  FIELD TYPE");
      static const std::set<std::string> types{"int", "double", "string", "date", "hex", "color"};
      must(types.contains(words[1]), "unknown type of a field");
      open_->fields.push_back({words[0], words[1]});
    }
  }

  void take(const Words& words) {
    must(open_ == nullptr && !words.empty() && definitions_.contains(words[0]),
         "an event without definition");
    const Definition& definition = definitions_[words[0]];
    must(words.size() == definition.fields.size() + 1, "not the fields of the definition");
    std::map<std::string, std::string> fields;
    for (std::size_t i = 0; i < definition.fields.size(); ++i) {
      const auto& [name, type] = definition.fields[i];
      fields[name] = words[i + 1];
      if (type == "date" || type == "double") static_cast<void>(number(words[i + 1]));
    }
    if (fields.contains("Time")) {
      const double time = number(fields["Time"]);
      must(time >= now_s_, "time decreases");
      now_s_ = time;
    }
    happen(definition.name, fields);
  }

  [[nodiscard]] double number(const std::string& text) const {
    std::size_t used = 0;
    const double value = std::stod(text, &used);
    must(used == text.size(), "not a number");
    return value;
  }

  void happen(const std::string& name, std::map<std::string, std::string>& fields) {
    if (name == "PajeDefineEntityValue") {
      must(types_[fields["Type"]] == "State", "a value of no state");
      must(values_.emplace(fields["Type"], fields["Alias"]).second, "a value is defined twice");
    } else if (name.starts_with("PajeDefine")) {
      must(fields["Type"] == "0" || types_.contains(fields["Type"]), "unknown type");
      const std::string kind = name.substr(10, name.size() - 14);  // PajeDefine...Type
      must(types_.emplace(fields["Alias"], kind).second, "a type is defined twice");
    } else if (name == "PajeCreateContainer") {
      must(types_[fields["Type"]] == "Container", "no type of containers");
      must(fields["Container"] == "0" || alive(fields["Container"]), "no such parent");
      const auto [at, is_new] = containers_.try_emplace(fields["Alias"]);
      must(is_new, "a container is created twice");
      at->second.type = fields["Type"];
      at->second.parent = fields["Container"];
      at->second.name = fields["Name"];
    } else if (name == "PajeDestroyContainer") {
      destroy(fields["Name"], fields["Type"]);
    } else {
      must(alive(fields["Container"]), "no such container");
      happen_in(containers_[fields["Container"]], name, fields);
    }
  }

  void happen_in(Container& container, const std::string& name,
                 std::map<std::string, std::string>& fields) {
    const std::string kind = types_[fields["Type"]];
    if (name == "PajeSetState") {
      must(kind == "State", "no type of states");
      must(values_.contains({fields["Type"], fields["Value"]}), "unknown value");
      leave_state(container);
      container.state = fields["Value"];
      if (fields.contains("Object")) {
        container.objects.emplace_back(container.state, fields["Object"]);
      }
    } else if (name == "PajeNewEvent") {
      must(kind == "Event", "no type of events");
      container.events.push_back(fields["Value"]);
      container.event_types.push_back(fields["Type"]);
    } else {
      must(name == "PajeSetVariable" && kind == "Variable", "unknown event");
      container.variable.push_back(number(fields["Value"]));
    }
  }

  [[nodiscard]] bool alive(const std::string& alias) const {
    const auto at = containers_.find(alias);
    return at != containers_.end() && at->second.alive;
  }

  void leave_state(Container& container) const {
    if (!container.state.empty()) container.seconds[container.state] += now_s_ - container.since_s;
    container.since_s = now_s_;
  }

  void destroy(const std::string& alias, const std::string& type) {
    must(alive(alias) && containers_[alias].type == type, "no such container to destroy");
    for (const auto& [other, container] : containers_) {
      must(container.parent != alias || !container.alive, "a container within is still there");
    }
    leave_state(containers_[alias]);
    containers_[alias].alive = false;
  }

  std::size_t number_ = 0;  // of the line
  double now_s_ = 0;
  Definition* open_ = nullptr;
  std::map<std::string, Definition> definitions_;
  std::map<std::string, std::string> types_;  // alias -> Container, State, Event, Variable
  std::set<std::pair<std::string, std::string>> values_;  // (type, alias)
  std::map<std::string, Container> containers_;
};

}  // namespace damocles
