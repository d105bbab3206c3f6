#pragma once

#include <cstdint>

#include "tests/bench/out_of_core/peer_run.hpp"
#include "tests/bench/out_of_core/plain_product.hpp"

namespace damocles {

/// Multiplies as Tiled-MM does (the back end of COSMA: Kwasniewski et al., SC'19): square tiles in
/// flight on several streams, each of which has room for one tile of A, of B and of C, and for each
/// tile of C loads all its tiles of A and B, multiplies, and sends it to host memory. Nothing is
/// kept from one tile of C to the next; copies and products of different streams overlap.
///
/// The matrices stay as they are, row by row: tiles are cut out by cudaMemcpy2DAsync, so nothing is
/// packed. Tiles are as large as the memory allows, which is best: a tile of side t loads 2 t^2 for
/// 2 t^3 operations. cuBLAS's workspaces come on top, as with ours.
///
/// @param streams       at least 1
/// @param memory_bytes  for the tiles of all streams [B]
[[nodiscard]] PeerRun multiply_by_tiled_streams(PlainProduct& product, int streams,
                                                std::uint64_t memory_bytes);

}  // namespace damocles
