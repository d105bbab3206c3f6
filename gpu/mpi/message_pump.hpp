// The loop of the one thread of a rank that sends and receives.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "models/ranks.hpp"
#include "models/running_clock.hpp"

namespace damocles {

/// Sends what other threads post, and hands on what arrives.
///
/// MPI belongs to the thread that pumps: then no MPI must serve several threads at once, and none
/// of them waits inside MPI, which takes a whole core. Between two looks the thread sleeps, the
/// longer the longer nothing came, so that many ranks may share a core. What is posted wakes it.
class MessagePump {
 public:
  /// Ranks that pump as well, of which one is lost when nothing was heard of it for so long.
  struct Watch {
    static constexpr double usual_silence_s = 120;  ///< longer than a rank is busy with a message
    std::vector<int> ranks{};
    double silence_s = usual_silence_s;
    std::function<void(int rank)> lost{};  ///< told once of each, on the thread that pumps
  };

  /// `ranks` outlives it.
  explicit MessagePump(Ranks& ranks);

  /// Any thread.
  void post(RankMessage message);
  /// Pumps until stop(), and until what was posted before is sent. Tells the ranks that it watches
  /// every second that this one lives.
  void run(const std::function<void(RankMessage)>& take, const Watch& watch);
  /// Any thread.
  void stop();

 private:
  bool send_posted();
  bool take_arrived(const std::function<void(RankMessage)>& take);
  void look_at_clock(const Watch& watch);

  Ranks& ranks_;
  std::string sign_of_life_;  // a message
  RunningClock clock_;
  std::map<int, double> heard_s_;  // of the ranks that are watched and not lost
  double told_s_ = 0;
  std::mutex mutex_;  // of all that follows
  std::condition_variable changed_;
  std::vector<RankMessage> posted_;
  bool stopping_ = false;
};

}  // namespace damocles
