// The ranks of an MPI job, where the program was started as one: who they are, and messages.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace damocles {

/// A message from or to a rank.
struct RankMessage {
  int rank = 0;
  std::string text;
  /// It is large: messages that are sent after it may arrive before it. All others arrive in the
  /// order in which a rank sends them.
  bool bulk = false;
};

/// The other ranks, from the view of one. Of a job of several ranks there is one object in each.
/// One thread at a time uses it.
class Ranks {
 public:
  Ranks() = default;
  virtual ~Ranks() = default;
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  [[nodiscard]] virtual int rank() const = 0;
  [[nodiscard]] virtual int size() const = 0;
  /// What carries the messages, as "Open MPI v4.1.4".
  [[nodiscard]] virtual std::string library() const = 0;
  /// Never waits. What is sent to a lost rank is lost.
  virtual void send(RankMessage message) = 0;
  /// A message, with the rank that sent it; none where there is none now.
  [[nodiscard]] virtual std::optional<RankMessage> receive() = 0;
  /// Whether a message has begun to leave or to arrive. Calls of receive() bring it on.
  [[nodiscard]] virtual bool has_messages_under_way() = 0;
  /// Leaves the job. Together: all ranks do so now, and what was sent has arrived.
  virtual void end(bool together) = 0;
};

/// The job that an MPI launcher (mpirun, srun) started this program for; null where it did not, or
/// the program is alone in it. MPI is not touched then. Once a process.
/// @param otherwise  what to do where the program was built without MPI, for the message
/// @throws InvalidInput where there are several ranks and the program was built without MPI
[[nodiscard]] std::unique_ptr<Ranks> join_ranks(std::string_view otherwise = "");

/// Whether an MPI launcher started this program, alone or not.
[[nodiscard]] bool is_rank();

/// How many copies of this program srun started of which none knows of the others, as its option
/// --mpi is missing; 0 where it did not start several.
[[nodiscard]] int unconnected_copies();

/// Whether the program was built with MPI.
[[nodiscard]] bool mpi_was_built();

}  // namespace damocles
