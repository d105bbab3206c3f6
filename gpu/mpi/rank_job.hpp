// Rank 0 of an MPI job whose other ranks compute: the thread that sends and receives.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "gpu/mpi/message_pump.hpp"
#include "gpu/mpi/ranks.hpp"

namespace damocles {

/// The job as rank 0 has it, from the start of the program to its end: devices come and go
/// meanwhile. At most one in a process, which devices find by current().
class RankJob {
 public:
  using Receiver = std::function<void(RankMessage)>;

  explicit RankJob(std::unique_ptr<Ranks> ranks);
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
  /// Whom messages go to, on the job's thread; null: nobody wants them. Once this returns, the one
  /// before is not called any more.
  void set_receiver(Receiver receiver);
  /// A number that no run of this job has had, above 0. One thread at a time.
  [[nodiscard]] std::uint32_t new_run() { return ++runs_; }

 private:
  [[nodiscard]] static RankJob*& place();

  std::unique_ptr<Ranks> ranks_;
  int others_;
  std::string library_;
  std::uint32_t runs_ = 0;
  MessagePump pump_;
  std::mutex receiving_;
  Receiver receiver_;
  std::thread thread_;
};

}  // namespace damocles
