#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "experiments/figures/throughput.hpp"

namespace damocles {

// The instances of COLOC'21 and IPDPS'22. Their MB are MiB: 15 x 15 tasks are the 422 MB of
// COLOC'21 and 300 x 300 the 8400 MB of IPDPS'22 only if a panel of 960 x 3840 single precision
// numbers is 14.06 of them. Sizes that the papers do not print are those of the authors' scripts
// (Experiments.sh, IPDPS.sh and Rebuttal.sh of the artifact).

/// COLOC'21's V100: half the bandwidth of its bus.
[[nodiscard]] std::string coloc21_gpu(std::size_t memory_mib);
/// IPDPS'22's k V100s on one bus.
[[nodiscard]] std::string ipdps22_gpus(std::size_t k, std::size_t memory_mib = 500);

/// gemm2d with n x n tasks, in row order.
[[nodiscard]] CurvePoint product_2d(std::size_t n, const std::string& platform);
/// n = first, first + step, ..., last on one platform.
[[nodiscard]] std::vector<CurvePoint> products_2d(std::size_t first, std::size_t last,
                                                  std::size_t step, const std::string& platform);
/// The same tasks in five random orders.
[[nodiscard]] CurvePoint shuffled_2d(std::size_t n, const std::string& platform);
/// 2 % of the tasks, five draws.
[[nodiscard]] CurvePoint sparse_2d(std::size_t n, const std::string& platform);

}  // namespace damocles
