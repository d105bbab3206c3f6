#include "tests/bench/out_of_core/tiled_streams.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <vector>

#include "gpu/cuda/check.hpp"
#include "gpu/cuda/handles.hpp"
#include "gpu/cuda/product.hpp"
#include "models/precision.hpp"

namespace damocles {
namespace {

using cuda::check;

Kernel kernel_of(Precision precision, std::size_t rows, std::size_t columns, std::size_t inner) {
  return {Kernel::Kind::product, precision, rows, columns, inner};
}

/// A part of a matrix that is kept row by row, in numbers.
struct Part {
  std::size_t row;
  std::size_t column;
  std::size_t rows;
  std::size_t columns;
};

/// One stream with room for a tile of each matrix.
class Lane {
 public:
  Lane(Precision precision, std::size_t tile)
      : precision_(precision),
        stream_(cuda::make_stream()),
        product_(stream_.get(), 0),
        a_(room(tile)),
        b_(room(tile)),
        c_(room(tile)) {
    product_.warm_up(kernel_of(precision, tile, tile, tile));
  }
  ~Lane() { (void)cudaStreamSynchronize(stream_.get()); }
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  /// @param columns  of the whole matrix
  void load_a(const std::byte* from, std::size_t columns, const Part& part) {
    load(a_.get(), from, columns, part);
  }
  void load_b(const std::byte* from, std::size_t columns, const Part& part) {
    load(b_.get(), from, columns, part);
  }
  void multiply(std::size_t rows, std::size_t columns, std::size_t inner, bool add) {
    TaskCall call;
    call.inputs = {{static_cast<const std::byte*>(a_.get()), rows * inner * element()},
                   {static_cast<const std::byte*>(b_.get()), inner * columns * element()}};
    call.output = static_cast<std::byte*>(c_.get());
    call.accumulate = add;
    product_.start(kernel_of(precision_, rows, columns, inner), call);
  }
  void store_c(std::byte* to, std::size_t columns, const Part& part) {
    const std::size_t width = part.columns * element();
    check(
        cudaMemcpy2DAsync(to + (part.row * columns + part.column) * element(), columns * element(),
                          c_.get(), width, width, part.rows, cudaMemcpyDeviceToHost, stream_.get()),
        "copying a tile out");
  }
  void finish() { check(cudaStreamSynchronize(stream_.get()), "multiplying tiles"); }

 private:
  [[nodiscard]] std::size_t element() const { return element_bytes(precision_); }
  [[nodiscard]] cuda::DeviceMemory room(std::size_t tile) const {
    return cuda::make_memory(tile * tile * element(), "allocating a tile");
  }
  void load(void* to, const std::byte* from, std::size_t columns, const Part& part) {
    const std::size_t width = part.columns * element();
    check(cudaMemcpy2DAsync(to, width, from + (part.row * columns + part.column) * element(),
                            columns * element(), width, part.rows, cudaMemcpyHostToDevice,
                            stream_.get()),
          "copying a tile in");
  }

  Precision precision_;
  cuda::Stream stream_;
  cuda::Product product_;
  cuda::DeviceMemory a_;
  cuda::DeviceMemory b_;
  cuda::DeviceMemory c_;
};

/// Queues everything and waits for it. @return numbers loaded
std::uint64_t multiply(PlainProduct& product, std::vector<std::unique_ptr<Lane>>& lanes,
                       std::size_t tile) {
  const std::size_t inner = product.inner();
  const std::size_t columns = product.columns();
  std::uint64_t loaded = 0;
  std::size_t next = 0;
  for (std::size_t i = 0; i < product.rows(); i += tile) {
    const std::size_t height = std::min(tile, product.rows() - i);
    for (std::size_t j = 0; j < columns; j += tile) {
      const std::size_t width = std::min(tile, columns - j);
      Lane& lane = *lanes[next++ % lanes.size()];
      for (std::size_t l = 0; l < inner; l += tile) {
        const std::size_t depth = std::min(tile, inner - l);
        lane.load_a(product.a(), inner, {i, l, height, depth});
        lane.load_b(product.b(), columns, {l, j, depth, width});
        lane.multiply(height, width, depth, l > 0);
        loaded += (height + width) * depth;
      }
      lane.store_c(product.c(), columns, {i, j, height, width});
    }
  }
  for (const auto& lane : lanes) lane->finish();
  return loaded;
}

/// The side of the largest tiles of which three a stream fit.
std::size_t largest_tile(const PlainProduct& product, int streams, std::uint64_t memory_bytes) {
  const std::uint64_t numbers = memory_bytes / element_bytes(product.precision());
  const auto most = static_cast<std::size_t>(
      std::sqrt(static_cast<double>(numbers / (3 * static_cast<std::uint64_t>(streams)))));
  constexpr std::size_t step = 128;  // cuBLAS is at its best
  return std::min(std::max({product.rows(), product.columns(), product.inner()}),
                  most >= step ? most / step * step : most);
}

void run(PlainProduct& product, std::uint64_t memory_bytes, PeerRun& result) {
  const std::size_t tile = largest_tile(product, result.streams, memory_bytes);
  if (tile == 0) {
    result.failure = "no tile fits";
    return;
  }
  const std::size_t element = element_bytes(product.precision());
  result.block = static_cast<int>(tile);
  result.memory_bytes = 3 * static_cast<std::uint64_t>(result.streams) * tile * tile * element;
  std::vector<std::unique_ptr<Lane>> lanes;
  for (int i = 0; i < result.streams; ++i) {
    lanes.push_back(std::make_unique<Lane>(product.precision(), tile));
  }
  product.poison();
  const auto start = std::chrono::steady_clock::now();
  result.loaded_bytes = multiply(product, lanes, tile) * element;
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  result.seconds = took.count();
}

}  // namespace

PeerRun multiply_by_tiled_streams(PlainProduct& product, int streams, std::uint64_t memory_bytes) {
  PeerRun result{.streams = streams};
  try {
    check(cudaSetDevice(0), "choosing the GPU");
    run(product, memory_bytes, result);
  } catch (const DeviceError& error) {
    result.failure = error.what();
  }
  return result;
}

}  // namespace damocles
