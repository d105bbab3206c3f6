#pragma once

#include <cstdint>
#include <istream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace damocles {

/// One point that the papers' authors measured on real V100s: a row of
/// experiments/measured/v100.csv, whose head says how each column was taken. Absent is absent,
/// never 0.
struct Measurement {
  std::string figure;       ///< id of a claim, as ipdps22.fig3-4; empty where no figure shows it
  std::string run;          ///< session: "published" is the one of the printed averages
  std::string application;  ///< 2D | 2D-random-order | 2D-random-tasks | 3D | cholesky-no-deps | …
  std::uint64_t gpus = 0;
  std::uint64_t n = 0;                    ///< blocks per side
  std::string strategy;                   ///< as the authors name it: EAGER, DMDAR, DARTS+LUF, …
  double gflops = 0;                      ///< GFlop/s, as their program prints it
  double time_ms = 0;                     ///< of one iteration, rounded to ms by that program
  std::optional<double> loads_from_host;  ///< inputs loaded from main memory, of one iteration
  std::optional<double> loads_from_peer;  ///< inputs loaded from another GPU
  std::optional<double> mib_from_host;
  std::optional<double> mib_from_peer;
  std::optional<std::uint64_t> iterations;  ///< that the loads are a mean over
  std::optional<double> darts_decision_s;
  std::optional<double> partition_or_packing_s;  ///< a difference of times; may be below 0
  std::optional<std::uint64_t> memory_mib;       ///< of each GPU; absent: no limit
  std::string source;                            ///< file@date_commit of starpu-runtime/starpu
  std::string transfer_source;

  /// Loads of all GPUs, from main memory and from other GPUs.
  [[nodiscard]] std::optional<double> loads() const;
};

/// Reads such a table: lines that begin with # are comments, then the header, then rows.
/// @param where names the table in errors
/// @throws InvalidInput naming line and column of whatever is not as the header of v100.csv says:
/// other columns, a number that is none, negative or not finite, an unknown application, loads from
/// one side only, a row given twice
[[nodiscard]] std::vector<Measurement> read_measurements(std::istream& in,
                                                         const std::string& where);

/// All of experiments/measured/v100.csv, in its order; it is part of the program.
[[nodiscard]] const std::vector<Measurement>& measurements();

/// The rows of one curve of a figure, by n: those of `run`, which is "published" for what the paper
/// shows. Empty where nothing was measured.
[[nodiscard]] std::vector<const Measurement*> measured_curve(std::string_view figure,
                                                             std::string_view strategy,
                                                             std::string_view run = "published");

/// The strategies measured for a figure in a run, in the order of the table.
[[nodiscard]] std::vector<std::string> measured_strategies(std::string_view figure,
                                                           std::string_view run = "published");

}  // namespace damocles
