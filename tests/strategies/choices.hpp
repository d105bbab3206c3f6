#pragma once

#include <cctype>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "models/workload.hpp"
#include "strategies/registry.hpp"

namespace damocles {

/// Whether the strategy differs from another one, which is not in this set, in what it chooses but
/// not in how it is made: laws that take long are held to those under every policy of eviction and
/// with every buffer, to these as they are.
inline bool is_kin_of_another(const std::string& name) {
  static const std::set<std::string> result{"bil",
                                            "cpop",
                                            "dls",
                                            "dm",
                                            "dmdap",
                                            "dmdasd",
                                            "etf",
                                            "hlfet",
                                            "lookahead",
                                            "max-min",
                                            "min-min",
                                            "modular-eager",
                                            "modular-eager-prefetching",
                                            "modular-heft2",
                                            "modular-heft-prio",
                                            "modular-heteroprio",
                                            "modular-prio-prefetching",
                                            "modular-random-prefetching",
                                            "modular-random-prio",
                                            "modular-random-prio-prefetching",
                                            "modular-ws",
                                            "peager",
                                            "peft",
                                            "pheft",
                                            "prio",
                                            "random-by-speed",
                                            "sufferage",
                                            "ws"};
  return result.contains(name);
}

/// Every strategy of the table, as the command line writes it, but one that needs a file
/// (tests/strategies/placed_test.cpp). A strategy with a threshold has several options: phase 2
/// early, as in the paper, late, from the start and never.
inline std::vector<std::string> every_choice() {
  std::vector<std::string> choices;
  for (const auto& entry : strategies()) {
    if (entry.reads_placement) continue;
    if (!entry.has_threshold) {
      choices.push_back(entry.name);
      continue;
    }
    for (const auto* option : {"beta=0.5", "beta=3", "beta=50", "tasks-left=0", "tasks-left=1e9"}) {
      choices.push_back(entry.name + ":" + option);
    }
  }
  return choices;
}

/// The name of the strategy in a choice.
inline std::string name_in(const std::string& choice) { return choice.substr(0, choice.find(':')); }

inline bool defined_on(const std::string& choice, const Workload& workload) {
  for (const auto& entry : strategies()) {
    if (entry.name == name_in(choice)) {
      return why_unsupported(entry, workload).empty();
    }
  }
  return false;
}

/// Whether this build lacks what the strategy takes.
inline bool left_out_of_build(const std::string& choice) {
  return !why_not_built(Table<StrategyEntry>::named(name_in(choice))).empty();
}

/// A choice as GoogleTest wants names: letters and digits only.
inline std::string test_name(std::string choice) {
  for (char& letter : choice) {
    if (std::isalnum(static_cast<unsigned char>(letter)) == 0) letter = '_';
  }
  return choice;
}

}  // namespace damocles
