#pragma once

#include <toml++/toml.h>

#include <string>

#include "models/platforms/platform.hpp"

namespace damocles {

/// Processors with limited memory, and cores, of a file: `[bus] bandwidth = "12GB/s", latency =
/// "10us", sharing = "fair", depth = 4, writeback = false`, one `[[gpus]] gflops = 13253, memory =
/// "500MB", link = "12GB/s", count = 1, kind = "V100", bus = 0` a kind of GPUs, one `[[cpus]]
/// gflops = 40, count = 8` a kind of cores (they come after the GPUs), `[[links]] between = [0, 1],
/// bandwidth = "24GB/s"` for each link between GPUs.
/// @throws InvalidInput naming the line
[[nodiscard]] MachineModel read_machine(const toml::table& file, const std::string& path);

}  // namespace damocles
