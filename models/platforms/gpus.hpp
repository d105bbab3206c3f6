#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "models/platforms/key_text.hpp"
#include "models/platforms/platform.hpp"
#include "models/spec.hpp"

namespace damocles {

/// `gpus:k=2,memory=500MB,bandwidth=12GB/s,gflops=13253`: k equal GPUs, and with
/// `cpus=8,cpu_gflops=40` so many cores after them, which compute where all data lie; what is not
/// given is that of the preset (gpu_presets.hpp), `v100` where none is named, in the `precision=`
/// named. The latency of 10 us a transfer is not in the papers: it is what SimGrid's model of that
/// machine shows (docs/explanation/peers.md).
/// @throws InvalidInput on unknown keys or values out of range
[[nodiscard]] MachineModel parse_gpus(const Spec& spec);

/// "2 V100 of 500 MB (memory= changes it)" of a platform `gpus:` whose memory is its preset's, as
/// it does not say another; of any other "".
[[nodiscard]] std::string preset_memory_in_words(std::string_view platform);

/// The keys that parse_gpus() takes.
[[nodiscard]] std::vector<KeyText> keys_of_gpus_form();

}  // namespace damocles
