// What a sweep asks for, from a TOML file or from the command line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "experiments/commands/command_line.hpp"
#include "experiments/studies/points.hpp"

namespace damocles {

/// Workloads, platforms, strategies and models are texts in which {name} stands for a variable.
struct SweepRequest {
  std::string file{};  ///< where it was read; "": the command line
  std::vector<std::string> workloads{};
  std::vector<std::string> platforms{};
  std::vector<std::string> strategies{"all"};
  std::vector<std::string> models{};
  bool simulate = true;
  std::uint64_t replicates = 10;      ///< with a precision at most so many
  std::optional<double> precision{};  ///< how wide confidence intervals may be, over the mean
  std::uint64_t seed = 1;
  std::string output{};               ///< the file of the results, where it is named
  std::vector<std::string> varied{};  ///< the names of the variables, as they were given
  Points points{Variables{}};
};

/// @throws InvalidInput naming file and line where something in it is wrong
[[nodiscard]] SweepRequest read_sweep_file(const std::string& path);

/// A sweep as the user wrote it on the command line.
struct SweepWords {
  std::string workload{};
  std::string platform{};
  std::vector<std::string> vary{};  ///< "memory=5data:80data", "n=20,40"
  std::string strategies{};         ///< "": as the other commands choose
  std::string models{};             ///< "": none
  std::string replicates{};         ///< "": 10, or most_by_precision
  std::string precision{};          ///< "1%"; "": as many replicates as were asked for
  std::string seed = "1";
};

/// Where a precision is asked for and no number of replicates.
inline constexpr std::uint64_t most_by_precision = 1000;

/// A varied key becomes a variable of the workload or the platform, whichever takes the key;
/// `workload.k` and `platform.k` say which. A key that stands somewhere as {key} is only that.
/// @throws InvalidInput where a key is unknown or both take it, or a value is malformed
[[nodiscard]] SweepRequest sweep_of_words(const SweepWords& words);

/// The arguments and options that say so.
void add_words_of_sweep(Command command, SweepWords& words);

/// What the user asks for: a file, or a workload and a platform with --vary.
/// @param command  the one given, which knows which options were
/// @throws InvalidInput as the two above, and where options do not go with a file
[[nodiscard]] SweepRequest asked_sweep(const Command& command, const SweepWords& words);

}  // namespace damocles
