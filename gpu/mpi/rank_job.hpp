// Rank 0 of an MPI job whose other ranks compute: the thread that sends and receives.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>

#include "gpu/mpi/message_pump.hpp"
#include "models/ranks.hpp"

namespace damocles {

/// The job as rank 0 has it, from the start of the program to its end: devices come and go
/// meanwhile. At most one in a process, which devices find by current().
class RankJob {
 public:
  /// Who wants to know what arrives. Both are called on the job's thread.
  struct Receiver {
    std::function<void(RankMessage)> take;
    std::function<void(int rank)> lost;  ///< nothing is heard of that rank any more
  };

  explicit RankJob(std::unique_ptr<Ranks> ranks,
                   double silence_s = MessagePump::Watch::usual_silence_s);
  RankJob(const RankJob&) = delete;
  RankJob& operator=(const RankJob&) = delete;
  /// Ends all ranks.
  ~RankJob();

  /// Null where this process is not rank 0 of such a job.
  [[nodiscard]] static RankJob* current() { return place(); }

  /// Ranks that compute; their numbers begin with 1.
  [[nodiscard]] int others() const { return others_; }
  [[nodiscard]] const std::string& library() const { return library_; }
  /// Any thread.
  void post(RankMessage message) { pump_.post(std::move(message)); }
  /// Whom messages go to; it is told at once of ranks that are lost already. Without functions:
  /// nobody wants them. Once this returns, the one before is not called any more.
  void set_receiver(Receiver receiver);
  /// After so long a rank is lost of which nothing is heard [s].
  [[nodiscard]] double silence_s() const { return silence_s_; }
  /// A number that no run of this job has had, above 0. One thread at a time.
  [[nodiscard]] std::uint32_t new_run() { return ++runs_; }

 private:
  [[nodiscard]] static RankJob*& place();
  void pump();

  std::unique_ptr<Ranks> ranks_;
  int others_;
  double silence_s_;
  std::string library_;
  std::uint32_t runs_ = 0;
  MessagePump pump_;
  std::mutex receiving_;  // of what follows
  Receiver receiver_;
  std::set<int> lost_;
  std::thread thread_;
};

}  // namespace damocles
