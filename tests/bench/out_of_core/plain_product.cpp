#include "tests/bench/out_of_core/plain_product.hpp"

#include <cassert>
#include <cstring>

#include "models/parallel.hpp"

namespace damocles {
namespace {

/// Copies `rows` pieces of `bytes`, between places that lie a stride apart each.
void copy_rows(std::byte* to, std::size_t to_stride, const std::byte* from, std::size_t from_stride,
               std::size_t rows, std::size_t bytes) {
  for (std::size_t row = 0; row < rows; ++row) {
    std::memcpy(to + row * to_stride, from + row * from_stride, bytes);
  }
}

}  // namespace

PlainProduct::PlainProduct(const Arithmetic& arithmetic, const Store& store, Device& device)
    : arithmetic_(arithmetic),
      precision_(arithmetic.kernel().precision),
      rows_(arithmetic.product().rows * arithmetic.kernel().m),
      columns_(arithmetic.product().columns * arithmetic.kernel().n),
      inner_(arithmetic.kernel().k),
      a_(nullptr, Release{&device}),
      b_(nullptr, Release{&device}),
      c_(nullptr, Release{&device}) {
  const BlockProduct& product = arithmetic.product();
  assert(product.inner == 1);
  const std::size_t element = element_bytes(precision_);
  a_.reset(device.allocate_host(rows_ * inner_ * element));
  b_.reset(device.allocate_host(inner_ * columns_ * element));
  c_.reset(device.allocate_host(rows_ * columns_ * element));
  const std::size_t panel = arithmetic.kernel().m * inner_ * element;  // of A, already row by row
  in_parallel(product.rows, [&](std::uint64_t i) {
    std::memcpy(a_.get() + i * panel, store.data(product.a(i, 0)), panel);
  });
  const std::size_t width = arithmetic.kernel().n * element;
  in_parallel(product.columns, [&](std::uint64_t j) {
    copy_rows(b_.get() + j * width, columns_ * element, store.data(product.b(0, j)), width, inner_,
              width);
  });
}

double PlainProduct::flops() const {
  return 2.0 * static_cast<double>(rows_) * static_cast<double>(columns_) *
         static_cast<double>(inner_);
}

void PlainProduct::poison() {
  const std::size_t row = columns_ * element_bytes(precision_);
  in_parallel(rows_, [&](std::uint64_t i) { std::memset(c_.get() + i * row, 0xff, row); });
}

void PlainProduct::cut_into(Store& store) const {
  const Kernel& kernel = arithmetic_.kernel();
  const std::size_t element = element_bytes(precision_);
  const std::size_t stride = columns_ * element;
  const std::size_t width = kernel.n * element;
  in_parallel(arithmetic_.outputs(), [&](std::uint64_t tile) {
    const auto [i, j] = arithmetic_.block(tile);
    copy_rows(store.output(tile), width, c_.get() + i * kernel.m * stride + j * width, stride,
              kernel.m, width);
    store.arrived(tile);
  });
}

}  // namespace damocles
