#pragma once

#include <map>
#include <string>
#include <vector>

#include "experiments/study.hpp"

namespace damocles {

enum class Verdict { confirmed, refuted, not_reproducible };

/// What our own run says to a paper's claim.
struct Finding {
  Verdict verdict;
  std::string numbers;  ///< our own numbers, with their spread, in one line
  /// By model, for a figure that marks it on its axis.
  std::map<std::string, double> best_beta = {};
};

/// One claim of a paper: how it is put to the test, and how the outcome is judged.
struct Claim {
  std::string id;         ///< as hpdc14.fig6
  std::string statement;  ///< what the paper says
  std::string setting;    ///< workload, platform, runs
  /// The rows that answer it; empty where the analysis alone does.
  std::function<std::vector<Question>(std::uint64_t seed)> questions;
  std::function<Finding(const std::vector<Record>& records, std::uint64_t seed)> judge;
};

/// Publishes claims: `const RegisterClaims entries{{...}};` in the file that holds them.
struct RegisterClaims {
  explicit RegisterClaims(std::vector<Claim> claims);
};

/// Every claim, by id.
[[nodiscard]] const std::vector<Claim>& claims();
/// The claims an id or a pattern with * means. @throws InvalidInput where it means none
[[nodiscard]] std::vector<const Claim*> claims_named(const std::string& pattern);

[[nodiscard]] std::string to_string(Verdict verdict);

}  // namespace damocles
