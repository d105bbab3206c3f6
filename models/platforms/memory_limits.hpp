#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/platforms/platform.hpp"
#include "models/workload.hpp"

namespace damocles {

/// Room for the data of every workload [B]: of processors that compute where all data lie.
inline constexpr std::uint64_t home_bytes = std::uint64_t{1} << 62U;

/// Memory of each processor [B], shape (p). @throws InvalidInput if it is given as a number of data
/// and the data have several sizes
[[nodiscard]] std::vector<std::uint64_t> memory_bytes(const MachineModel& machine,
                                                      const Workload& workload);

/// Tasks in a processor's buffer, the running one included, that keep it busy while data travel:
/// ceil(K r) + 2 for K processors on one bus (where there are several, on the one where that is
/// most), r the time of a transfer over that of a task, both of mean size; from 2 to 16. With fewer
/// the bus or a processor idles between two tasks; with many more, decisions are taken long before
/// they count. 2 where the workload has no sizes.
[[nodiscard]] std::uint64_t prefetch_depth(const MachineModel& machine, const Workload& workload);

/// The memory to ask for where that many bytes are needed: "memory=2data" if all data items have
/// one size, else "memory=500B".
[[nodiscard]] std::string memory_to_give(const TaskGraph& graph, std::uint64_t bytes);

/// @throws InvalidInput if the workload cannot run in limited memory at all: it has no sizes
void refuse_unlimited(const Workload& workload);

/// @throws InvalidInput if a task's inputs (and its output, where outputs are written back) exceed
/// the memory [B] of a processor of the machine
void refuse_unfit(const Workload& workload, const MachineModel& machine,
                  const std::vector<std::uint64_t>& memory, bool write_back);

}  // namespace damocles
