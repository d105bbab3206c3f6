#include "gpu/arithmetic/block_product.hpp"

#include "models/precision.hpp"
#include "models/spec.hpp"
#include "models/workloads/tiled_workloads.hpp"

namespace damocles {
namespace {

constexpr std::uint64_t most_side = ~std::uint64_t{0};  // models/ has checked the sizes

std::uint64_t size(const Spec& spec, const char* key, std::uint64_t otherwise) {
  return spec.integer(key, 1, most_side).value_or(otherwise);
}

Kernel kernel(Precision precision, std::size_t tile, std::size_t k) {
  return {.kind = Kernel::Kind::product, .precision = precision, .m = tile, .n = tile, .k = k};
}

/// Keys and defaults as in models/workloads/workload_forms.cpp.
std::optional<Multiplication> of_text(const Spec& spec, Precision precision) {
  const bool panels = spec.name() == "gemm2d" || spec.name() == "sparse2d";
  if (!panels && spec.name() != "gemm3d") return std::nullopt;
  const std::uint64_t tile = size(spec, "tile", Tiling{}.tile);
  const std::uint64_t n = size(spec, "n", 0);
  const std::uint64_t m = size(spec, "m", n);
  if (panels) {
    return Multiplication{kernel(precision, tile, size(spec, "k", 3840)),
                          {.rows = m, .columns = n, .inner = 1, .adds = false}};
  }
  return Multiplication{kernel(precision, tile, tile),
                        {.rows = m, .columns = n, .inner = size(spec, "k", n), .adds = true}};
}

/// A grid that does not say how large its blocks are.
Multiplication of_options(const Workload& workload, const ArithmeticOptions& options) {
  const bool adds = workload.dimensions() == 3;
  return {kernel(options.precision, options.tile, adds ? options.tile : options.rank),
          {.rows = workload.extent(0),
           .columns = workload.extent(1),
           .inner = adds ? workload.extent(2) : 1,
           .adds = adds}};
}

/// Whether the data and tasks are as many and as large as those of the product: a graph may come
/// with any text.
bool fits(const Workload& workload, const Multiplication& product) {
  const Kernel& kernel = product.kernel;
  const BlockProduct& blocks = product.blocks;
  const std::uint64_t a_bytes = kernel.m * kernel.k * element_bytes(kernel.precision);
  if (workload.is_grid()) return workload.weights().bytes == a_bytes;
  const std::uint64_t tiles = blocks.rows * blocks.columns;
  return workload.graph().uniform_bytes() == a_bytes &&
         (workload.data() == blocks.a_and_b() ||
          (blocks.adds && workload.data() == blocks.a_and_b() + tiles)) &&
         (blocks.adds ? workload.tasks() == tiles * blocks.inner : workload.tasks() <= tiles);
}

}  // namespace

std::optional<Multiplication> multiplication_of(const Workload& workload,
                                                const ArithmeticOptions& options) {
  if (!workload.has_sizes()) return of_options(workload, options);
  auto product = of_text(Spec::parse(workload.text(), "workload"),
                         workload.precision().value_or(Precision::fp32));
  if (product && !fits(workload, *product)) product.reset();
  return product;
}

}  // namespace damocles
