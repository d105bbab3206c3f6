// An MPI job in one process: each rank is a thread, and messages go through memory.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "gpu/host/host_device.hpp"
#include "gpu/mpi/rank_device.hpp"
#include "gpu/mpi/rank_job.hpp"
#include "gpu/mpi/rank_messages.hpp"
#include "gpu/mpi/rank_processor.hpp"
#include "models/rng.hpp"

namespace damocles {

/// Messages on their way between so many ranks. Those that are bulk are overtaken now and then.
class Network {
 public:
  explicit Network(std::size_t ranks) : boxes_(ranks), rng_(3, Draw::test, 0) {}

  void send(int from, const RankMessage& message) {
    static const std::size_t head_bytes = MessageWriter({}).take().size();
    const std::lock_guard lock(mutex_);
    if (message.bulk) content_bytes_ += message.text.size() - head_bytes;
    boxes_.at(static_cast<std::size_t>(message.rank)).push_back({from, message.text, message.bulk});
  }
  std::optional<RankMessage> receive(int rank) {
    const std::lock_guard lock(mutex_);
    auto& box = boxes_.at(static_cast<std::size_t>(rank));
    for (auto one = box.begin(); one != box.end(); ++one) {
      if (one->bulk && rng_.below(2) == 0) continue;
      RankMessage message = std::move(*one);
      box.erase(one);
      return message;
    }
    return std::nullopt;
  }
  /// Of all data that were sent.
  [[nodiscard]] std::uint64_t content_bytes() {
    const std::lock_guard lock(mutex_);
    return content_bytes_;
  }

 private:
  std::mutex mutex_;
  std::vector<std::deque<RankMessage>> boxes_;
  Rng rng_;
  std::uint64_t content_bytes_ = 0;
};

class ThreadRanks final : public Ranks {
 public:
  ThreadRanks(Network& network, int rank, int size) : network_(network), rank_(rank), size_(size) {}
  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return size_; }
  [[nodiscard]] std::string library() const override { return "threads"; }
  void send(RankMessage message) override { network_.send(rank_, message); }
  [[nodiscard]] std::optional<RankMessage> receive() override { return network_.receive(rank_); }
  [[nodiscard]] bool has_messages_under_way() override { return false; }
  void end(bool /*together*/) override {}

 private:
  Network& network_;
  int rank_;
  int size_;
};

/// Rank 0, and a thread for each other rank.
class RanksOnThreads {
 public:
  using MakeOwn = std::function<std::unique_ptr<Device>(int rank)>;
  static std::unique_ptr<Device> host_device(int /*rank*/) { return make_host_device({}); }

  /// @param make_own  what a rank computes on
  explicit RanksOnThreads(std::size_t processors, const MakeOwn& make_own = host_device)
      : network_(processors + 1) {
    const int size = static_cast<int>(processors) + 1;
    job_ = std::make_unique<RankJob>(std::make_unique<ThreadRanks>(network_, 0, size));
    for (int rank = 1; rank < size; ++rank) {
      threads_.emplace_back([this, rank, size, make_own] {
        ThreadRanks ranks(network_, rank, size);
        const auto device = make_own(rank);
        serve_as_processor(ranks, *device);
      });
    }
  }
  RanksOnThreads(const RanksOnThreads&) = delete;
  RanksOnThreads& operator=(const RanksOnThreads&) = delete;
  ~RanksOnThreads() {
    job_.reset();
    for (std::thread& thread : threads_) thread.join();
  }

  [[nodiscard]] RankJob& job() { return *job_; }
  [[nodiscard]] Network& network() { return network_; }

 private:
  Network network_;
  std::unique_ptr<RankJob> job_;
  std::vector<std::thread> threads_;
};

}  // namespace damocles
