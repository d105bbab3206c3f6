// The ranks of an MPI job, where the program was started as one: who they are, and messages.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "experiments/cluster/dealer.hpp"

namespace damocles {

/// The other ranks, from the view of one. Of a job of several ranks there is one object in each.
class Ranks {
 public:
  Ranks() = default;
  virtual ~Ranks() = default;
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  [[nodiscard]] virtual int rank() const = 0;
  [[nodiscard]] virtual int size() const = 0;
  /// Never waits. What is sent to a lost rank is lost.
  virtual void send(RankMessage message) = 0;
  /// A message, with the rank that sent it; none where there is none now.
  [[nodiscard]] virtual std::optional<RankMessage> receive() = 0;
  /// Leaves the job. Together: all ranks do so now, and what was sent has arrived.
  virtual void end(bool together) = 0;
};

/// The job that an MPI launcher (mpirun, srun) started this program for; null where it did not, or
/// the program is alone in it. MPI is not touched then.
/// @throws InvalidInput where there are several ranks and the program was built without MPI
[[nodiscard]] std::unique_ptr<Ranks> join_ranks();

}  // namespace damocles
