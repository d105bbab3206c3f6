#include "gpu/verification/verify.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

#include "gpu/host/host_kernels.hpp"
#include "gpu/verification/freivalds.hpp"
#include "gpu/verification/full_check.hpp"
#include "gpu/verification/written_check.hpp"
#include "models/error.hpp"
#include "models/parallel.hpp"

namespace damocles {
namespace {

constexpr double full_up_to_flops = 2e8;  // a tenth of a second on one core
/// What a reader may else believe of a run of Cholesky that is called right.
constexpr const char* checksums_alone =
    "; tasks compute checksums of what they read, nothing is multiplied or factorised";

/// Gathers what was found in each tile, from many threads.
class Findings {
 public:
  explicit Findings(const Arithmetic& arithmetic) : arithmetic_(arithmetic) {}

  void take(std::uint64_t tile, TileFinding&& finding) {
    const std::lock_guard lock(mutex_);
    worst_ = std::max(worst_, finding.worst);
    detectable_ = std::max(detectable_, finding.detectable);
    if (finding.wrong.empty()) return;
    ++wrong_;
    first_.emplace(tile, std::move(finding.wrong));
    if (first_.size() > named) first_.erase(std::prev(first_.end()));
  }

  [[nodiscard]] bool right() const { return wrong_ == 0; }
  [[nodiscard]] double worst() const { return worst_; }
  [[nodiscard]] double detectable() const { return detectable_; }
  /// "wrong: tile (0, 1) ...; tile (2, 0) ...; and 5 more of 100".
  [[nodiscard]] std::string text() const {
    std::vector<std::string> parts;
    for (const auto& [tile, wrong] : first_) {
      parts.push_back(fmt::format("{}: {}", arithmetic_.tile_name(tile), wrong));
    }
    if (wrong_ > parts.size()) {
      parts.push_back(
          fmt::format("and {} more of {}", wrong_ - parts.size(), arithmetic_.outputs()));
    }
    return fmt::format("wrong: {}", fmt::join(parts, "; "));
  }

 private:
  static constexpr std::size_t named = 3;  // tiles in the text, those with the lowest numbers

  const Arithmetic& arithmetic_;
  std::mutex mutex_;
  std::map<std::uint64_t, std::string> first_;
  std::uint64_t wrong_ = 0;
  double worst_ = 0;
  double detectable_ = 0;
};

/// What the arrivals of a tile say against it, or "".
std::string wrong_arrivals(const Arithmetic& arithmetic, const Store& store, std::uint64_t tile) {
  const std::uint32_t arrivals = store.arrivals(tile);
  if (arrivals == 0) return "it was never written";
  const bool once =
      !(arithmetic.kernel().kind == Kernel::Kind::product && arithmetic.product().adds);
  if (once && arrivals > 1) return fmt::format("it was written {} times, not once", arrivals);
  return {};
}

TileFinding check_checksum(const Arithmetic& arithmetic, const Workload& workload,
                           const Store& store, std::uint64_t tile) {
  TaskCall call;
  workload.for_each_input(TaskId{tile}, [&](DataId data) {
    call.inputs.push_back({store.data(data), arithmetic.data_bytes(data)});
  });
  std::uint64_t expected = 0;
  call.output = reinterpret_cast<std::byte*>(&expected);
  run_on_host(arithmetic.kernel(), call);
  std::uint64_t found = 0;
  std::memcpy(&found, store.output(tile), sizeof(found));
  TileFinding finding;
  if (!finding.take(found == expected ? 0 : 1, 0)) {
    finding.wrong = fmt::format("it is {:016x}, not {:016x}", found, expected);
  }
  return finding;
}

double terms_of(const Arithmetic& arithmetic) {
  return static_cast<double>(arithmetic.product().inner * arithmetic.kernel().k);
}

/// What says that a product was made in another precision than was asked for, or "".
std::string wrong_precision(const Arithmetic& arithmetic, double worst) {
  const Precision asked = arithmetic.kernel().precision;
  if (arithmetic.kernel().kind != Kernel::Kind::product || is_mixed(asked)) return {};
  const double usual = usual_error(terms_of(arithmetic));
  if (worst <= usual) return {};
  return fmt::format(
      "wrong: less precise than {} is: errors reach {:.2g} of what is tolerated, where {:.2g} is not exceeded; {} may have been taken in its place",
      precision_name(asked), worst, usual, asked == Precision::fp32 ? "TF32" : "an emulation");
}

double total_flops(const Arithmetic& arithmetic) {
  return arithmetic.flops(TaskId{0}) * static_cast<double>(arithmetic.tasks());
}

Check decided(const Arithmetic& arithmetic, Check check) {
  if (arithmetic.kernel().kind == Kernel::Kind::empty) return Check::none;
  if (check == Check::none) return Check::none;
  // A checksum is no linear function: there is nothing to test with a vector.
  if (arithmetic.kernel().kind == Kernel::Kind::checksum) return Check::full;
  if (check != Check::automatic) return check;
  return total_flops(arithmetic) <= full_up_to_flops ? Check::full : Check::freivalds;
}

std::string right_text(const Arithmetic& arithmetic, const Findings& findings, Check check) {
  if (arithmetic.kernel().kind == Kernel::Kind::checksum) {
    return fmt::format("right: {} checksums equal those made again{}", arithmetic.outputs(),
                       checksums_alone);
  }
  if (check == Check::full) {
    return fmt::format(
        "right: every number of {} tiles within {:.3g} (|A| |B|) of a product in double precision, "
        "errors at most {:.2g} of that",
        arithmetic.outputs(),
        full_tolerance(arithmetic.kernel().precision, terms_of(arithmetic),
                       tasks_of_a_tile(arithmetic.product())),
        findings.worst());
  }
  return fmt::format(
      "right: {} tiles times {} random vectors; one number off by more than {:.3g} is missed with probability at most {:.1g}",
      arithmetic.outputs(), freivalds_rounds, findings.detectable(), freivalds_miss_probability);
}

/// How many data items tasks write whose content there is at the end.
std::uint64_t written_and_kept(const Arithmetic& arithmetic, const TaskGraph& graph) {
  std::vector<bool> written(graph.data());
  for (std::uint64_t task = 0; task < graph.tasks(); ++task) {
    arithmetic.for_each_written(TaskId{task}, [&](DataId data, std::uint64_t, Access) {
      written[raw(data)] = !graph.temporary(static_cast<TaskGraph::Index>(raw(data)));
    });
  }
  return static_cast<std::uint64_t>(std::count(written.begin(), written.end(), true));
}

}  // namespace

Check check_named(const std::string& name) {
  static const std::array<std::string, 4> names{"auto", "full", "freivalds", "none"};
  constexpr std::array checks{Check::automatic, Check::full, Check::freivalds, Check::none};
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (name == names[i]) return checks[i];
  }
  refuse_unknown("--verify", name, names);
}

double usual_error(double terms) { return terms < 64 ? 1 : 1 / std::sqrt(terms); }

std::string changed_inputs(const Arithmetic& arithmetic, const Store& store) {
  std::atomic<std::uint64_t> first{arithmetic.data()};
  in_parallel(arithmetic.data(), [&](std::uint64_t data) {
    std::vector<std::byte> content(arithmetic.data_bytes(DataId{data}));
    arithmetic.fill(DataId{data}, content);
    if (std::equal(content.begin(), content.end(), store.data(DataId{data}))) return;
    std::uint64_t lowest = first;
    while (data < lowest && !first.compare_exchange_weak(lowest, data)) {
    }
  });
  if (first == arithmetic.data()) return {};
  return fmt::format("wrong: data {} is not what it was before the run",
                     arithmetic.data_name(DataId{first.load()}));
}

Verification verify(const Arithmetic& arithmetic, const Workload& workload, const Store& store,
                    Check check) {
  Verification verification = verify_results(arithmetic, workload, store, check);
  if (verification.check == Check::none || arithmetic.writes_data()) return verification;
  const std::string changed = changed_inputs(arithmetic, store);
  if (changed.empty()) return verification;
  verification.right = false;
  verification.text = changed;
  return verification;
}

Verification verify_results(const Arithmetic& arithmetic, const Workload& workload,
                            const Store& store, Check check) {
  Verification verification{.check = decided(arithmetic, check), .text = {}};
  if (verification.check == Check::none) {
    verification.text = check == Check::none ? "not checked" : "not checked: the tasks are empty";
    return verification;
  }
  if (arithmetic.writes_data()) {
    verification.text = wrong_data(arithmetic, workload.graph(), store);
    verification.right = verification.text.empty();
    if (verification.right) {
      const auto items = written_and_kept(arithmetic, workload.graph());
      verification.text =
          fmt::format("right: checksums of {} written data item{} equal those made again{}", items,
                      items == 1 ? "" : "s", checksums_alone);
    }
    return verification;
  }
  Findings findings(arithmetic);
  std::vector<std::uint64_t> arrived;
  for (std::uint64_t tile = 0; tile < arithmetic.outputs(); ++tile) {
    std::string wrong = wrong_arrivals(arithmetic, store, tile);
    if (wrong.empty()) {
      arrived.push_back(tile);
    } else {
      findings.take(tile, {.wrong = std::move(wrong)});
    }
  }
  if (verification.check == Check::freivalds) {
    check_by_freivalds(arithmetic, store, arrived, [&](std::uint64_t tile, TileFinding&& finding) {
      findings.take(tile, std::move(finding));
    });
  } else {
    in_parallel(arrived.size(), [&](std::uint64_t at) {
      const std::uint64_t tile = arrived[at];
      findings.take(tile, arithmetic.kernel().kind == Kernel::Kind::checksum
                              ? check_checksum(arithmetic, workload, store, tile)
                              : check_in_full(arithmetic, store, tile));
    });
  }
  verification.worst = findings.worst();
  verification.text =
      findings.right() ? wrong_precision(arithmetic, findings.worst()) : findings.text();
  verification.right = verification.text.empty();
  if (verification.right) {
    verification.text = right_text(arithmetic, findings, verification.check);
  }
  return verification;
}

}  // namespace damocles
