#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/digest.hpp"
#include "models/table.hpp"
#include "models/task_graph.hpp"

namespace damocles {

/// Where neither the file nor the user says: a task multiplies two tiles as in COLOC21, section 5,
/// 960 x 3840 by 3840 x 960 in single precision.
inline constexpr std::uint64_t usual_data_bytes = std::uint64_t{4} * 960 * 3840;
inline constexpr double usual_task_flops = 2.0 * 960 * 960 * 3840;

/// What a reader took for granted because the file does not say it: the user is told.
struct Assumed {
  std::uint64_t tasks = 0;       ///< that have usual_task_flops
  std::uint64_t idle_tasks = 0;  ///< that compute nothing, as others of the file have flops
  std::uint64_t data = 0;        ///< that have usual_data_bytes
  std::vector<std::string> others{};

  /// One text each: "file 'x.dot' gives no flops for 2 tasks; ...".
  [[nodiscard]] std::vector<std::string> notes(const std::string& file) const;
};

/// What a file does not say: sizes and costs, from `file:path=x.mtx,bytes=14.7MB,flops=7GF`; and
/// whether what it says of order counts, from `deps=ignore`.
struct GraphDefaults {
  std::optional<std::uint64_t> data_bytes{};  ///< size of each data item [B], >= 1
  std::optional<double> task_flops{};         ///< of each task, >= 0
  bool independent = false;                   ///< as TaskGraph::Parts::independent
  Assumed* assumed = nullptr;                 ///< where readers say what they assumed, or nowhere

  /// The size of so many data items of which the file says none.
  [[nodiscard]] std::uint64_t bytes(std::uint64_t data = 1) const {
    if (!data_bytes && assumed != nullptr) assumed->data += data;
    return data_bytes.value_or(usual_data_bytes);
  }
  /// The flops of so many tasks of which the file says none.
  [[nodiscard]] double flops(std::uint64_t tasks = 1) const {
    if (!task_flops && assumed != nullptr) assumed->tasks += tasks;
    return task_flops.value_or(usual_task_flops);
  }
  void note(std::string text) const {
    if (assumed != nullptr) assumed->others.push_back(std::move(text));
  }
};

/// A format of task graphs, in a file of its own.
struct GraphFormat {
  static constexpr const char* what = "graph format";
  std::string name;                 ///< the ending of its files, as .mtx, or what `ending` says
  std::vector<std::string> also{};  ///< other endings
  int place = 0;                    ///< in lists
  std::string title;
  TaskGraph (*read)(std::istream& in, const std::string& name, const GraphDefaults& defaults);
  /// Nothing where it is only read.
  void (*write)(const TaskGraph& graph, std::ostream& out) = nullptr;
  /// Of a format that shares the ending of another: that ending, and whether a file that begins so
  /// is in this format.
  std::string ending{};
  bool (*begins)(std::string_view beginning) = nullptr;
  /// Endings of other formats, or of none, under which its files go too: told by `begins`.
  std::vector<std::string> also_called{};
};

/// The endings of all formats, each once.
[[nodiscard]] std::vector<std::string> graph_endings();
/// The same as a phrase: ".mtx, .hgr or .json, each also packed as .gz".
[[nodiscard]] std::string endings_in_words();

/// The format of a file by its ending, in any case, or nothing; of several that share it the one
/// that tells its files by their beginning is not it.
[[nodiscard]] const GraphFormat* graph_format_of(const std::string& path);
/// The same of a file to read, which gzip may have packed: then .gz follows the ending.
[[nodiscard]] const GraphFormat* format_of_graph_file(const std::string& path);

/// Reads a task graph; `format` (mtx, hgr, json, rec, dot), or else the ending in any case chooses
/// the format; of .json files that of WfCommons is told by its keys, and files of HyperDAG_DB that
/// end in .mtx, .hgr or .txt by their first lines. Files that gzip packed may end in .gz besides;
/// path "-" is standard input, which is read once and may be asked for again.
///
/// Every reader refuses a malformed file in one line: "file 'x.mtx', line 7: ...; write ...".
/// A count in a header is believed only as far as lines follow it: at most 2^20 tasks or data may
/// be there without an entry, so memory stays near the size of the file. A size is at most
/// 2^50 B (1 PiB), a cost at most 1e30 flops, so that no sum overflows.
/// `source`, where given, gets the digest of the bytes that were read, and what was assumed where
/// the file does not say it.
/// @throws InvalidInput on another ending, a file that cannot be read, or a malformed one
[[nodiscard]] TaskGraph read_graph(const std::string& path, const GraphDefaults& defaults = {},
                                   SourceFile* source = nullptr,
                                   const std::string& format_name = "");

/// Matrix Market, coordinate format: row = task, column = data it reads, in the file's order.
///
/// Fields pattern, real, integer, unsigned-integer and complex; values are ignored, so an entry of
/// value 0 is an entry, and a pattern may have values. The banner may begin with one '%'.
/// Symmetric, skew-symmetric and Hermitian matrices are expanded. Rows without entries are tasks
/// without inputs. `name` is what errors call the file. Source: Boisvert, Pozo & Remington, The
/// Matrix Market exchange formats, NISTIR 5935 (1996).
[[nodiscard]] TaskGraph read_matrix_market(std::istream& in, const std::string& name,
                                           const GraphDefaults& defaults = {});

/// hMETIS hypergraph: vertex = task, hyperedge = data that its vertices read.
///
/// Weights (fmt 1, 10, 11) are kept as multiples: a hyperedge of weight w has w x data_bytes, a
/// vertex of weight w has w x task_flops; where the user gave no such unit it is 1 B and 1 flop,
/// so that write_hgr and read_hmetis are inverse. Without weights, the defaults as they are.
/// Weights may have fractions; that of a hyperedge only where data_bytes is given, as bytes are
/// whole. A hyperedge may have no vertex: its line then holds its weight alone, or is blank.
/// Source: Karypis & Kumar, hMETIS 1.5 manual (1998), section 4.1.
[[nodiscard]] TaskGraph read_hmetis(std::istream& in, const std::string& name,
                                    const GraphDefaults& defaults = {});

/// Our own format, which says all that a graph can say:
///
///     {"damocles": 1,
///      "data":  [{"name": "A", "bytes": 14745600}, {"name": "B", "temporary": true}, ...],
///      "tasks": [{"name": "T", "kind": "GEMM", "reads": ["A", 1], "writes": [1],
///                 "commutes": ["B"], "flops": 7e9, "output_bytes": 3686400, "priority": 2,
///                 "after": ["S", 0]}, ...]}
///
/// Tasks access what they read, then what they only write. What is in `commutes` alone they read
/// and write in any order with other tasks that do so (Access::commute); into what is in `reduces`
/// alone they reduce (Access::reduce). A data item is temporary (Lifetime::temporary) where the
/// file says `"temporary": true`, or says nothing and one task makes it and others only read it. A
/// task has to write it before others read it. With `"home": "early"` it is kept, and sent to host
/// memory after its last write, as starpu_data_wont_use() asks; `"end"`: kept. Every key but
/// damocles, data and tasks may be left out. `reads` and `after` name data and tasks by index (from
/// 0) or by a name that only one has; what has no name is called D0, D1, ... and T0, T1, ....
/// Unknown and repeated keys are refused, as are tasks that wait in a circle.
[[nodiscard]] TaskGraph read_json(std::istream& in, const std::string& name,
                                  const GraphDefaults& defaults = {});

/// StarPU's trace `tasks.rec`: one record a task, in the order of submission (SubmitOrder). Records
/// of its `data.rec` may stand among them: a handle with HomeNode -1 that a task writes first is a
/// temporary data item, and a handle's Name and Coordinates name it.
///
/// Modes are accesses: R reads, W writes, RW does both, RWC does so in any order (Access::commute),
/// X and X-mpi (across MPI ranks) reduce; scratch (S) is no access, nor is a handle of size 0 (it
/// only orders tasks). One handle seen with two sizes, or on two MPI ranks, is two data items: the
/// address was reused. flops = GFlop x 1e9 if there, else the default; a record without GFlop,
/// Handles and WorkerId is a mere synchronisation: 0 flops. Jobs in DependsOn that are not in the
/// file are skipped, as starpu_replay does. Records `Control: WontUse` are hints, not tasks. A
/// task's kind is its Model, by which StarPU knows times, else its Name. Footprint, the time from
/// StartTime to EndTime [ms] and MemoryNode, 0 for cores, are kept (TaskGraph::Parts::recorded);
/// other keys are ignored. Source: StarPU, src/debug/traces/starpu_fxt.c (writer),
/// tools/starpu_replay.c (reader).
[[nodiscard]] TaskGraph read_tasks_rec(std::istream& in, const std::string& name,
                                       const GraphDefaults& defaults = {});

/// WfCommons' WfFormat, JSON, schemas 1.3 to 1.6: the tasks, files and runtimes of a workflow.
///
/// A file of the workflow is a data item; those of 0 bytes only order tasks. A task waits for its
/// parents, and for the only task that writes one of its inputs. A runtime of s seconds is s x
/// task_flops; without `flops=` that is the rate of a usual core (usual_core_flops_per_s), so that
/// the task takes s there, as WRENCH's reference_flop_rate has it. A task without a runtime has the
/// default cost, a file without a size the default size. A task's kind is its program, else its
/// category. Machines, cores, power and other keys are ignored.
/// Source: github.com/wfcommons/WfFormat, wfcommons-schema.json.
[[nodiscard]] TaskGraph read_wfformat(std::istream& in, const std::string& name,
                                      const GraphDefaults& defaults = {});

/// HyperDAG_DB, version 1: node = task, hyperedge = data item that its first pin writes and its
/// other pins read.
///
///     % comment
///     hyperedges nodes pins
///     a line a hyperedge: its index from 0, and its weight if any
///     a line a node: the same
///     a line a pin: hyperedge node
///
/// A weight is a multiple of data_bytes or task_flops, 1 where there is none; a hyperedge of weight
/// 0 only orders. Further numbers and all behind a % are ignored. In files traced from
/// ALP/GraphBLAS, which list "vertex types" in their comments, the first number of a node is its
/// kind, not a weight. Source: Algebraic-Programming/HyperDAG_DB, FileFormat_README.md; .hdag is
/// the ending in OneStopParallel (HyperDAG_DB's own files end in .txt).
[[nodiscard]] TaskGraph read_hyperdag(std::istream& in, const std::string& name,
                                      const GraphDefaults& defaults = {});

/// The Standard Task Graph Set: a line with the number of tasks n; a line a task, which has its
/// number, its processing time, the number of its predecessors and these; then comments (#).
///
/// There are n tasks, from 1 on, or n + 2 from 0 on, with an entry and an exit that take no time.
/// In graphs with communication costs, predecessors follow on lines of their own, with the cost of
/// each. A unit of time is task_flops; without `flops=` what a usual core computes in a second
/// (usual_core_flops_per_s). A unit of communication is data_bytes. Where there are no costs an
/// edge only orders, unless the user gave data_bytes. Source: Tobita & Kasahara, J. Scheduling
/// 5(5), 2002; kasahara.cs.waseda.ac.jp/schedule/format_e.html
[[nodiscard]] TaskGraph read_stg(std::istream& in, const std::string& name,
                                 const GraphDefaults& defaults = {});

/// DOT, the language of Graphviz: node = task, `a -> b` = b waits for a.
///
///     digraph { a [kind=POTRF, flops="7e9", priority=2, output_bytes=8];
///               a -> b [bytes=14745600]; a -> {c d} [bytes=800, data=A00]; b -> c; }
///
/// An edge with bytes hands a data item on: its tail writes it, its head reads it. Edges of one
/// tail that name one `data` hand on the same one; else each has its own. An edge without bytes, or
/// of 0 or less (SimGrid), only orders, unless the user gave data_bytes. `size` and `cost` are
/// other words for flops and for bytes (SimGrid, daggen, DSLab); so is `weight` on nodes, and in a
/// graph where nodes have one, on edges. Bytes are rounded. Where some task has flops, those
/// without have 0 (SimGrid), unless the user gave task_flops. A task's kind is `kind`, else
/// PaRSEC's `tcname=` or `tname=` in a tooltip, else its label (StarPU), of HTML its text; more
/// than 2^16 different ones are none. StarPU's `tag_1 -> task_2 -> tag_1` is one task. PaRSEC's
/// circles, `dc0x5_17 [shape=circle]`, are data that tasks read and write, of data_bytes each.
/// Tasks are numbered as they are first named. An edge with ltail or lhead orders all tasks of the
/// cluster. Names of attributes count in any case; others are ignored, and a note names them.
/// Comments are //, /* */ and #. Defaults, chains, subgraphs,
/// ports and `strict` mean what they mean to Graphviz. Undirected graphs are refused; so are names
/// of more than 255 characters, braces more than 100 deep, and those that draw more than 2^18
/// edges. Source: graphviz.org/doc/info/lang.html; SimGrid, src/dag/loaders.cpp; StarPU,
/// src/debug/traces/starpu_fxt_dag.c; PaRSEC, parsec_prof_grapher.c and mca/pins/dot_grapher.
[[nodiscard]] TaskGraph read_dot(std::istream& in, const std::string& name,
                                 const GraphDefaults& defaults = {});

/// Writes all of a graph as the JSON that read_json reads back with equal parts (dependencies
/// sorted, what a task only writes after what it reads). @throws InvalidInput if a number is not
/// finite
void write_json(const TaskGraph& graph, std::ostream& out);

/// Writes tasks, data, sizes and flops as an hMETIS hypergraph with both weights (fmt 11), in bytes
/// and flops. The order of a task's inputs, outputs, priorities, dependencies and names have no
/// place there. hMETIS itself wants weights that are whole and fit 32 bits.
void write_hgr(const TaskGraph& graph, std::ostream& out);

/// Writes tasks, who waits for whom, and what each task reads that another one wrote, as DOT for
/// Graphviz to draw and read_dot to read. Data that no task wrote before, and who writes what
/// nobody reads, have no place there; tasks that share a name are called T0, T1, ...
void write_dot(const TaskGraph& graph, std::ostream& out);

}  // namespace damocles
