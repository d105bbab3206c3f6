#include "orders/level_lists.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <tuple>

#include "models/compressed_rows.hpp"
#include "models/levels.hpp"
#include "orders/part_graphs.hpp"

namespace damocles {
namespace {

using Index = TaskGraph::Index;
using Lists = std::vector<std::vector<Index>>;

/// Who has which data, as far as the lists say, and so who gets which part of a level.
class Holders {
 public:
  Holders(const TaskGraph& graph, std::size_t processors)
      : graph_(graph), processors_(processors), holders_(graph.data()) {}

  /// The processor of each part, all different. @pre no more parts than processors
  std::vector<std::size_t> processors_of(const Lists& parts) {
    std::vector<std::tuple<double, std::size_t, std::size_t>> pairs;  // -bytes, part, processor
    for (std::size_t part = 0; part < parts.size(); ++part) {
      for (const auto& [processor, bytes] : in_common(parts[part])) {
        pairs.emplace_back(-bytes, part, processor);
      }
    }
    std::sort(pairs.begin(), pairs.end());
    std::vector<std::size_t> result(parts.size(), processors_);
    std::vector<bool> taken(processors_, false);
    for (const auto& [bytes, part, processor] : pairs) {
      if (result[part] != processors_ || taken[processor]) continue;
      result[part] = processor;
      taken[processor] = true;
    }
    std::size_t next = 0;  // who has nothing of what is left
    for (auto& processor : result) {
      if (processor != processors_) continue;
      while (taken[next]) ++next;
      taken[next] = true;
      processor = next;
    }
    return result;
  }

  void access(Index task, std::size_t processor) {
    graph_.for_each_access(task, [&](Index data, Access how) {
      auto& holders = holders_[data];
      if (writes(how)) holders.clear();
      const auto at = std::lower_bound(holders.begin(), holders.end(), processor);
      if (at == holders.end() || *at != processor) holders.insert(at, processor);
    });
  }

 private:
  /// Bytes of the data of these tasks that processors have, of those that have some.
  [[nodiscard]] std::map<std::size_t, double> in_common(const std::vector<Index>& tasks) const {
    std::vector<Index> accessed;
    for (const Index task : tasks) {
      const auto inputs = graph_.inputs(task);
      accessed.insert(accessed.end(), inputs.begin(), inputs.end());
    }
    std::sort(accessed.begin(), accessed.end());
    accessed.erase(std::unique(accessed.begin(), accessed.end()), accessed.end());
    std::map<std::size_t, double> bytes;
    for (const Index data : accessed) {
      for (const std::size_t processor : holders_[data]) {
        bytes[processor] += static_cast<double>(graph_.bytes(data));
      }
    }
    return bytes;
  }

  const TaskGraph& graph_;
  std::size_t processors_;
  std::vector<std::vector<std::size_t>> holders_;  // by data, ascending
};

/// Parts of a level, none of them empty.
Lists parts_of_level(const std::vector<Index>& tasks, std::size_t processors, PartGraphs& graphs,
                     const ListsOf& lists_of) {
  Lists parts;
  if (tasks.size() <= processors) {
    for (const Index task : tasks) parts.push_back({task});
    return parts;
  }
  parts = lists_of(graphs.of(tasks));
  std::erase_if(parts, [](const auto& part) { return part.empty(); });
  for (auto& part : parts) {
    for (Index& task : part) task = tasks[task];
  }
  return parts;
}

}  // namespace

Lists level_lists(const TaskGraph& graph, std::size_t processors, const ListsOf& lists_of) {
  const auto depth = depths(graph);
  const std::size_t levels = *std::max_element(depth.begin(), depth.end()) + std::size_t{1};
  const auto of_level = compressed_rows<std::size_t, Index>(levels, [&](auto&& add) {
    for (Index task = 0; task < graph.tasks(); ++task) add(depth[task], task);
  });
  PartGraphs graphs(graph);
  Holders holders(graph, processors);
  Lists result(processors);
  for (std::size_t level = 0; level < levels; ++level) {
    const auto at = [&](std::size_t row) {
      return of_level.entries.begin() + static_cast<std::ptrdiff_t>(of_level.begin[row]);
    };
    const Lists parts = parts_of_level({at(level), at(level + 1)}, processors, graphs, lists_of);
    const auto processors_of = holders.processors_of(parts);
    for (std::size_t part = 0; part < parts.size(); ++part) {
      auto& list = result[processors_of[part]];
      list.insert(list.end(), parts[part].begin(), parts[part].end());
      for (const Index task : parts[part]) holders.access(task, processors_of[part]);
    }
  }
  return result;
}

}  // namespace damocles
