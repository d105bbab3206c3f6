#include <algorithm>
#include <array>

#include "gpu/cuda/handles.hpp"
#include "gpu/cuda/kernels.hpp"

namespace damocles::cuda {
namespace {

constexpr unsigned threads = 256;
constexpr unsigned warp = 32;

// Inputs as a kernel takes them, by value: nothing is copied to the GPU beforehand.
struct Chunk {
  static constexpr std::size_t most = 64;  // 1 KB of the 4 KB that parameters may have
  TaskCall::Input inputs[most];
  std::uint64_t first;  // position of inputs[0] among the inputs of the task
};

constexpr std::uint64_t word_bytes = sizeof(std::uint64_t);

// Byte by byte, little-endian as on the host; what is not there counts as zeros.
__device__ std::uint64_t gathered_word(const TaskCall::Input& input, std::uint64_t index) {
  const auto* at = reinterpret_cast<const unsigned char*>(input.at);
  std::uint64_t word = 0;
  for (std::uint64_t byte = 0; byte < word_bytes; ++byte) {
    const std::uint64_t offset = index * word_bytes + byte;
    if (offset < input.bytes) word |= std::uint64_t{at[offset]} << (8 * byte);
  }
  return word;
}

// Row y of the grid folds input y of the chunk; its blocks stride over the words.
__global__ void __launch_bounds__(threads)
    fold(const __grid_constant__ Chunk chunk, unsigned long long* sum) {
  const TaskCall::Input& input = chunk.inputs[blockIdx.y];
  const std::uint64_t position = chunk.first + blockIdx.y;
  const std::uint64_t stride = std::uint64_t{gridDim.x} * threads;
  const bool aligned = reinterpret_cast<std::uintptr_t>(input.at) % word_bytes == 0;
  const std::uint64_t whole = aligned ? input.bytes / word_bytes : 0;
  const std::uint64_t words = (input.bytes + word_bytes - 1) / word_bytes;

  unsigned long long folded = 0;
  std::uint64_t i = std::uint64_t{blockIdx.x} * threads + threadIdx.x;
  const auto* word = reinterpret_cast<const unsigned long long*>(input.at);
#pragma unroll 4
  for (; i < whole; i += stride) folded += folded_word(__ldg(word + i), position, i);
  for (; i < words; i += stride) folded += folded_word(gathered_word(input, i), position, i);

  for (unsigned half = warp / 2; half > 0; half /= 2)
    folded += __shfl_down_sync(0xffffffffU, folded, half);
  __shared__ unsigned long long of_warp[threads / warp];
  if (threadIdx.x % warp == 0) of_warp[threadIdx.x / warp] = folded;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (unsigned w = 1; w < threads / warp; ++w) folded += of_warp[w];
    atomicAdd(sum, folded);
  }
}

// The words of a data item, written or added to; a last one of fewer than 8 bytes is cut off.
__global__ void __launch_bounds__(threads)
    write_words(const TaskCall::Written written, const unsigned long long* sum) {
  const std::uint64_t fold_of_task = *sum;
  const std::uint64_t factor = added_factor(fold_of_task, written.position);
  const std::uint64_t whole = written.bytes / word_bytes;
  const std::uint64_t words = (written.bytes + word_bytes - 1) / word_bytes;
  auto* word = reinterpret_cast<unsigned long long*>(written.at);
  auto* bytes = reinterpret_cast<unsigned char*>(written.at);
  std::uint64_t i = std::uint64_t{blockIdx.x} * threads + threadIdx.x;
  for (; i < words; i += std::uint64_t{gridDim.x} * threads) {
    std::uint64_t value = written_word(fold_of_task, written.position, i);
    if (written.adds) {
      std::uint64_t old = 0;
      if (!written.fresh) {
        old = i < whole ? word[i] : gathered_word({written.at, written.bytes}, i);
      }
      value = old + factor * added_word(i);
    }
    if (i < whole) {
      word[i] = value;
      continue;
    }
    for (std::uint64_t at = i * word_bytes; at < written.bytes; ++at)
      bytes[at] = static_cast<unsigned char>(value >> (8 * (at - i * word_bytes)));
  }
}

constexpr unsigned most_multiprocessors = 1024;  // ids may leave gaps; no GPU has near as many

// Blocks of 1024 threads, of which a multiprocessor holds two at most, that stay for a while: so
// the first of them come to every multiprocessor that the stream may use.
__global__ void __launch_bounds__(1024) mark(unsigned* seen) {
  unsigned id = 0;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
  if (threadIdx.x == 0 && id < most_multiprocessors) atomicExch(seen + id, 1U);
  constexpr long long cycles = 20'000;  // about 10 us
  const long long begin = clock64();
  while (clock64() - begin < cycles) {
  }
}

}  // namespace

void start_checksum(std::span<const TaskCall::Input> inputs, std::uint64_t* sum, bool accumulate,
                    unsigned multiprocessors, cudaStream_t stream) {
  if (!accumulate) {
    check(cudaMemsetAsync(sum, 0, word_bytes, stream), "zeroing a checksum");
  }
  for (std::size_t first = 0; first < inputs.size(); first += Chunk::most) {
    const auto part = inputs.subspan(first, std::min(Chunk::most, inputs.size() - first));
    Chunk chunk{};
    std::copy(part.begin(), part.end(), chunk.inputs);
    chunk.first = first;
    std::size_t longest = 0;
    for (const auto& input : part) longest = std::max(longest, input.bytes);
    // Enough blocks to fill the multiprocessors (8 of 256 threads each), but four words a thread.
    const std::size_t full = std::max<std::size_t>(1, 8U * multiprocessors / part.size());
    const std::size_t useful = longest / (4 * threads * word_bytes) + 1;
    const dim3 grid(static_cast<unsigned>(std::min(full, useful)),
                    static_cast<unsigned>(part.size()));
    fold<<<grid, threads, 0, stream>>>(chunk, reinterpret_cast<unsigned long long*>(sum));
    check(cudaGetLastError(), "launching the checksum kernel");
  }
}

void start_writing(std::span<const TaskCall::Written> written, const std::uint64_t* sum,
                   unsigned multiprocessors, cudaStream_t stream) {
  for (const TaskCall::Written& one : written) {
    const std::size_t useful = one.bytes / (4 * threads * word_bytes) + 1;
    const auto blocks = static_cast<unsigned>(std::min<std::size_t>(8U * multiprocessors, useful));
    write_words<<<blocks, threads, 0, stream>>>(one,
                                                reinterpret_cast<const unsigned long long*>(sum));
    check(cudaGetLastError(), "launching the kernel that writes data");
  }
}

std::vector<unsigned> multiprocessors_seen(unsigned multiprocessors, cudaStream_t stream) {
  std::vector<unsigned> marks(most_multiprocessors);
  const std::size_t bytes = marks.size() * sizeof(unsigned);
  const DeviceMemory seen = make_memory(bytes, "allocating marks of multiprocessors");
  check(cudaMemsetAsync(seen.get(), 0, bytes, stream), "zeroing marks of multiprocessors");
  mark<<<4 * multiprocessors, 1024, 0, stream>>>(static_cast<unsigned*>(seen.get()));
  check(cudaGetLastError(), "launching a kernel that marks multiprocessors");
  check(cudaMemcpyAsync(marks.data(), seen.get(), bytes, cudaMemcpyDeviceToHost, stream),
        "reading marks of multiprocessors");
  check(cudaStreamSynchronize(stream), "marking multiprocessors");
  std::vector<unsigned> result;
  for (unsigned id = 0; id < marks.size(); ++id) {
    if (marks[id] != 0) result.push_back(id);
  }
  return result;
}

}  // namespace damocles::cuda
