#include <cublas_v2.h>
#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <vector>

#include "gpu/cuda/kernels.hpp"
#include "tests/gpu/cuda/fake/fake.hpp"

using damocles::fake::fault;
using damocles::fake::kind;
using damocles::fake::multiprocessors_of_gpu;
using damocles::fake::Place;
using damocles::fake::place_of;
using damocles::fake::Stream;
using damocles::fake::stream_of;

// What kernels.cu has.
namespace damocles::cuda {

void start_checksum(std::span<const TaskCall::Input> inputs, std::uint64_t* sum, bool accumulate,
                    unsigned /*multiprocessors*/, cudaStream_t stream) {
  const std::vector<TaskCall::Input> all(inputs.begin(), inputs.end());
  stream_of(stream).queue([=](Stream::Time& /*at*/) {
    std::uint64_t folded = accumulate ? *sum : 0;
    for (std::size_t q = 0; q < all.size(); ++q) {
      if (place_of(all[q].at, all[q].bytes) == Place::nowhere) {
        fault() = cudaErrorIllegalAddress;
        return;
      }
      for (std::size_t i = 0; i * 8 < all[q].bytes; ++i) {
        std::uint64_t word = 0;
        std::memcpy(&word, all[q].at + i * 8, std::min<std::size_t>(8, all[q].bytes - i * 8));
        folded += folded_word(word, q, i);
      }
    }
    *sum = folded;
  });
}

void start_writing(std::span<const TaskCall::Written> written, const std::uint64_t* sum,
                   unsigned /*multiprocessors*/, cudaStream_t stream) {
  const std::vector<TaskCall::Written> all(written.begin(), written.end());
  stream_of(stream).queue([=](Stream::Time& /*at*/) {
    for (const auto& data : all) {
      if (place_of(data.at, data.bytes) == Place::nowhere) {
        fault() = cudaErrorIllegalAddress;
        return;
      }
      for (std::size_t i = 0; i * 8 < data.bytes; ++i) {
        const std::size_t bytes = std::min<std::size_t>(8, data.bytes - i * 8);
        std::uint64_t word = 0;
        if (data.adds && !data.fresh) std::memcpy(&word, data.at + i * 8, bytes);
        word += data.adds ? added_factor(*sum, data.position) * added_word(i)
                          : written_word(*sum, data.position, i);
        std::memcpy(data.at + i * 8, &word, bytes);
      }
    }
  });
}

std::vector<unsigned> multiprocessors_seen(unsigned /*multiprocessors*/, cudaStream_t stream) {
  std::vector<unsigned> seen(stream_of(stream).multiprocessors);
  for (unsigned i = 0; i < seen.size(); ++i) seen[i] = stream_of(stream).first + i;
  return seen;
}

}  // namespace damocles::cuda

namespace {

// A handle is bound to the GPU it was made on, and loses its workspace with a new stream.
struct Handle {
  int gpu = -1;
  cudaStream_t stream = nullptr;
  bool workspace = false;
};

int current_gpu() {
  int gpu = -1;
  (void)cudaGetDevice(&gpu);
  return gpu;
}

Handle& of(cublasHandle_t handle) { return *reinterpret_cast<Handle*>(handle); }

// What cuBLAS, or a check stricter than its, says to a product of such columns of numbers; operands
// in the host's memory it would read across the bus.
cublasStatus_t why_not(cublasHandle_t handle, cublasOperation_t of_a, cublasOperation_t of_b, int m,
                       int n, int k, std::size_t element, const void* a, int lda, const void* b,
                       int ldb, const void* c, int ldc) {
  const Handle& with = of(handle);
  if (of_a != CUBLAS_OP_N || of_b != CUBLAS_OP_N || lda < m || ldb < k || ldc < m)
    return CUBLAS_STATUS_INVALID_VALUE;
  if (with.stream == nullptr || !with.workspace || with.gpu != current_gpu())
    return CUBLAS_STATUS_NOT_INITIALIZED;
  if (stream_of(with.stream).green && !kind().multiplies_on_green)
    return CUBLAS_STATUS_EXECUTION_FAILED;
  const auto on_gpu = [&](const void* at, int rows, int columns) {
    return place_of(at, std::size_t(rows) * std::size_t(columns) * element) == Place::gpu;
  };
  return on_gpu(a, lda, k) && on_gpu(b, ldb, n) && on_gpu(c, ldc, n) ? CUBLAS_STATUS_SUCCESS
                                                                     : CUBLAS_STATUS_INVALID_VALUE;
}

// A product on the multiprocessors of the stream, or what it takes here.
void take_time(Stream::Time& at, const Stream& on, int m, int n, int k) {
  if (kind().flops_per_s <= 0) return;
  const double share = double(on.multiprocessors) / multiprocessors_of_gpu;
  damocles::fake::take(at, 2.0 * m * n * k / (kind().flops_per_s * share));
}

// As cuBLAS has it: column by column, c (m x n) = a (m x k) b (k x n).
template <class Real>
cublasStatus_t gemm(cublasHandle_t handle, cublasOperation_t of_a, cublasOperation_t of_b, int m,
                    int n, int k, Real alpha, const Real* a, int lda, const Real* b, int ldb,
                    Real beta, Real* c, int ldc) {
  const cublasStatus_t no =
      why_not(handle, of_a, of_b, m, n, k, sizeof(Real), a, lda, b, ldb, c, ldc);
  if (no != CUBLAS_STATUS_SUCCESS) return no;
  Stream& on = stream_of(of(handle).stream);
  on.queue([=, &on](Stream::Time& at) {
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < m; ++i) {
        Real sum = 0;
        for (int l = 0; l < k; ++l)
          sum += a[std::size_t(l) * std::size_t(lda) + std::size_t(i)] *
                 b[std::size_t(j) * std::size_t(ldb) + std::size_t(l)];
        Real& to = c[std::size_t(j) * std::size_t(ldc) + std::size_t(i)];
        to = beta == Real{0} ? alpha * sum : alpha * sum + beta * to;
      }
    }
    take_time(at, on, m, n, k);
  });
  return CUBLAS_STATUS_SUCCESS;
}

/// A number as a tensor core takes it.
float read_as(cudaDataType type, cublasComputeType_t compute, const void* at, std::size_t index) {
  if (type == CUDA_R_16BF) return __bfloat162float(static_cast<const __nv_bfloat16*>(at)[index]);
  if (type == CUDA_R_16F) return __half2float(static_cast<const __half*>(at)[index]);
  const float number = static_cast<const float*>(at)[index];
  if (compute != CUBLAS_COMPUTE_32F_FAST_TF32) return number;
  std::uint32_t bits = 0;  // cut off, the worse of what may be
  std::memcpy(&bits, &number, sizeof bits);
  bits &= 0xffffe000U;
  float result = 0;
  std::memcpy(&result, &bits, sizeof result);
  return result;
}

void write_as(cudaDataType type, void* at, std::size_t index, float number) {
  if (type == CUDA_R_16BF)
    static_cast<__nv_bfloat16*>(at)[index] = __float2bfloat16(number);
  else if (type == CUDA_R_16F)
    static_cast<__half*>(at)[index] = __float2half(number);
  else
    static_cast<float*>(at)[index] = number;
}

// A device of groups of 8 multiprocessors and others. `_internal_padding` keeps which split a
// resource comes from and where it begins.
struct Inside {
  unsigned split;  // 0: the device
  unsigned first;
};

Inside inside(const CUdevResource& resource) {
  Inside result{};
  std::memcpy(&result, resource._internal_padding, sizeof result);
  return result;
}

CUdevResource resource(unsigned count, Inside where) {
  CUdevResource result{};
  result.type = CU_DEV_RESOURCE_TYPE_SM;
  result.sm = {count, 8, 8};
  std::memcpy(result._internal_padding, &where, sizeof where);
  return result;
}

struct Context {
  unsigned first;
  unsigned count;
};

unsigned splits = 0;
int contexts = 0;

CUresult get_name(CUresult /*result*/, const char** name) {
  *name = "CUDA_ERROR_OF_FAKE";
  return CUDA_SUCCESS;
}
CUresult get_device(CUdevice* device, int ordinal) {
  *device = ordinal;
  return CUDA_SUCCESS;
}
CUresult get_resource(CUdevice /*device*/, CUdevResource* result, CUdevResourceType /*type*/) {
  *result = resource(multiprocessors_of_gpu, {0, 0});
  return CUDA_SUCCESS;
}
CUresult split(CUdevResource* result, unsigned* groups, const CUdevResource* input,
               CUdevResource* remaining, unsigned flags, unsigned least) {
  if (inside(*input).split != 0) return CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION;
  const bool pairs = (flags & CU_DEV_SM_RESOURCE_SPLIT_IGNORE_SM_COSCHEDULING) != 0;
  if (pairs && !kind().splits_in_pairs) return CUDA_ERROR_INVALID_VALUE;
  const unsigned unit = pairs ? 2 : 8;
  const unsigned size = (std::max(least, 1U) + unit - 1) / unit * unit;
  const unsigned most = pairs ? input->sm.smCount / size : kind().groups * 8 / size;
  if (result == nullptr) {
    *groups = most;
    return CUDA_SUCCESS;
  }
  *groups = std::min(*groups, most);
  ++splits;
  for (unsigned i = 0; i < *groups; ++i) result[i] = resource(size, {splits, i * size});
  *remaining = resource(input->sm.smCount - *groups * size, {splits, *groups * size});
  return CUDA_SUCCESS;
}
CUresult describe(CUdevResourceDesc* descriptor, CUdevResource* resources, unsigned count) {
  unsigned multiprocessors = 0;
  for (unsigned i = 0; i < count; ++i) {
    if (inside(resources[i]).split != inside(resources[0]).split)
      return CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION;
    multiprocessors += resources[i].sm.smCount;
  }
  *descriptor =
      reinterpret_cast<CUdevResourceDesc>(new Context{inside(resources[0]).first, multiprocessors});
  return CUDA_SUCCESS;
}
CUresult create(CUgreenCtx* context, CUdevResourceDesc descriptor, CUdevice /*device*/,
                unsigned flags) {
  if (flags != CU_GREEN_CTX_DEFAULT_STREAM) return CUDA_ERROR_INVALID_VALUE;
  if (contexts >= kind().contexts) {
    delete reinterpret_cast<Context*>(descriptor);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  ++contexts;
  *context = reinterpret_cast<CUgreenCtx>(descriptor);
  return CUDA_SUCCESS;
}
CUresult destroy(CUgreenCtx context) {
  --contexts;
  delete reinterpret_cast<Context*>(context);
  return CUDA_SUCCESS;
}
CUresult get_context_resource(CUgreenCtx context, CUdevResource* result,
                              CUdevResourceType /*type*/) {
  const auto& of = *reinterpret_cast<Context*>(context);
  *result = resource(of.count, {1, of.first});
  return CUDA_SUCCESS;
}
CUresult create_stream(CUstream* stream, CUgreenCtx context, unsigned flags, int /*priority*/) {
  if (flags != CU_STREAM_NON_BLOCKING) return CUDA_ERROR_INVALID_VALUE;
  const auto& of = *reinterpret_cast<Context*>(context);
  *stream = damocles::fake::handle_of(new Stream(current_gpu(), of.first, of.count, true));
  return CUDA_SUCCESS;
}

template <class Function>
void* address(Function* function) {
  return reinterpret_cast<void*>(function);
}

}  // namespace

extern "C" {

cudaError_t cudaGetDriverEntryPointByVersion(const char* symbol, void** function,
                                             unsigned /*version*/, unsigned long long /*flags*/,
                                             cudaDriverEntryPointQueryResult* answer) {
  const std::pair<std::string_view, void*> known[] = {
      {"cuGetErrorName", address(get_name)},
      {"cuDeviceGet", address(get_device)},
      {"cuDeviceGetDevResource", address(get_resource)},
      {"cuDevSmResourceSplitByCount", address(split)},
      {"cuDevResourceGenerateDesc", address(describe)},
      {"cuGreenCtxCreate", address(create)},
      {"cuGreenCtxDestroy", address(destroy)},
      {"cuGreenCtxGetDevResource", address(get_context_resource)},
      {"cuGreenCtxStreamCreate", address(create_stream)}};
  const auto* const found = std::find_if(std::begin(known), std::end(known),
                                         [&](const auto& entry) { return entry.first == symbol; });
  // The first two are older than green contexts.
  const bool has = found != std::end(known) && (found - known < 2 || kind().has_green_contexts);
  *function = has ? found->second : nullptr;
  *answer = has ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
  return cudaSuccess;
}

cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
  *handle = reinterpret_cast<cublasHandle_t>(new Handle{current_gpu()});
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
  if (of(handle).gpu != current_gpu()) std::abort();
  delete &of(handle);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasGetProperty(libraryPropertyType property, int* value) {
  *value = property == MAJOR_VERSION ? 13 : 0;
  return CUBLAS_STATUS_SUCCESS;
}
const char* cublasGetStatusName(cublasStatus_t /*status*/) { return "CUBLAS_STATUS_OF_FAKE"; }
const char* cublasGetStatusString(cublasStatus_t /*status*/) { return "as a fake says it"; }
cublasStatus_t cublasSetMathMode(cublasHandle_t /*handle*/, cublasMath_t /*mode*/) {
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t /*handle*/, cublasPointerMode_t /*mode*/) {
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetSmCountTarget(cublasHandle_t /*handle*/, int count) {
  return count > 0 ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}
cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream) {
  of(handle).stream = stream;
  of(handle).workspace = false;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void* at, size_t bytes) {
  of(handle).workspace = place_of(at, bytes) == Place::gpu;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSgemm_v2(cublasHandle_t handle, cublasOperation_t of_a, cublasOperation_t of_b,
                              int m, int n, int k, const float* alpha, const float* a, int lda,
                              const float* b, int ldb, const float* beta, float* c, int ldc) {
  return gemm(handle, of_a, of_b, m, n, k, *alpha, a, lda, b, ldb, *beta, c, ldc);
}
cublasStatus_t cublasDgemm_v2(cublasHandle_t handle, cublasOperation_t of_a, cublasOperation_t of_b,
                              int m, int n, int k, const double* alpha, const double* a, int lda,
                              const double* b, int ldb, const double* beta, double* c, int ldc) {
  return gemm(handle, of_a, of_b, m, n, k, *alpha, a, lda, b, ldb, *beta, c, ldc);
}

cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t of_a, cublasOperation_t of_b,
                            int m, int n, int k, const void* alpha, const void* a,
                            cudaDataType type_a, int lda, const void* b, cudaDataType type_b,
                            int ldb, const void* beta, void* c, cudaDataType type_c, int ldc,
                            cublasComputeType_t compute, cublasGemmAlgo_t /*algorithm*/) {
  if (type_a != type_b || type_a != type_c || *static_cast<const float*>(alpha) != 1)
    return CUBLAS_STATUS_INVALID_VALUE;
  const cublasStatus_t no =
      why_not(handle, of_a, of_b, m, n, k, type_a == CUDA_R_32F ? 4 : 2, a, lda, b, ldb, c, ldc);
  if (no != CUBLAS_STATUS_SUCCESS) return no;
  const bool add = *static_cast<const float*>(beta) != 0;
  Stream& on = stream_of(of(handle).stream);
  on.queue([=, &on](Stream::Time& time) {
    for (std::size_t j = 0; j < std::size_t(n); ++j) {
      for (std::size_t i = 0; i < std::size_t(m); ++i) {
        const std::size_t at = j * std::size_t(ldc) + i;
        float sum = add ? read_as(type_c, CUBLAS_COMPUTE_32F, c, at) : 0;
        for (std::size_t l = 0; l < std::size_t(k); ++l)
          sum += read_as(type_a, compute, a, l * std::size_t(lda) + i) *
                 read_as(type_b, compute, b, j * std::size_t(ldb) + l);
        write_as(type_c, c, at, sum);
      }
    }
    take_time(time, on, m, n, k);
  });
  return CUBLAS_STATUS_SUCCESS;
}

}  // extern "C"
