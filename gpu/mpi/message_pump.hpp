// The loop of the one thread of a rank that sends and receives.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <vector>

#include "gpu/mpi/ranks.hpp"

namespace damocles {

/// Sends what other threads post, and hands on what arrives.
///
/// MPI belongs to the thread that pumps: then no MPI must serve several threads at once, and none
/// of them waits inside MPI, which takes a whole core. Between two looks the thread sleeps, the
/// longer the longer nothing came, so that many ranks may share a core. What is posted wakes it.
class MessagePump {
 public:
  /// `ranks` outlives it.
  explicit MessagePump(Ranks& ranks) : ranks_(ranks) {}

  /// Any thread.
  void post(RankMessage message);
  /// Pumps until stop(), and until what was posted before is sent.
  void run(const std::function<void(RankMessage)>& take);
  /// Any thread.
  void stop();

 private:
  bool send_posted();

  Ranks& ranks_;
  std::mutex mutex_;  // of all that follows
  std::condition_variable changed_;
  std::vector<RankMessage> posted_;
  bool stopping_ = false;
};

}  // namespace damocles
