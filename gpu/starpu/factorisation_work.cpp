#include <fmt/format.h>

#include <memory>
#include <vector>

#include "gpu/factorisation/factorisation.hpp"
#include "gpu/factorisation/factorisation_check.hpp"
#include "gpu/starpu/work.hpp"
#include "models/error.hpp"
#include "models/host_memory.hpp"

namespace damocles {
namespace {

class FactorisationWork final : public Work {
 public:
  FactorisationWork(const Workload& workload, const Factorisation& factorisation,
                    std::uint64_t seed, Check check)
      : graph_(workload.graph()),
        factorisation_(factorisation),
        seed_(seed),
        check_(check),
        bytes_(*graph_.uniform_bytes()) {
    require_host_memory(static_cast<double>(bytes_) * static_cast<double>(graph_.data()),
                        available_host_memory());
    matrix_.resize(bytes_ * graph_.data());
    for (std::uint64_t data = 0; data < graph_.data(); ++data) {
      factorisation_.fill(DataId{data}, seed_, {place(DataId{data}), bytes_});
    }
  }

  std::byte* place(DataId data) override { return matrix_.data() + raw(data) * bytes_; }
  [[nodiscard]] std::size_t bytes(DataId /*data*/) const override { return bytes_; }
  void run(TaskId task, ProcessorId /*processor*/, std::span<std::byte* const> at) override {
    factorisation_.run(graph_, static_cast<TaskGraph::Index>(raw(task)), at);
  }
  Verification verify() override {
    if (check_ == Check::none) return {};
    return check_factorisation(factorisation_, seed_, [this](DataId data) { return place(data); });
  }
  [[nodiscard]] double flops() const override { return factorisation_.flops(); }

 private:
  const TaskGraph& graph_;
  Factorisation factorisation_;
  std::uint64_t seed_;
  Check check_;
  std::size_t bytes_;
  std::vector<std::byte> matrix_;
};

}  // namespace

std::unique_ptr<Work> factorisation_work(const Workload& workload, const RuntimeRequest& request) {
  const Precision precision = workload.precision().value_or(Precision::fp32);
  if (precision != Precision::fp32 && precision != Precision::fp64) {
    throw InvalidInput(
        fmt::format("'{}' is factorised in precision=single or double", workload.text()));
  }
  const auto factorisation = Factorisation::of(workload, precision);
  if (!factorisation) {
    throw InvalidInput(fmt::format(
        "'{}' is no factorisation; compute=factorise is for cholesky:deps=true and lu:deps=true, updates=ordered or commute",
        workload.text()));
  }
  return std::make_unique<FactorisationWork>(workload, *factorisation, request.seed,
                                             check_named(request.check));
}

}  // namespace damocles
