#pragma once

#include <cstddef>
#include <istream>
#include <string>
#include <string_view>
#include <vector>

#include "models/digest.hpp"

namespace damocles {

/// What StarPU measured of a machine's bus, as it keeps it in ~/.starpu/sampling/bus.
///
/// HOST.config says how many devices there are, HOST.bandwidth and HOST.latency what a copy between
/// two of their memories gets and takes: a row for each memory that it comes from, the memories of
/// NUMA nodes before those of devices. Its units, MB/s and us, are made B/s and s here.
/// Source: StarPU 1.3, src/core/perfmodel/perfmodel_bus.c; files of starpu_calibrate_bus.
struct BusSampling {
  SourceFile file{};  ///< that was named, and the digest of all three
  std::size_t homes = 1;
  std::size_t gpus = 0;
  /// From home, the NUMA node nearest to each GPU; and back [B/s], shape (gpus).
  std::vector<double> to_gpu{};
  std::vector<double> to_home{};
  std::vector<double> latency_s{};  ///< from host memory to each GPU, shape (gpus)
  /// Between GPUs [B/s]; 0 where nothing was measured. Shape (gpus, gpus).
  std::vector<std::vector<double>> between{};

  /// `path` names one of the files, or HOST alone. @throws InvalidInput naming file and line where
  /// one cannot be read or is malformed, or where a GPU has no bandwidth from home
  static BusSampling of_files(const std::string& path);
  /// The same from what is in them; `host` is what errors call them, with an ending.
  static BusSampling read(std::istream& config, std::istream& bandwidth, std::istream& latency,
                          const std::string& host);
};

/// Whether a file is of a bus sampling, by its ending: one of these three, or HOST.affinity.
[[nodiscard]] bool is_bus_sampling(std::string_view path);
/// What to write for such a file, which is neither a task graph nor a platform by itself.
[[nodiscard]] std::string bus_sampling_advice(std::string_view path);

}  // namespace damocles
