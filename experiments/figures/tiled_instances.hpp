#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "experiments/figures/curves.hpp"

namespace damocles {

// The instances of COLOC'21 and IPDPS'22 as their authors ran them. Their MB are MiB: a panel of
// 960 x 3840 single precision numbers has 14.0625 of them, a tile of 960 x 960 has 3.515625; 500
// MiB hold 35 panels. Sizes are those of the authors' scripts (the history of
// starpu-runtime/starpu).

inline constexpr double panel_mib = 14.0625;
inline constexpr double tile_mib = 3.515625;
/// The peak of one GPU that the figures draw [GFlop/s].
inline constexpr double coloc21_peak = 12557;
inline constexpr double ipdps22_peak = 13253;

/// COLOC'21's V100: half the bandwidth of its bus; kernels at the drawn peak; 30 tasks ahead, as
/// the authors' STARPU_CUDA_PIPELINE and STARPU_NTASKS_THRESHOLD said.
[[nodiscard]] std::string coloc21_gpu(std::size_t memory_mib);
/// IPDPS'22's k V100s as they run (experiments/measured/counterpart.cpp says why): the peak that
/// the authors print, 10.8 GB/s to each GPU, 12.36 GB/s out of the host for each two of them,
/// outputs on their way home in the background, and 45 ns for each task that a decision looks at;
/// and their NVLinks, one or two between two of them, by StarPU's calibration.
/// @param outputs  where tasks accumulate in a tile, kept_outputs: ours would send it home after
///                 each of them
inline constexpr const char* sent_outputs = "writeback=traffic,";
inline constexpr const char* kept_outputs = "";
[[nodiscard]] std::string ipdps22_gpus(std::size_t k, std::size_t memory_mib = 500,
                                       const std::string& outputs = sent_outputs);
/// The same as the authors simulated it: StarPU's own models of that machine, 545.7 us a task of
/// the 2D product (12970 GFlop/s), 12.36 GB/s out of the host; decisions take no time.
[[nodiscard]] std::string ipdps22_simulated_gpus(std::size_t k, std::size_t memory_mib = 500);

/// gemm2d with n x n tasks, in row order.
[[nodiscard]] CurvePoint product_2d(std::size_t n, const std::string& platform);
/// n = first, first + step, ..., last on one platform.
[[nodiscard]] std::vector<CurvePoint> products_2d(std::size_t first, std::size_t last,
                                                  std::size_t step, const std::string& platform);
/// The same tasks in five random orders.
[[nodiscard]] CurvePoint shuffled_2d(std::size_t n, const std::string& platform);
/// 2 % of the tasks, five draws.
[[nodiscard]] CurvePoint sparse_2d(std::size_t n, const std::string& platform);
/// n x n x 4 products of tiles; `c` as gemm3d has it.
[[nodiscard]] CurvePoint product_3d(std::size_t n, const std::string& c,
                                    const std::string& platform);
/// `c` of gemm3d, as in the authors' program (STARPU_REDUX): each GPU makes a partial sum of a
/// tile.
inline constexpr const char* made_in_sums = "made,updates=reduce";
/// Where ours differs from the authors' runs.
inline constexpr const char* sums_return_late =
    "partial sums of C go home here when their room is needed, and a load waits for that; in the "
    "authors' runs they seem to go ahead (docs/explanation/measured.md)";
/// The tasks of a Cholesky decomposition of n x n tiles, at the kernel times of the authors' models
/// for tiles of 960: POTRF takes as long as 149 GEMMs, so the peak depends on n.
[[nodiscard]] CurvePoint cholesky(std::size_t n, const std::string& platform);

}  // namespace damocles
