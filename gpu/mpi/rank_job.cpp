#include "gpu/mpi/rank_job.hpp"

#include <utility>

#include "gpu/mpi/rank_messages.hpp"

namespace damocles {

RankJob*& RankJob::place() {
  // NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): MPI has one job a process
  static RankJob* job = nullptr;
  return job;
}

RankJob::RankJob(std::unique_ptr<Ranks> ranks)
    : ranks_(std::move(ranks)),
      others_(ranks_->size() - 1),
      library_(ranks_->library()),
      pump_(*ranks_),
      thread_([this] {
        pump_.run([this](RankMessage message) {
          const std::lock_guard lock(receiving_);
          if (receiver_) receiver_(std::move(message));
        });
      }) {
  place() = this;
}

RankJob::~RankJob() {
  place() = nullptr;
  for (int rank = 1; rank <= others_; ++rank) {
    post({rank, MessageWriter({RankVerb::end}).take()});
  }
  pump_.stop();
  thread_.join();
  ranks_->end(true);
}

void RankJob::set_receiver(Receiver receiver) {
  const std::lock_guard lock(receiving_);
  receiver_ = std::move(receiver);
}

}  // namespace damocles
