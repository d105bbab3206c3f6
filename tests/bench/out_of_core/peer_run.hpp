#pragma once

#include <cstdint>
#include <string>

namespace damocles {

/// One product by somebody else's way, in the memory that ours has.
struct PeerRun {
  int block = 0;                   ///< its tiles are block x block
  int streams = 0;                 ///< that it runs on, where that is chosen
  double seconds = 0;              ///< until C is whole in host memory
  std::uint64_t memory_bytes = 0;  ///< of the GPU that it could take, or took for tiles [B]
  std::uint64_t loaded_bytes = 0;  ///< from the host, where that is known [B]
  std::string failure{};           ///< or ""
};

}  // namespace damocles
