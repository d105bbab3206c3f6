#include <algorithm>
#include <array>
#include <vector>

#include "gpu/arithmetic/arithmetic.hpp"
#include "gpu/host/host_device.hpp"
#include "gpu/host/host_kernels.hpp"
#include "gpu/memory/store.hpp"
#include "gpu/starpu/work.hpp"
#include "models/error.hpp"

namespace damocles {
namespace {

ArithmeticOptions options_of(const RuntimeRequest& request) {
  using Compute = ArithmeticOptions::Compute;
  static const std::vector<std::string> words{"auto", "product", "checksum", "empty"};
  constexpr std::array meanings{Compute::automatic, Compute::product, Compute::checksum,
                                Compute::empty};
  const auto at = std::find(words.begin(), words.end(), request.compute);
  if (at == words.end()) refuse_unknown("compute", request.compute, words);
  const auto precision = precision_of(request.precision);
  if (!precision) refuse_unknown("precision", request.precision, precision_words());
  return {.compute = meanings.at(static_cast<std::size_t>(at - words.begin())),
          .precision = *precision,
          .tile = request.tile,
          .rank = request.rank};
}

/// Results go where the store has them: they are no data of StarPU's, as the model does not count
/// them. A processor's own sums of tiles, to which several tasks add, are added up at the end; a
/// tile of C that such tasks read is loaded, and is zeros.
class ArithmeticWork final : public Work {
 public:
  ArithmeticWork(const Workload& workload, const RuntimeRequest& request, std::size_t processors)
      : workload_(workload),
        arithmetic_(Arithmetic::of(workload, options_of(request), request.seed)),
        device_(make_host_device({})),
        store_(arithmetic_, *device_),
        check_(check_named(request.check)),
        sums_(processors) {}

  std::byte* place(DataId data) override { return store_.place(data); }
  [[nodiscard]] std::size_t bytes(DataId data) const override {
    return arithmetic_.data_bytes(data);
  }

  void run(TaskId task, ProcessorId processor, std::span<std::byte* const> at) override {
    const auto data = workload_.graph().inputs(static_cast<TaskGraph::Index>(raw(task)));
    const auto address = [&](DataId one) {
      return at[static_cast<std::size_t>(std::find(data.begin(), data.end(), raw(one)) -
                                         data.begin())];
    };
    TaskCall call{.task = task, .inputs = {}, .written = {}};
    arithmetic_.for_each_read(task, [&](DataId one) {
      call.inputs.push_back({address(one), bytes(one)});
    });
    if (arithmetic_.writes_data()) {
      arithmetic_.for_each_written(task, [&](DataId one, std::uint64_t place, Access access) {
        call.written.push_back({.at = address(one),
                                .bytes = bytes(one),
                                .position = place,
                                .adds = commutes(access) || reduces(access)});
      });
    }
    const TaskOutput output = arithmetic_.output(task);
    using Where = TaskOutput::Where;
    if (output.where == Where::fresh) call.output = store_.output(output.tile);
    if (output.where == Where::partial || output.where == Where::input) {
      auto& sum = sum_of(processor, output.tile);
      call.accumulate = !sum.empty();
      sum.resize(arithmetic_.output_bytes());
      call.output = sum.data();
    }
    run_on_host(arithmetic_.kernel(), call);
    if (output.where == Where::fresh) store_.arrived(output.tile);
  }

  std::uint64_t end() override {
    std::uint64_t bytes = 0;
    for (const auto& tiles : sums_) {
      for (std::size_t tile = 0; tile < tiles.size(); ++tile) {
        if (tiles[tile].empty()) continue;
        store_.add(tile, tiles[tile].data());
        bytes += tiles[tile].size();
      }
    }
    return bytes;
  }

  Verification verify() override {
    return damocles::verify(arithmetic_, workload_, store_, check_);
  }
  [[nodiscard]] double flops() const override {
    if (arithmetic_.kernel().kind != Kernel::Kind::product) return 0;
    return arithmetic_.flops(TaskId{0}) * static_cast<double>(arithmetic_.tasks());
  }

 private:
  using Sum = std::vector<std::byte>;

  /// Each processor's are its worker's alone.
  Sum& sum_of(ProcessorId processor, std::uint64_t tile) {
    auto& tiles = sums_[raw(processor)];
    if (tiles.empty()) tiles.resize(arithmetic_.outputs());
    return tiles[tile];
  }

  const Workload& workload_;
  Arithmetic arithmetic_;
  std::unique_ptr<Device> device_;
  Store store_;
  Check check_;
  std::vector<std::vector<Sum>> sums_;  // by processor and tile; empty: not begun
};

}  // namespace

std::unique_ptr<Work> arithmetic_work(const Workload& workload, const RuntimeRequest& request,
                                      std::size_t processors) {
  return std::make_unique<ArithmeticWork>(workload, request, processors);
}

}  // namespace damocles
