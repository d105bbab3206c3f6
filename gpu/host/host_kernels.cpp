#include "gpu/host/host_kernels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <utility>

#include "gpu/host/host_products.hpp"
#include "models/modules.hpp"

#if defined(DAMOCLES_HAS_OPENBLAS)
#include <cblas.h>

#include <cstdlib>
#endif
#include <Eigen/Core>

namespace damocles {
namespace {

constexpr std::size_t word_bytes = sizeof(std::uint64_t);

std::uint64_t fold_of_words(std::span<const std::byte> content, std::uint64_t position,
                            std::size_t first, std::size_t end) {
  std::uint64_t sum = 0;
  for (std::size_t index = first; index < end; ++index) {
    const std::size_t at = index * word_bytes;
    std::uint64_t word = 0;
    std::memcpy(&word, content.data() + at, std::min(word_bytes, content.size() - at));
    sum += folded_word(word, position, index);
  }
  return sum;
}

#if defined(DAMOCLES_HAS_OPENBLAS)
/// The library of products, loaded when the first is wanted: linked, it would start a thread a core
/// before main(), and where it may not, end the program by SIGINT.
class OpenBlas {
 public:
  /// Null where it was there when this was built and is not now.
  static const OpenBlas* library() {
    static const OpenBlas loaded;
    return loaded.config_ == nullptr ? nullptr : &loaded;
  }

  void product(const Kernel& kernel, const TaskCall& call) const {
    const auto m = static_cast<blasint>(kernel.m);
    const auto n = static_cast<blasint>(kernel.n);
    const auto k = static_cast<blasint>(kernel.k);
    if (kernel.precision == Precision::fp32) {
      sgemm_(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1,
             reinterpret_cast<const float*>(call.inputs[0].at), k,
             reinterpret_cast<const float*>(call.inputs[1].at), n, call.accumulate ? 1.0F : 0.0F,
             reinterpret_cast<float*>(call.output), n);
    } else {
      dgemm_(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1,
             reinterpret_cast<const double*>(call.inputs[0].at), k,
             reinterpret_cast<const double*>(call.inputs[1].at), n, call.accumulate ? 1.0 : 0.0,
             reinterpret_cast<double*>(call.output), n);
    }
  }
  /// "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ..."
  [[nodiscard]] std::string config() const { return config_(); }

 private:
  OpenBlas() {
    // Processors are threads already; OpenBLAS would start as many again for each of them.
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    const SharedLibrary library("libopenblas.so.0");
    sgemm_ = DAMOCLES_FUNCTION_OF(library, cblas_sgemm);
    dgemm_ = DAMOCLES_FUNCTION_OF(library, cblas_dgemm);
    if (sgemm_ == nullptr || dgemm_ == nullptr) return;
    config_ = DAMOCLES_FUNCTION_OF(library, openblas_get_config);
  }

  decltype(&cblas_sgemm) sgemm_ = nullptr;
  decltype(&cblas_dgemm) dgemm_ = nullptr;
  decltype(&openblas_get_config) config_ = nullptr;
};

void plain_product(const Kernel& kernel, const TaskCall& call) {
  const OpenBlas* const library = OpenBlas::library();
  library != nullptr ? library->product(kernel, call) : product_by_eigen(kernel, call);
}
#else
void plain_product(const Kernel& kernel, const TaskCall& call) { product_by_eigen(kernel, call); }
#endif

/// The part'th of so many shares of a length that differ by one at most: from, until.
std::pair<std::size_t, std::size_t> share_of(std::size_t length, const TaskCall& call) {
  return {length * call.part / call.parts, length * (call.part + 1) / call.parts};
}

void product(const Kernel& kernel, const TaskCall& call);

/// Some rows of the output, which are those of x times y.
void rows_of_product(const Kernel& kernel, const TaskCall& call) {
  const auto [first, end] = share_of(kernel.m, call);
  if (first == end) return;
  const std::size_t bytes = element_bytes(kernel.precision);
  Kernel of_rows = kernel;
  of_rows.m = end - first;
  TaskCall rows = call;
  rows.part = 0;
  rows.parts = 1;
  rows.inputs[0].at += first * kernel.k * bytes;
  rows.inputs[0].bytes = of_rows.m * kernel.k * bytes;
  rows.output += first * kernel.n * bytes;
  product(of_rows, rows);
}

void product(const Kernel& kernel, const TaskCall& call) {
  if (call.parts > 1) return rows_of_product(kernel, call);
  if (is_mixed(kernel.precision)) {
    mixed_product(kernel, call, plain_product);
  } else {
    plain_product(kernel, call);
  }
}

/// Of the words of each input, of which this call has a share.
std::uint64_t fold_of_inputs(const TaskCall& call) {
  std::uint64_t sum = 0;
  for (std::uint64_t position = 0; position < call.inputs.size(); ++position) {
    const auto& input = call.inputs[position];
    const std::size_t words = (input.bytes + word_bytes - 1) / word_bytes;
    const auto [first, end] = share_of(words, call);
    sum += fold_of_words({input.at, input.bytes}, position, first, end);
  }
  return sum;
}

void checksum(const TaskCall& call) {
  std::uint64_t sum = fold_of_inputs(call);
  if (call.parts > 1) {
    call.fold->sum.fetch_add(sum);
    if (call.fold->added.fetch_add(1) + 1 < call.parts) return;
    sum = call.fold->sum.load();
  }
  if (call.output != nullptr) std::memcpy(call.output, &sum, sizeof(sum));
  for (const auto& data : call.written) {
    if (data.adds) {
      std::unique_lock<std::mutex> alone;
      if (data.shared != nullptr) alone = std::unique_lock(*data.shared);
      if (data.fresh) std::memset(data.at, 0, data.bytes);
      add_to({data.at, data.bytes}, added_factor(sum, data.position));
    } else {
      fill_with({data.at, data.bytes}, sum, data.position);
    }
  }
}

}  // namespace

std::uint64_t fold_of(std::span<const std::byte> content, std::uint64_t position) {
  return fold_of_words(content, position, 0, (content.size() + word_bytes - 1) / word_bytes);
}

void fill_with(std::span<std::byte> content, std::uint64_t fold, std::uint64_t position) {
  for (std::size_t at = 0; at < content.size(); at += word_bytes) {
    const std::uint64_t word = written_word(fold, position, at / word_bytes);
    std::memcpy(content.data() + at, &word, std::min(word_bytes, content.size() - at));
  }
}

void add_to(std::span<std::byte> content, std::uint64_t factor) {
  for (std::size_t at = 0; at < content.size(); at += word_bytes) {
    const std::size_t bytes = std::min(word_bytes, content.size() - at);
    std::uint64_t word = 0;
    std::memcpy(&word, content.data() + at, bytes);
    word += factor * added_word(at / word_bytes);
    std::memcpy(content.data() + at, &word, bytes);
  }
}

void run_on_host(const Kernel& kernel, const TaskCall& call) {
  if (kernel.kind == Kernel::Kind::product) product(kernel, call);
  if (kernel.kind == Kernel::Kind::checksum) checksum(call);
}

std::string host_kernel_library() {
#if defined(DAMOCLES_HAS_OPENBLAS)
  if (const OpenBlas* const library = OpenBlas::library()) {
    const std::string all = library->config();
    return all.substr(0, all.find(' ', all.find(' ') + 1));
  }
#endif
  return fmt::format("Eigen {}.{}.{}", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION,
                     EIGEN_MINOR_VERSION);
}

}  // namespace damocles
