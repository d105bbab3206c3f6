// Reads HyperDAG_DB's hypergraphs: computational DAGs whose hyperedges are data items.

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <sstream>

#include "models/graph_files/graph_files.hpp"
#include "models/graph_files/graph_text.hpp"
#include "models/spec.hpp"

namespace damocles {
namespace {

using Index = TaskGraph::Index;

/// The hypergraph, as its lines say it.
class HyperDagReader {
 public:
  HyperDagReader(std::istream& in, const std::string& name, const GraphDefaults& defaults)
      : lines_(in, name), defaults_(defaults) {}

  TaskGraph read();

 private:
  void read_comments();
  void read_header();
  /// The next line of a list of `count`, all of which must be there: its numbers.
  const std::vector<std::string_view>& expect(std::string_view what, std::uint64_t item,
                                              std::uint64_t count);
  /// Lines `index weight`, each index once.
  std::vector<double> read_weights(std::string_view what, std::uint64_t count);
  void read_pins(std::vector<PassedData>& passed);
  [[nodiscard]] std::uint64_t bytes_of(double weight) const;
  /// What a weight of one is taken as.
  [[nodiscard]] std::uint64_t data_unit() const {
    return defaults_.data_bytes.value_or(usual_data_bytes);
  }
  [[nodiscard]] double task_unit() const { return defaults_.task_flops.value_or(usual_task_flops); }

  TextLines lines_;
  GraphDefaults defaults_;
  bool has_types_ = false;  // the first number of a node is its type
  std::uint64_t hyperedges_ = 0;
  std::uint64_t nodes_ = 0;
  std::uint64_t pins_ = 0;
};

/// Ends at the first line that is no comment.
void HyperDagReader::read_comments() {
  while (lines_.next()) {
    const std::string_view text = lines_.text();
    const auto first = text.find_first_not_of(" \t\r\v\f");
    if (first == std::string_view::npos) continue;
    if (text[first] != '%') return;
    has_types_ = has_types_ || text.find("vertex types") != std::string_view::npos;
  }
  lines_.refuse_at(lines_.number() + 1, "the file ends here; write 'hyperedges nodes pins'");
}

void HyperDagReader::read_header() {
  const auto& words = lines_.words();
  if (words.size() < 3) {
    lines_.refuse(fmt::format("'{}'; write 'hyperedges nodes pins'", shown(lines_.text())));
  }
  hyperedges_ = lines_.whole(words[0], "the number of hyperedges", 0, most_items);
  nodes_ = lines_.whole(words[1], "the number of nodes", 1, most_items);
  pins_ = lines_.whole(words[2], "the number of pins", 0, most_items);
}

const std::vector<std::string_view>& HyperDagReader::expect(std::string_view what,
                                                            std::uint64_t item,
                                                            std::uint64_t count) {
  if (!lines_.next_content()) {
    lines_.refuse(
        fmt::format("the file ends after {} of {} {}s; write the rest", item, count, what));
  }
  return lines_.words();
}

std::vector<double> HyperDagReader::read_weights(std::string_view what, std::uint64_t count) {
  constexpr double most_weight = 1e15;
  constexpr double not_given = -1;
  std::vector<std::pair<std::uint64_t, double>> given;  // grows with the file, not with the header
  for (std::uint64_t item = 0; item < count; ++item) {
    const auto& words = expect(what, item, count);
    const auto index = lines_.whole(words[0], "the index", 0, count - 1);
    double weight = 1;
    if (words.size() > 1 && words[1].front() != '%') {
      const auto number = signed_number(words[1]);
      if (!number || !(*number >= 0) || *number > most_weight) {
        lines_.refuse(fmt::format("the weight is '{}'; write a number from 0 to {:g}",
                                  shown(words[1]), most_weight));
      }
      weight = *number;
    }
    given.emplace_back(index, weight);
  }
  std::vector<double> weights(count, not_given);
  for (const auto& [index, weight] : given) {
    if (weights[index] != not_given) {
      lines_.refuse(fmt::format("{} {} is there twice; write each once", what, index));
    }
    weights[index] = weight;
  }
  return weights;
}

void HyperDagReader::read_pins(std::vector<PassedData>& passed) {
  std::vector<bool> has_source(hyperedges_, false);
  for (std::uint64_t pin = 0; pin < pins_; ++pin) {
    const auto& words = expect("pin", pin, pins_);
    if (words.size() < 2) {
      lines_.refuse(fmt::format("'{}'; write 'hyperedge node'", shown(lines_.text())));
    }
    if (hyperedges_ == 0) lines_.refuse("a pin, but no hyperedge; write how many there are");
    const auto edge = lines_.whole(words[0], "the hyperedge", 0, hyperedges_ - 1);
    const auto node = static_cast<Index>(lines_.whole(words[1], "the node", 0, nodes_ - 1));
    PassedData& data = passed[edge];
    if (!has_source[edge]) {
      data.from = node;
      has_source[edge] = true;
    } else if (node != data.from) {
      data.to.push_back(node);
    }
  }
  for (std::uint64_t edge = 0; edge < hyperedges_; ++edge) {
    if (has_source[edge]) continue;
    lines_.refuse(fmt::format("hyperedge {} has no pin; write its source first", edge));
  }
}

std::uint64_t HyperDagReader::bytes_of(double weight) const {
  const double bytes = weight * static_cast<double>(data_unit());
  if (bytes > static_cast<double>(most_bytes)) {
    lines_.refuse(fmt::format("a hyperedge of weight {} has {} bytes; at most {} are possible",
                              weight, bytes, most_bytes));
  }
  return static_cast<std::uint64_t>(bytes);
}

TaskGraph HyperDagReader::read() {
  read_comments();
  read_header();
  std::vector<PassedData> passed;
  for (const double weight : read_weights("hyperedge", hyperedges_)) {
    passed.push_back({.bytes = bytes_of(weight)});
  }
  std::vector<double> flops = read_weights("node", nodes_);
  read_pins(passed);
  if (lines_.next_content()) lines_.refuse("a line after the last pin; correct the header");

  TaskGraph::Parts parts;
  std::vector<std::string> kinds;
  if (has_types_) {
    for (const double type : flops) kinds.push_back(fmt::format("type {}", type));
    flops.assign(flops.size(), 1);
  }
  for (double& weight : flops) weight *= task_unit();
  add_passing_tasks(parts, flops, passed);
  set_kinds(parts, {kinds.begin(), kinds.end()});
  parts.independent = defaults_.independent;
  if (!defaults_.data_bytes || !defaults_.task_flops) {
    defaults_.note(fmt::format(
        "it has weights without units: one is taken as {} bytes or {:g} flops (bytes= and flops= give others)",
        data_unit(), task_unit()));
  }
  return finished(std::move(parts), lines_.name());
}

}  // namespace

namespace {

/// Tells it from Matrix Market and hMETIS, which count from 1: three numbers or more on the first
/// line that is no comment, then index 0.
bool begins_hyperdag(std::string_view beginning) {
  std::istringstream in{std::string(beginning)};
  TextLines lines(in, "");
  std::size_t numbers = 0;
  while (lines.next_content()) {
    const auto& words = lines.words();
    if (numbers > 0) return words[0] == "0";
    while (numbers < words.size() && parse_integer(words[numbers])) ++numbers;
    if (numbers < 3) return false;
  }
  return false;
}

}  // namespace

TaskGraph read_hyperdag(std::istream& in, const std::string& name, const GraphDefaults& defaults) {
  return HyperDagReader(in, name, defaults).read();
}

namespace {

const Register hyperdag_format{GraphFormat{.name = ".hdag",
                                           .place = 6,
                                           .title = "HyperDAG_DB",
                                           .read = read_hyperdag,
                                           .begins = begins_hyperdag,
                                           .also_called = {".mtx", ".hgr", ".txt"}}};

}  // namespace
}  // namespace damocles
