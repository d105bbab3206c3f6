#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "gpu/runtime.hpp"
#include "models/ids.hpp"
#include "models/workload.hpp"

namespace damocles {

/// What the data of a workload hold, what its tasks compute, and whether the result is right.
class Work {
 public:
  Work() = default;
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;
  virtual ~Work() = default;

  /// Where the data lies in host memory, and how large it is [B].
  [[nodiscard]] virtual std::byte* place(DataId data) = 0;
  [[nodiscard]] virtual std::size_t bytes(DataId data) const = 0;
  /// Computes the task on the calling thread. @param at  where each data item is that the task
  /// accesses, in the order of TaskGraph::inputs()
  virtual void run(TaskId task, ProcessorId processor, std::span<std::byte* const> at) = 0;
  /// All tasks have ended, and all data are home; bytes that were summed up then.
  virtual std::uint64_t end() { return 0; }
  [[nodiscard]] virtual Verification verify() = 0;
  [[nodiscard]] virtual double flops() const = 0;  ///< of all tasks; 0: they are no arithmetic
};

/// Products, checksums, or nothing: those of executors (gpu/arithmetic).
[[nodiscard]] std::unique_ptr<Work> arithmetic_work(const Workload& workload,
                                                    const RuntimeRequest& request,
                                                    std::size_t processors);
/// A factorisation of a matrix. @throws InvalidInput where the workload is none
[[nodiscard]] std::unique_ptr<Work> factorisation_work(const Workload& workload,
                                                       const RuntimeRequest& request);

}  // namespace damocles
