#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "orders/memory_pieces.hpp"
#include "orders/partition.hpp"
#include "orders/partitioners.hpp"
#include "strategies/parts/level_by_level.hpp"

namespace damocles {
namespace {

/// Lists of parts, as the options say; each that is made draws anew.
class Parting {
 public:
  explicit Parting(const StrategyContext& context)
      : processors_(context.platform.processors()),
        cuts_(word_of(context.spec, "parts", "cut") == "cut"),
        rng_(context.rng) {
    options_.runs = whole_of(context.spec, "runs", options_.runs);
    options_.partitioner = word_of(context.spec, "partitioner", "");
    if (word_of(context.spec, "cost", "copies") == "data") {
      options_.cost = PartitionOptions::Cost::data;
    }
    if (word_of(context.spec, "split", "none") == "memory") {
      piece_bytes_ = memory_beside_prefetch(context);
    }
  }

  /// Tasks in view where nothing is said: where the lists have an order, as many as of hfp's.
  [[nodiscard]] std::size_t view() const { return piece_bytes_ ? 30 : ReadyList::whole; }

  std::vector<std::vector<TaskGraph::Index>> lists_of(const TaskGraph& graph) {
    const auto parts =
        cuts_ ? partition(graph, processors_, rng_.next(), options_) : dealt(graph.tasks());
    std::vector<std::vector<TaskGraph::Index>> result(processors_);
    for (std::size_t t = 0; t < parts.size(); ++t) {
      result[parts[t]].push_back(static_cast<TaskGraph::Index>(t));
    }
    if (piece_bytes_) {
      for (auto& list : result) {
        list = in_pieces(graph, list, *piece_bytes_, rng_.next(), options_);
      }
    }
    return result;
  }

 private:
  /// Parts of equally many tasks, to within one, each task in any of them.
  std::vector<std::uint32_t> dealt(std::size_t tasks) {
    std::vector<std::uint32_t> parts(tasks);
    for (std::size_t t = 0; t < parts.size(); ++t) {
      parts[t] = static_cast<std::uint32_t>(t % processors_);
    }
    rng_.shuffle(std::span(parts));
    return parts;
  }

  std::size_t processors_;
  bool cuts_;
  PartitionOptions options_;
  std::optional<std::uint64_t> piece_bytes_;  // of the memory of a piece, where parts are cut on
  Rng rng_;
};

/// hMETIS+R with other partitioners and clean splits in place of hMETIS: parts of equal work that
/// share few data items, one a processor, with DMDAR's Ready and stealing; where tasks wait for
/// others those of each level.
///
/// Source: IPDPS'22, Algorithm 3; hMETIS may not be redistributed. split=memory and levels are
/// ours.
std::unique_ptr<Strategy> make_hypergraph(const StrategyContext& context) {
  Parting parting(context);
  return following(
      context, [&](const TaskGraph& graph) { return parting.lists_of(graph); },
      allotted(context.spec, parting.view()));
}

const Register hypergraph_entry{StrategyEntry{
    .name = "hypergraph",
    .source = "IPDPS'22, Alg. 3",
    .summary = "Partition tasks to share little data, then run the fewest missing bytes first",
    .aliases = {{"hMETIS+R", "ready=10,cost=data"}},
    .options =
        {{"ready",
          "true (default): run the task of the list with the fewest missing bytes first; a number: "
          "compare only that many (default with split=memory: 30); false: keep the order of the list",
          ready_values()},
         {"patient",
          "true (default): take a task only when earlier inputs have arrived; false: earlier, by older residency",
          OptionValues::true_or_false()},
         {"runs",
          "runs of the partitioner for each bisection, besides straight cuts (default 1; hMETIS+R: 20); at most 10^6 / edges of the graph",
          OptionValues::whole(0, 1000)},
         {"cost",
          "how a cut data item counts: copies (default): its bytes for each further part; "
          "data: its bytes once, as in hMETIS",
          OptionValues::words({"copies", "data"})},
         {"parts",
          "cut (default): partition the graph; random: equally many random tasks for each part, as from a partition for another task order",
          OptionValues::words({"cut", "random"})},
         {"split",
          "none (default): keep submission order; memory: cut parts further until each piece fits in memory, "
          "and order pieces by shared data",
          OptionValues::words({"none", "memory"})},
         {"partitioner", "partitioning library (default: the first one that was built)",
          OptionValues::names(Table<PartitionerEntry>::names,
                              [](const auto& name) { (void)partitioner(name); })}},
    .make = make_hypergraph,
    .not_built = why_no_partitioner,
    .supports_dependencies = true,
    .loads_implicit = true,
    .host_bytes = {.by_data = ReadyList::bytes_by_data},
    .loads_ahead = true,
    .by_residency = true,
    .whole_graph = true}};

}  // namespace
}  // namespace damocles
