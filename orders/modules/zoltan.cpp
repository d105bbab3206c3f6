// Zoltan's hypergraph partitioner. A module (models/modules.hpp).

#include <zoltan.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <memory>
#include <mutex>
#include <utility>

#include "models/error.hpp"
#include "orders/partitioners.hpp"
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
#endif

namespace damocles {
namespace {

// What __lsan_is_turned_off() reads at the end of the process, after all destructors.
bool mpi_started = false;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

/// While it lives, the leak sanitizer leaves this thread's allocations alone: Open MPI 4.1 leaves
/// 13 kB of its own behind, in modules it unloads, which no list of suppressions can name.
struct [[maybe_unused]] LeaksOfOthers {
#if defined(__SANITIZE_ADDRESS__)
  LeaksOfOthers() { __lsan_disable(); }
  ~LeaksOfOthers() { __lsan_enable(); }
  LeaksOfOthers(const LeaksOfOthers&) = delete;
  LeaksOfOthers& operator=(const LeaksOfOthers&) = delete;
#endif
};

/// MPI, started unless it runs, and ended with the process if we started it.
class Mpi {
 public:
  Mpi() {
    int runs = 0;
    MPI_Initialized(&runs);
    if (runs != 0) return;
    // One process needs no daemon and no network, and finding out about them takes most of the
    // start. Neither must munmap() be patched under the whole program (memory, and UCX when
    // loaded), which crashes at the end of a thread under the thread sanitizer. What the user set
    // stays.
    setenv("OMPI_MCA_ess_singleton_isolated", "1", 0);
    setenv("OMPI_MCA_btl", "self", 0);
    setenv("OMPI_MCA_pml", "ob1", 0);
    setenv("OMPI_MCA_osc", "^ucx", 0);
    setenv("OMPI_MCA_memory", "^patcher", 0);
    // Nor does it need a folder in /tmp, whose name others can guess and take first. Where /sys is
    // missing, as in a bare chroot, hwloc finds no caches, which is nothing to a user.
    setenv("OMPI_MCA_orte_create_session_dirs", "0", 0);
    setenv("HWLOC_HIDE_ERRORS", "2", 0);
    [[maybe_unused]] const LeaksOfOthers scope;
    int level = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &level);
    mpi_started = true;
    ours_ = true;
  }
  Mpi(const Mpi&) = delete;
  Mpi& operator=(const Mpi&) = delete;
  ~Mpi() {
    [[maybe_unused]] const LeaksOfOthers scope;
    int ended = 0;
    MPI_Finalized(&ended);
    if (ours_ && ended == 0) MPI_Finalize();
  }

 private:
  bool ours_ = false;
};

struct Destroy {
  void operator()(Zoltan_Struct* zoltan) const { Zoltan_Destroy(&zoltan); }
};

using Zoltan = std::unique_ptr<Zoltan_Struct, Destroy>;

void check(int status, const char* call) {
  // Zoltan warns when a part exceeds the imbalance asked for, as it must for few large tasks.
  if (status == ZOLTAN_OK || status == ZOLTAN_WARN) return;
  throw NoProgress(std::string(call) + " failed with status " + std::to_string(status));
}

const TaskGraph& graph_of(void* graph) { return *static_cast<const TaskGraph*>(graph); }

int count_tasks(void* graph, int* status) {
  *status = ZOLTAN_OK;
  return static_cast<int>(graph_of(graph).tasks());
}

void list_tasks(void* graph, int, int, ZOLTAN_ID_PTR ids, ZOLTAN_ID_PTR, int, float* weights,
                int* status) {
  const auto& g = graph_of(graph);
  const double mean = g.total_flops() / static_cast<double>(g.tasks());
  for (TaskGraph::Index task = 0; task < g.tasks(); ++task) {
    ids[task] = task;
    weights[task] = mean > 0 ? static_cast<float>(g.flops(task) / mean) : 1;
  }
  *status = ZOLTAN_OK;
}

void count_data(void* graph, int* lists, int* pins, int* format, int* status) {
  *lists = static_cast<int>(graph_of(graph).data());
  *pins = static_cast<int>(graph_of(graph).edges());
  *format = ZOLTAN_COMPRESSED_EDGE;
  *status = ZOLTAN_OK;
}

void list_data(void* graph, int, int, int, int, ZOLTAN_ID_PTR ids, int* begin, ZOLTAN_ID_PTR pins,
               int* status) {
  const auto& g = graph_of(graph);
  int pin = 0;
  for (TaskGraph::Index data = 0; data < g.data(); ++data) {
    ids[data] = data;
    begin[data] = pin;
    for (const auto task : g.users(data)) pins[pin++] = task;
  }
  *status = ZOLTAN_OK;
}

void count_sizes(void* graph, int* data, int* status) {
  *data = static_cast<int>(graph_of(graph).data());
  *status = ZOLTAN_OK;
}

void list_sizes(void* graph, int, int, int, int, ZOLTAN_ID_PTR ids, ZOLTAN_ID_PTR, float* weights,
                int* status) {
  const auto& g = graph_of(graph);
  const auto& bytes = g.parts().bytes;
  const auto largest = static_cast<double>(*std::max_element(bytes.begin(), bytes.end()));
  for (TaskGraph::Index data = 0; data < g.data(); ++data) {
    ids[data] = data;
    weights[data] = static_cast<float>(static_cast<double>(bytes[data]) / largest);
  }
  *status = ZOLTAN_OK;
}

Zoltan prepared(const TaskGraph& graph, const Balance& balance, std::uint64_t seed) {
  Zoltan zoltan(Zoltan_Create(MPI_COMM_SELF));
  if (!zoltan) throw NoProgress("Zoltan_Create failed");
  const std::vector<std::pair<const char*, std::string>> settings = {
      {"DEBUG_LEVEL", "0"},
      {"LB_METHOD", "HYPERGRAPH"},
      {"HYPERGRAPH_PACKAGE", "PHG"},
      {"LB_APPROACH", "PARTITION"},
      {"NUM_GLOBAL_PARTS", "2"},
      {"IMBALANCE_TOL", std::to_string(balance.imbalance)},
      {"OBJ_WEIGHT_DIM", "1"},
      {"EDGE_WEIGHT_DIM", "1"},
      {"NUM_GID_ENTRIES", "1"},
      {"NUM_LID_ENTRIES",
       "1"},  // unused, but with 0 it takes an empty list for a failed allocation
      {"RETURN_LISTS", "PARTS"},
      {"PHG_EDGE_SIZE_THRESHOLD", "1.0"},  // by default data of a quarter of the tasks are ignored
      {"SEED", std::to_string(seed % std::numeric_limits<int>::max() + 1)},
  };
  for (const auto& [name, value] : settings) {
    check(Zoltan_Set_Param(zoltan.get(), name, value.c_str()), name);
  }
  void* g = const_cast<TaskGraph*>(&graph);  // NOLINT(cppcoreguidelines-pro-type-const-cast): C
  Zoltan_Set_Num_Obj_Fn(zoltan.get(), count_tasks, g);
  Zoltan_Set_Obj_List_Fn(zoltan.get(), list_tasks, g);
  Zoltan_Set_HG_Size_CS_Fn(zoltan.get(), count_data, g);
  Zoltan_Set_HG_CS_Fn(zoltan.get(), list_data, g);
  Zoltan_Set_HG_Size_Edge_Wts_Fn(zoltan.get(), count_sizes, g);
  Zoltan_Set_HG_Edge_Wts_Fn(zoltan.get(), list_sizes, g);
  std::array<int, 2> part_ids{0, 1};
  std::array<int, 2> weights{0, 0};
  std::array<float, 2> sizes{static_cast<float>(balance.share),
                             static_cast<float>(1 - balance.share)};
  check(Zoltan_LB_Set_Part_Sizes(zoltan.get(), 1, 2, part_ids.data(), weights.data(), sizes.data()),
        "Zoltan_LB_Set_Part_Sizes");
  return zoltan;
}

/// Vertices are tasks weighted by their flops, hyperedges data weighted by their bytes.
///
/// The first call starts MPI unless it runs; the process then ends it at its exit.
/// Source: Zoltan PHG (Devine et al., IPDPS 2006).
std::vector<std::uint32_t> bisect_by_zoltan(const TaskGraph& graph, const Balance& balance,
                                            std::uint64_t seed) {
  static std::mutex mutex;  // Zoltan's random numbers are one stream per process
  const std::scoped_lock lock(mutex);
  static const Mpi mpi;
  const auto zoltan = prepared(graph, balance, seed);
  int changed = 0;
  int gid_size = 0;
  int lid_size = 0;
  struct Lists {  // NOLINT(cppcoreguidelines-special-member-functions): two, never copied
    int count = 0;
    ZOLTAN_ID_PTR gids = nullptr;
    ZOLTAN_ID_PTR lids = nullptr;
    int* processes = nullptr;
    int* parts = nullptr;
    ~Lists() { Zoltan_LB_Free_Part(&gids, &lids, &processes, &parts); }
  } import, exported;
  check(
      Zoltan_LB_Partition(zoltan.get(), &changed, &gid_size, &lid_size, &import.count, &import.gids,
                          &import.lids, &import.processes, &import.parts, &exported.count,
                          &exported.gids, &exported.lids, &exported.processes, &exported.parts),
      "Zoltan_LB_Partition");
  std::vector<std::uint32_t> part_of(graph.tasks(), 0);
  for (int i = 0; i < exported.count; ++i) {
    part_of[exported.gids[i]] = static_cast<std::uint32_t>(exported.parts[i]);
  }
  return part_of;
}

}  // namespace
}  // namespace damocles

extern "C" void damocles_bisect_by_zoltan(const damocles::TaskGraph& graph,
                                          const damocles::Balance& balance, std::uint64_t seed,
                                          std::vector<std::uint32_t>& part_of) {
  part_of = damocles::bisect_by_zoltan(graph, balance, seed);
}

#ifdef __SANITIZE_ADDRESS__
/// Asked at the end of the process. On a busy machine the leak sanitizer of GCC 12 crashes on the
/// threads of Open MPI ("Tracer caught signal 11", 17 runs of 25), so it looks only where there was
/// none.
extern "C" int __lsan_is_turned_off() { return damocles::mpi_started ? 1 : 0; }
#endif
