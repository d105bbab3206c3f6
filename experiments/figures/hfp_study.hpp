#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace damocles {

/// Of COLOC'21 itself no raw data are public. Its authors ran the same strategies again in January
/// 2022, on one V100 of 500 MiB with the whole bus (10.8 GB/s) in place of half of it: the gains of
/// HFP (Ready, flip and Belady, its time not counted) over the others there, as lines that decide
/// nothing.
/// @param application  as the table of measurements calls it: 2D, 3D
/// @param last         largest n taken
[[nodiscard]] std::vector<std::string> hfp_study_gains(const std::string& application,
                                                       std::uint64_t last);

/// Of the same study the 2D product of n x n tasks in little memory: GFlop/s of HFP with Ready,
/// with flip and with Belady alone.
[[nodiscard]] std::vector<std::string> hfp_study_in_memory(std::uint64_t n);

}  // namespace damocles
