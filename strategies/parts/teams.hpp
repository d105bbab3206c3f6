#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "models/ids.hpp"
#include "models/platforms/durations.hpp"
#include "models/spec.hpp"
#include "models/workload.hpp"
#include "strategies/option.hpp"

namespace damocles {

/// Cores that compute tasks together; the first is the primary, which is granted them.
using Team = std::vector<ProcessorId>;

/// StarPU's combined workers: of each kind of cores that are alike (TeamLaws) all are one, the two
/// halves of one are, the first the larger, and so on down to two cores.
///
/// Options `smallest` and `largest`: cores of a team, at least 2; StarPU's STARPU_MIN_WORKERSIZE
/// and STARPU_MAX_WORKERSIZE. So of 8 cores with largest=4 the primaries are 0, 2, 4 and 6.
///
/// Source: StarPU handbook, "Parallel Tasks", and its code, which takes them from the machine's
/// tree of caches, and of what lies below one of these side by side takes halves.
/// @return  larger ones first within a kind's halves; of one size in the order of their primaries
[[nodiscard]] std::vector<Team> teams_of_cores(const TeamLaws& laws, const Spec& spec);

/// Why these options do not go together, or "": StrategyEntry::misfit.
[[nodiscard]] std::string team_misfit(const Spec& spec, const Workload& workload);

/// These options, behind those given.
[[nodiscard]] std::vector<StrategyOption> with_team_options(
    std::vector<StrategyOption> options = {});

/// A line of tasks for each core. A team's task stands in the lines of all its members, behind the
/// same tasks in each, and begins when it is the first in all of them and they compute nothing; so
/// nobody can wait in a circle.
class TeamLines {
 public:
  using Index = TaskGraph::Index;

  explicit TeamLines(std::size_t processors) : cores_(processors) {}

  /// The task stands last in the line of each member.
  void add(Index task, Team members);
  /// The core asks for work, so it computes nothing of its own.
  /// @return  the task that it is to be granted, from now on held up by all its team
  std::optional<Index> next(ProcessorId core);
  /// Whether the core was granted nothing when it asked last, and is in no team's line.
  [[nodiscard]] bool idle(ProcessorId core) const {
    return cores_[raw(core)].is == Core::Is::free && cores_[raw(core)].line.empty();
  }
  /// The core was granted a task that stood in no line.
  void granted_alone(ProcessorId core) { cores_[raw(core)].is = Core::Is::busy; }
  /// The task has ended, whether it stood in a line or not.
  void finished(Index task);

  /// Of a task that was granted and has not finished: all members but the primary.
  [[nodiscard]] std::span<const ProcessorId> helpers(Index task) const;
  /// Whether, since the last call, a team's members came together or were freed, so that they are
  /// to be asked again.
  [[nodiscard]] bool consume_wakeup() { return std::exchange(wake_, false); }

 private:
  struct Core {
    enum class Is {
      busy,  ///< or was never asked
      free,  ///< asked, and was granted nothing
      held,  ///< by a team's task, granted to another
    };
    std::deque<Index> line{};
    Is is = Is::busy;
  };

  std::vector<Core> cores_;
  std::map<Index, Team> teams_;  // of tasks in lines, or granted and not finished
  bool wake_ = false;
};

}  // namespace damocles
