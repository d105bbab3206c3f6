#pragma once

#include <toml++/toml.h>

#include <string>

#include "models/platforms/platform.hpp"
#include "models/spec.hpp"

namespace damocles {

/// `gpus:k=2,memory=500MB,bandwidth=12GB/s,gflops=13253`: k equal GPUs; what is not given is that
/// of the preset (gpu_presets.hpp), `v100` where none is named, in the `precision=` named. The
/// latency of 10 us a transfer is not in the papers: it is what SimGrid's model of that machine
/// shows (docs/peers.md).
/// @throws InvalidInput on unknown keys or values out of range
[[nodiscard]] Limits parse_gpus(const Spec& spec);

/// The same from a file, GPUs of different kinds:
/// `[bus] bandwidth = "12GB/s", latency = "10us", sharing = "fair", depth = 4, writeback = false`
/// and one `[[gpus]] gflops = 13253, memory = "500MB", link = "12GB/s", count = 1` a kind.
/// @throws InvalidInput naming the line
[[nodiscard]] Limits read_gpus(const toml::table& file, const std::string& path);

}  // namespace damocles
