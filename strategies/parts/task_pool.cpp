#include "strategies/parts/task_pool.hpp"

#include <fmt/format.h>

#include <bit>
#include <new>
#include <numeric>

#include "models/error.hpp"

namespace damocles {
namespace {

constexpr std::uint64_t tasks_a_bucket = 1U << 15U;  // 256 KiB: the second-level cache
constexpr unsigned max_bucket_bits = 16;             // a bucket costs a quarter of a random number

/// Random bucket numbers, four to a 64-bit draw. A copy of the generator repeats them.
class BucketDraws {
 public:
  BucketDraws(Rng rng, unsigned bits) : rng_(rng), bits_(bits) {}

  std::size_t next() {
    if (left_ == 0) {
      word_ = rng_.next();
      left_ = 4;
    }
    --left_;
    const std::size_t bucket = word_ & ((std::uint64_t{1} << bits_) - 1);
    word_ >>= 16U;
    return bucket;
  }
  [[nodiscard]] const Rng& rng() const { return rng_; }

 private:
  Rng rng_;
  unsigned bits_;
  unsigned left_ = 0;
  std::uint64_t word_ = 0;
};

}  // namespace

template <typename ForEach>
void TaskPool::scatter(std::uint64_t count, ForEach&& for_each, Rng& rng) {
  try {
    tasks_.resize(count);
  } catch (const std::bad_alloc&) {
    throw InvalidInput(
        fmt::format("{} tasks in random order need {:.1f} GB and do not fit in memory; "
                    "predict the workload, or simulate a smaller one",
                    count, static_cast<double>(count) * 8e-9));
  }
  unsigned bits = 0;
  while (bits < max_bucket_bits && (count >> bits) > tasks_a_bucket) ++bits;
  if (bits == 0) {
    bucket_end_ = {count};
    std::size_t at = 0;
    for_each([&](TaskId task) { tasks_[at++] = raw(task); });
    return;
  }
  // Twice the same draws: once to size the buckets, once to fill them.
  std::vector<std::uint64_t> fill(std::size_t{1} << bits, 0);
  BucketDraws sizes(rng, bits);
  for (std::uint64_t i = 0; i < count; ++i) ++fill[sizes.next()];
  bucket_end_.resize(fill.size());
  std::inclusive_scan(fill.begin(), fill.end(), bucket_end_.begin());
  std::exclusive_scan(fill.begin(), fill.end(), fill.begin(), std::uint64_t{0});
  BucketDraws targets(rng, bits);
  for_each([&](TaskId task) { tasks_[fill[targets.next()]++] = raw(task); });
  rng = sizes.rng();
}

TaskPool::TaskPool(const Workload& workload, Rng& rng)
    : promise_(static_cast<double>(workload.tasks()) * 8, MemoryPromise::Others::count) {
  const auto all = [&](auto&& visit) {
    for (std::uint64_t id = 0; id < workload.tasks(); ++id) visit(TaskId{id});
  };
  scatter(workload.tasks(), all, rng);
}

TaskPool::TaskPool(const OpenTasks& open, Rng& rng)
    : promise_(static_cast<double>(open.count()) * 8, MemoryPromise::Others::count) {
  scatter(
      open.count(), [&](auto&& visit) { open.for_each(visit); }, rng);
}

TaskId TaskPool::draw(Rng& rng) {
  while (next_ == ordered_) {
    const std::size_t end = bucket_end_[bucket_++];
    rng.shuffle(std::span(tasks_).subspan(ordered_, end - ordered_));
    ordered_ = end;
  }
  return TaskId{tasks_[next_++]};
}

}  // namespace damocles
