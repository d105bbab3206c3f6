#pragma once

#include <cstdint>

namespace damocles {

/// Which tasks of a 3D product read their tile of C.
enum class ReadsC {
  no,     ///< none: the summation is not considered (IPDPS'22, section V-A)
  yes,    ///< all: C += A B
  later,  ///< all but the first task of the tile, which creates it (COLOC'21, section 4.1)
  made,   ///< as `later`, but tasks are seen to write: the first makes the tile, the others wait
};

/// What the tasks of a workload are, as far as bounds or kernels of their own are known of it. In
/// whatever order they are submitted, as a grid or written out.
struct Structure {
  enum class Kind {
    other,               ///< nothing is known
    product_2d,          ///< every row of A times every column of B: m x n tasks
    part_of_product_2d,  ///< some of those tasks
    product_3d,          ///< every tile of A times the tiles of B that fit: m x n x k tasks
    cholesky,            ///< of n x n tiles
  };
  Kind kind = Kind::other;
  // In blocks; 1 where there is no such index.
  std::uint64_t m = 1;
  std::uint64_t n = 1;
  std::uint64_t k = 1;
  ReadsC reads_c = ReadsC::no;  ///< of product_3d
  /// A task multiplies tile x depth by depth x tile numbers; 0 where blocks have no size.
  std::uint64_t tile = 0;
  std::uint64_t depth = 0;
};

}  // namespace damocles
