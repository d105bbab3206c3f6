#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <numeric>

#include "tests/gpu/executed_run.hpp"

namespace damocles {

/// Workloads of every arithmetic.
inline constexpr std::array every_arithmetic{"gemm2d:n=5,tile=8,k=16",
                                             "gemm3d:n=3,tile=8",
                                             "gemm3d:n=3,tile=8,c=yes",
                                             "gemm3d:n=3,tile=8,c=later",
                                             "sparse2d:n=8,tile=8,k=8,density=0.3",
                                             "cholesky:n=4,tile=4,deps=false"};

/// With two cores beside so many GPUs results are right, and nothing moves to or from the cores.
inline void expect_right_in_host_memory(const Workload& workload, std::size_t gpus,
                                        MakeDevice device) {
  for (const bool write_back : {false, true}) {
    SCOPED_TRACE(testing::Message() << gpus << " GPUs, write_back " << write_back);
    Platform platform = limited(gpus, 2 * room_bytes(workload, Room::all), 2);
    platform.machine->write_back = write_back;
    add_cores(platform, 2);

    ExecutedRun run(workload, platform, {.faulty = {.jitter_us = 20}, .device = device});
    run.by("eager");

    run.expect_sound();
    const Trace& trace = run.execution.trace;
    for (std::size_t core = gpus; core < gpus + 2; ++core) {
      EXPECT_EQ(trace.loads[core], 0U);
      EXPECT_EQ(trace.bytes_written[core], 0U);
      EXPECT_EQ(run.execution.peak_bytes[core], 0U);
    }
    const auto ran = std::accumulate(trace.tasks.begin(), trace.tasks.end(), std::uint64_t{0});
    EXPECT_EQ(ran, workload.tasks());
  }
}

}  // namespace damocles
