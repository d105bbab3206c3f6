#pragma once

#include <istream>
#include <string>
#include <vector>

#include "experiments/measured/peer.hpp"

namespace damocles {

/// Runs of StarPU's example programs over SimGrid: Cholesky, LU and a product whose tiles of C are
/// data items that tasks create, on 1, 2 and 4 GPUs and beside 8 cores, under StarPU's policies.
/// peer_programs.csv has them, and its head says how they were made.
///
/// Their groups: "as shipped"; "without hints", that is without starpu_data_wont_use() and with
/// asynchronous kernels; "written C", the product.
[[nodiscard]] const std::vector<PeerPoint>& peer_programs();

/// Reads such a table: lines that begin with # are comments, then the header, then rows.
/// @param where names the table in errors
/// @throws InvalidInput naming line and column of a cell that is none of what its column holds
[[nodiscard]] std::vector<PeerPoint> read_peer_programs(std::istream& in, const std::string& where);

/// The machine of such a run, as ours describes it.
[[nodiscard]] std::string platform_of_program(const PeerPoint& point);

/// The deviations of runs with a group, median, 90th percentile and worst: a table by machine, one
/// by policy. Their first rows are heads. Empty where no run has a group.
[[nodiscard]] std::vector<std::vector<std::vector<std::string>>> program_tables(
    const std::vector<PeerCompared>& compared);

}  // namespace damocles
