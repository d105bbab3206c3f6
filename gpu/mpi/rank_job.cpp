#include "gpu/mpi/rank_job.hpp"

#include <utility>
#include <vector>

#include "gpu/mpi/rank_messages.hpp"

namespace damocles {

RankJob*& RankJob::place() {
  // NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): MPI has one job a process
  static RankJob* job = nullptr;
  return job;
}

RankJob::RankJob(std::unique_ptr<Ranks> ranks, double silence_s)
    : ranks_(std::move(ranks)),
      others_(ranks_->size() - 1),
      silence_s_(silence_s),
      library_(ranks_->library()),
      pump_(*ranks_),
      thread_([this] { pump(); }) {
  place() = this;
}

void RankJob::pump() {
  std::vector<int> watched;
  for (int rank = 1; rank <= others_; ++rank) watched.push_back(rank);
  const auto take = [this](RankMessage message) {
    const std::lock_guard lock(receiving_);
    if (receiver_.take) receiver_.take(std::move(message));
  };
  const auto lose = [this](int rank) {
    const std::lock_guard lock(receiving_);
    lost_.insert(rank);
    if (receiver_.lost) receiver_.lost(rank);
  };
  pump_.run(take, {watched, silence_s_, lose});
}

RankJob::~RankJob() {
  place() = nullptr;
  bool together = false;
  {
    const std::lock_guard lock(receiving_);
    together = lost_.empty();
  }
  for (int rank = 1; rank <= others_; ++rank) {
    post({rank, MessageWriter({together ? RankVerb::end : RankVerb::leave}).take()});
  }
  pump_.stop();
  thread_.join();
  ranks_->end(together);
}

void RankJob::set_receiver(Receiver receiver) {
  const std::lock_guard lock(receiving_);
  receiver_ = std::move(receiver);
  if (!receiver_.lost) return;
  for (const int rank : lost_) receiver_.lost(rank);
}

}  // namespace damocles
