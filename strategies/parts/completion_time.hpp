#pragma once

#include <array>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "models/platforms/durations.hpp"
#include "models/platforms/energy.hpp"
#include "strategies/parts/alike_processors.hpp"
#include "strategies/parts/teams.hpp"
#include "strategies/parts/work_by_priority.hpp"
#include "strategies/registry.hpp"

namespace damocles {

/// What a policy that places tasks by their completion counts.
struct Placing {
  bool transfers = true;  ///< else StarPU's dm: durations alone
  /// Of what a processor has been allotted only what goes before the task, as its priority says:
  /// StarPU's dmdasd.
  bool by_priority = false;
  /// A transfer that takes longer than what goes before the task delays its end.
  bool transfers_delay = true;
  /// On teams of cores too (parts/teams.hpp, whose options count then): StarPU's pheft.
  bool teams = false;
};

/// Weights of what a placement costs: alpha (end) + beta (transfer) + gamma (energy, and what idle
/// processors draw for as long as it makes the whole run longer). Defaults: StarPU's.
struct CostWeights {
  double alpha = 1;
  double beta = 1;
  double gamma_s_per_j = 1e-3;
  double idle_w = 0;

  /// As the options alpha, beta, gamma [us/J] and idle-power [W] say.
  /// @throws InvalidInput on a value that is no number, is negative or above 10^9
  [[nodiscard]] static CostWeights of(const Spec& spec);
};

/// Key and meaning of these options, behind those given.
[[nodiscard]] std::vector<StrategyOption> with_cost_options(
    std::vector<StrategyOption> options = {});

/// Whether the transfers to a processor follow each other (CompletionTimes); of policies that count
/// the wait for them.
[[nodiscard]] StrategyOption transfers_option();

/// Allots each task to the processor where it is expected to complete first (IPDPS'22, Algorithm 1,
/// DMDA), of those that can run it; ties: the lowest id.
///
/// The paper's Eq. 1 counts the transfer and the task alone; taken literally it would give
/// everything to one processor, whose memory it takes for unlimited. As StarPU does, the work
/// allotted before counts too, and a transfer that fits behind it costs no time of its own but
/// weighs once more, as a penalty on moving data:
///   alpha (max(end of what is allotted, transfer) + computing) + beta transfer
///     + gamma (energy + idle power max(0, that end - the latest end of what is allotted)).
/// Energy counts where the platform says what processors draw. Work that was done is allotted no
/// longer; what a task writes is from then on held by its processor alone. Where a task waits for
/// its transfer, that wait counts as allotted work until the task starts (StarPU's
/// pre_exec_hook), and the task itself until it has ended.
///
/// Each transfer is taken for the only one, as StarPU does. With transfers=queued the transfers of
/// the tasks that were allotted before, and have not started, come first on the way to a processor.
///
/// Where many processors are alike it looks at those that hold some input, and of all others at the
/// one with the least to do; the choice is the same
/// (tests/strategies/parts/completion_time_test.cpp). Where priorities place, what each has to do
/// is kept for each priority, if these are few.
///
/// A team is allotted what it computes together from when the last of its cores has ended what it
/// was allotted; of equal costs a single processor gets the task, then the larger team.
class CompletionTimes {
 public:
  using Index = TaskGraph::Index;

  /// What the setting refers to outlives it. @throws InvalidInput as CostWeights::of()
  explicit CompletionTimes(const StrategyContext& context, Placing placing = {});

  /// Where a task would go.
  struct Choice {
    ProcessorId processor{};
    double end_s = 0;                        ///< when it is expected to complete there
    std::span<const ProcessorId> helpers{};  ///< with whom the processor computes it
  };
  [[nodiscard]] Choice choose(Index task);
  /// Between its soonest and its latest end, over all that can run it.
  [[nodiscard]] double spread_s(Index task);
  /// The task goes there. @pre choice is of choose(task), and nothing was allotted since
  void allot(Index task, const Choice& choice);
  /// The processor that gets the task.
  ProcessorId allot(Index task);
  /// The task no longer waits: nothing goes before it. Told by policies that place by priority.
  void granted(ProcessorId processor, Index task);
  /// The processor started to compute a task that was allotted to it: its inputs have arrived.
  void started(ProcessorId processor, Index task);
  /// A task that was allotted to the processor has run.
  void finished(ProcessorId processor, Index task);
  /// Whether all that was allotted has run.
  [[nodiscard]] bool idle() const { return left_ == 0; }

 private:
  /// What one processor has been allotted so far.
  struct Allotted {
    std::vector<bool> held;  ///< data, by what was allotted: nothing is evicted here
    double left_s = 0;       ///< until what is left of it ends
    double transfers_s = 0;  ///< of the tasks that have not started
    std::size_t tasks = 0;   ///< that are left
  };

  /// What was counted for a task that has not started.
  struct Counted {
    double transfer_s = 0;
    double wait_s = 0;  ///< of its processor, for that transfer
  };

  /// Who may compute a task: one processor, or a team.
  using Place = std::span<const ProcessorId>;

  /// What a placement costs, and where it is.
  struct Candidate {
    double cost_s = 0;
    Place at;
    double end_s = 0;
  };

  template <typename Visit>
  void for_each_place(Index task, Visit&& visit) const;
  template <typename Visit>
  void for_each_holder(Index task, Visit&& visit) const;
  template <typename Visit>
  void for_each_promising_place(Index task, Visit&& visit);
  [[nodiscard]] bool all_hold_an_input(std::size_t group, Index task);
  [[nodiscard]] double start_s(Place at, Index task, double transfer_s) const;
  [[nodiscard]] Candidate candidate(Place at, Index task) const;
  [[nodiscard]] double transfer_s(std::size_t k, Index task) const;
  [[nodiscard]] double full_transfer_s(std::size_t k, Index task) const;
  /// Of one data item that the processor does not hold.
  [[nodiscard]] double transfer_of(std::size_t k, Index data) const;
  /// Until the inputs of the task have come, whose own transfer takes so long.
  [[nodiscard]] double arrival_s(std::size_t k, double transfer_s) const {
    return queued_ ? all_[k].transfers_s + transfer_s : transfer_s;
  }
  [[nodiscard]] std::size_t rank(Index task) const { return waiting_ ? waiting_->rank(task) : 0; }
  [[nodiscard]] double before_s(std::size_t k, std::size_t rank) const;
  [[nodiscard]] double cost(Place at, Index task, double end_s, double transfer_s) const;
  void allot_to_team(Index task, const Choice& choice);
  [[nodiscard]] bool in_host_memory(std::size_t k) const;
  void note_accesses(std::size_t by, Index task);
  void set_left(std::size_t k, double left_s);
  void add_waiting(std::size_t k, Index task, double work_s);
  void note_work(std::size_t k);
  void hold(std::size_t k, Index data);
  void drop(Index data);
  [[nodiscard]] double compute_s(std::size_t k, Index task) const { return durations_.s(k, task); }

  const TaskGraph& graph_;
  const Platform& platform_;
  Placing placing_;
  CostWeights weights_;
  Durations durations_;
  Powers powers_;
  bool any_in_host_memory_;
  bool queued_;  // transfers to a processor follow each other
  std::vector<double>
      rates_;  // at which each processor expects its inputs [B/s]; unlimited memory: empty
  std::vector<Allotted> all_;
  std::vector<Counted> counted_;                     // by task
  std::vector<std::size_t> home_;                    // processors that compute where all data lie
  std::vector<std::vector<std::uint32_t>> holders_;  // of each data item, beside these
  std::optional<AlikeProcessors> alike_;  // where they differ by what they hold and have to do
  std::vector<ProcessorId> singles_;      // every processor
  std::vector<Team> teams_;
  // Of each task that a team was allotted: what it took of each member's time, waits included [s].
  std::map<Index, std::vector<std::pair<ProcessorId, double>>> shares_s_;
  std::optional<WorkByPriority> waiting_;  // where priorities place
  std::size_t left_ = 0;                   // tasks, on all
  double latest_s_ = 0;  // end of what is allotted, on any; where idle power counts
};

}  // namespace damocles
