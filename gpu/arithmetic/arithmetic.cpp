#include "gpu/arithmetic/arithmetic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "gpu/arithmetic/block_product.hpp"
#include "gpu/arithmetic/values.hpp"
#include "models/error.hpp"

namespace damocles {
namespace {

void check_size(const char* what, std::size_t size) {
  constexpr std::size_t most = 1'000'000;  // as of the tiles of models/
  if (size >= 1 && size <= most) return;
  throw InvalidInput(fmt::format("a {} of {}; give 1 to {}", what, size, most));
}

Kernel::Kind kind_of(const Workload& workload, ArithmeticOptions::Compute compute, bool matrices) {
  using Compute = ArithmeticOptions::Compute;
  switch (compute) {
    case Compute::automatic:
      return matrices ? Kernel::Kind::product : Kernel::Kind::checksum;
    case Compute::product:
      if (matrices) return Kernel::Kind::product;
      throw InvalidInput(
          fmt::format("workload '{}' is no product of matrices; compute checksum or empty instead",
                      workload.text()));
    case Compute::checksum:
      return Kernel::Kind::checksum;
    case Compute::empty:
      return Kernel::Kind::empty;
  }
  return Kernel::Kind::empty;
}

std::size_t block_bytes(const Kernel& kernel) {
  return kernel.m * kernel.k * element_bytes(kernel.precision);
}

}  // namespace

Arithmetic Arithmetic::of(const Workload& workload, const ArithmeticOptions& options,
                          std::uint64_t seed) {
  check_size("tile", options.tile);
  check_size("rank", options.rank);
  const auto matrices = multiplication_of(workload, options);
  Arithmetic result(workload, seed);
  result.kernel_.kind = kind_of(workload, options.compute, matrices.has_value());
  result.writes_data_ = workload.writes();
  if (!workload.is_grid()) {
    result.uniform_bytes_ = workload.graph().uniform_bytes();
  } else {
    // A grid without sizes is a product, the sizes of which are in the options.
    result.uniform_bytes_ =
        workload.has_sizes() ? workload.weights().bytes : block_bytes(matrices->kernel);
  }
  if (result.kernel_.kind == Kernel::Kind::product) {
    result.kernel_ = matrices->kernel;
    result.product_ = matrices->blocks;
    result.outputs_ =
        matrices->blocks.adds ? matrices->blocks.rows * matrices->blocks.columns : workload.tasks();
    result.output_bytes_ =
        result.kernel_.m * result.kernel_.n * element_bytes(result.kernel_.precision);
  } else if (result.kernel_.kind == Kernel::Kind::checksum && !result.writes_data_) {
    result.outputs_ = workload.tasks();
    result.output_bytes_ = sizeof(std::uint64_t);
  }
  return result;
}

std::size_t Arithmetic::data_bytes(DataId data) const {
  return uniform_bytes_ ? *uniform_bytes_
                        : workload_.graph().bytes(static_cast<TaskGraph::Index>(raw(data)));
}

std::array<std::uint64_t, 2> Arithmetic::block_of_inputs(TaskId task) const {
  // A graph may name its tasks in any order, so what a task computes is read off its inputs.
  const auto inputs = workload_.graph().inputs(static_cast<TaskGraph::Index>(raw(task)));
  return {inputs[0] / product_->inner,
          (inputs[1] - product_->rows * product_->inner) % product_->columns};
}

TaskOutput Arithmetic::output(TaskId task) const {
  using Where = TaskOutput::Where;
  if (kernel_.kind == Kernel::Kind::empty || writes_data_) return {};
  if (!product_ || !product_->adds) return {Where::fresh, raw(task)};
  if (workload_.is_grid()) {
    const auto [i, j, l] = workload_.indices(task);
    return {Where::input, i * product_->columns + j};
  }
  const auto [i, j] = block_of_inputs(task);
  const auto inputs = workload_.graph().inputs(static_cast<TaskGraph::Index>(raw(task)));
  return {inputs.size() > 2 ? Where::input : Where::partial, i * product_->columns + j};
}

std::optional<std::uint64_t> Arithmetic::tile_of(DataId data) const {
  if (!product_ || raw(data) < product_->a_and_b()) return std::nullopt;
  return raw(data) - product_->a_and_b();
}

std::array<std::uint64_t, 2> Arithmetic::block(std::uint64_t tile) const {
  assert(product_);
  if (product_->adds || workload_.is_grid()) {
    return {tile / product_->columns, tile % product_->columns};
  }
  return block_of_inputs(TaskId{tile});
}

std::string Arithmetic::tile_name(std::uint64_t tile) const {
  if (!product_) return "the output of task " + workload_.task_name(TaskId{tile});
  const auto [i, j] = block(tile);
  return fmt::format("tile ({}, {})", i, j);
}

double Arithmetic::flops(TaskId /*task*/) const {
  if (!product_) return 0;
  return 2 * static_cast<double>(kernel_.m) * static_cast<double>(kernel_.n) *
         static_cast<double>(kernel_.k);
}

void Arithmetic::fill(DataId data, std::span<std::byte> content) const {
  assert(content.size() == data_bytes(data));
  if (!product_) {
    fill_words(seed_, raw(data), content);
  } else if (tile_of(data)) {
    std::fill(content.begin(), content.end(), std::byte{0});
  } else {
    fill_uniform(seed_, raw(data), kernel_.precision, content);
  }
}

}  // namespace damocles
