#pragma once

#include <cstddef>
#include <memory>

#include "gpu/arithmetic/arithmetic.hpp"
#include "gpu/device.hpp"
#include "gpu/memory/store.hpp"

namespace damocles {

/// The product of a gemm2d as one who knows no tiles keeps it: A, B and C whole, row by row, in
/// pinned host memory.
class PlainProduct {
 public:
  /// A and B with the numbers of the store. @pre tasks read whole rows of A and columns of B
  PlainProduct(const Arithmetic& arithmetic, const Store& store, Device& device);

  /// Fills C with bytes 0xff (NaN).
  void poison();
  /// Cuts C into the tiles of the store, so that verify() can check it.
  void cut_into(Store& store) const;

  [[nodiscard]] Precision precision() const { return precision_; }
  [[nodiscard]] std::size_t rows() const { return rows_; }        ///< of A and C
  [[nodiscard]] std::size_t columns() const { return columns_; }  ///< of B and C
  [[nodiscard]] std::size_t inner() const { return inner_; }      ///< columns of A, rows of B
  [[nodiscard]] double flops() const;                             ///< 2 rows columns inner
  [[nodiscard]] const std::byte* a() const { return a_.get(); }
  [[nodiscard]] const std::byte* b() const { return b_.get(); }
  [[nodiscard]] std::byte* c() { return c_.get(); }

 private:
  struct Release {
    Device* device;
    void operator()(std::byte* at) const noexcept { device->release_host(at); }
  };
  using Memory = std::unique_ptr<std::byte[], Release>;

  const Arithmetic& arithmetic_;
  Precision precision_;
  std::size_t rows_;
  std::size_t columns_;
  std::size_t inner_;
  Memory a_;
  Memory b_;
  Memory c_;
};

}  // namespace damocles
