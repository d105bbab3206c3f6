#include "gpu/arithmetic/block_product.hpp"

#include "models/precision.hpp"

namespace damocles {
namespace {

Kernel kernel(Precision precision, std::size_t tile, std::size_t k) {
  return {.kind = Kernel::Kind::product, .precision = precision, .m = tile, .n = tile, .k = k};
}

/// Of blocks that have a size.
std::optional<Multiplication> of_structure(const Structure& is, Precision precision) {
  const bool panels =
      is.kind == Structure::Kind::product_2d || is.kind == Structure::Kind::part_of_product_2d;
  if (!panels && is.kind != Structure::Kind::product_3d) return std::nullopt;
  if (is.reads_c == ReadsC::made) return std::nullopt;  // checksums, as of all that tasks write
  return Multiplication{kernel(precision, is.tile, is.depth),
                        {.rows = is.m, .columns = is.n, .inner = is.k, .adds = !panels}};
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

}  // namespace

std::optional<Multiplication> multiplication_of(const Workload& workload,
                                                const ArithmeticOptions& options) {
  if (!workload.has_sizes()) return of_options(workload, options);
  return of_structure(workload.structure(), workload.precision().value_or(Precision::fp32));
}

}  // namespace damocles
