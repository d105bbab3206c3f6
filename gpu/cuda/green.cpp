#include "gpu/cuda/green.hpp"

#include <cuda.h>
#include <cudaTypedefs.h>
#include <fmt/format.h>

#include <cstddef>
#include <utility>
#include <vector>

#include "gpu/cuda/kernels.hpp"
#include "gpu/cuda/product.hpp"
#include "gpu/cuda/shares.hpp"
#include "models/error.hpp"

namespace damocles::cuda {
namespace {

/// The driver has no green contexts, or not for this GPU.
struct NotToBeHad {
  std::string reason;
};

template <class Function>
void look_up(const char* name, unsigned version, Function& function) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult answer{};
  const cudaError_t status =
      cudaGetDriverEntryPointByVersion(name, &found, version, cudaEnableDefault, &answer);
  if (status != cudaSuccess || answer != cudaDriverEntryPointSuccess || found == nullptr) {
    (void)cudaGetLastError();
    throw NotToBeHad{fmt::format("the driver has no {} (CUDA {}.{})", name, version / 1000,
                                 version % 1000 / 10)};
  }
  function = reinterpret_cast<Function>(found);
}

// The driver's functions of CUDA 12.4 and 12.5, whose ABI every later driver keeps.
struct Driver {
  PFN_cuGetErrorName_v6000 error_name{};
  PFN_cuDeviceGet_v2000 device_get{};
  PFN_cuDeviceGetDevResource_v12040 resource_of_device{};
  PFN_cuDevSmResourceSplitByCount_v12040 split_by_count{};
  PFN_cuDevResourceGenerateDesc_v12040 generate_descriptor{};
  PFN_cuGreenCtxCreate_v12040 create{};
  PFN_cuGreenCtxDestroy_v12040 destroy{};
  PFN_cuGreenCtxGetDevResource_v12040 resource_of_context{};
  PFN_cuGreenCtxStreamCreate_v12050 create_stream{};

  Driver() {
    look_up("cuGetErrorName", 6000, error_name);
    look_up("cuDeviceGet", 2000, device_get);
    look_up("cuDeviceGetDevResource", 12040, resource_of_device);
    look_up("cuDevSmResourceSplitByCount", 12040, split_by_count);
    look_up("cuDevResourceGenerateDesc", 12040, generate_descriptor);
    look_up("cuGreenCtxCreate", 12040, create);
    look_up("cuGreenCtxDestroy", 12040, destroy);
    look_up("cuGreenCtxGetDevResource", 12040, resource_of_context);
    look_up("cuGreenCtxStreamCreate", 12050, create_stream);
  }

  void need(CUresult result, const char* call) const {
    if (result == CUDA_SUCCESS) return;
    const char* name = nullptr;
    if (error_name(result, &name) != CUDA_SUCCESS || name == nullptr) name = "an unknown error";
    throw NotToBeHad{fmt::format("{} says {}", call, name)};
  }
};

// The fewest multiprocessors that can be asked for. Drivers before CUDA 13 do not fill in the
// field; then it is the guideline in cuda.h at "Green Contexts".
unsigned least(const CUdevResource& all, int gpu) {
  if (all.sm.minSmPartitionSize != 0) return all.sm.minSmPartitionSize;
  int major = 0;
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, gpu),
        "asking for the compute capability");
  return major >= 9 ? 8 : major == 8 ? 4 : 2;
}

// A GPU split once into as many equal groups as it has. Shares are put together from these: what a
// split returns cannot be split again, so parts of 8, 16, 32 and 64 cannot be cut off one after the
// other; but one descriptor takes several results of the same split (cuda.h at
// cuDevSmResourceSplitByCount and cuDevResourceGenerateDesc).
std::vector<CUdevResource> split_into(const Driver& driver, const CUdevResource& all,
                                      unsigned flags, unsigned size) {
  unsigned count = 0;
  driver.need(driver.split_by_count(nullptr, &count, &all, nullptr, flags, size),
              "cuDevSmResourceSplitByCount");
  if (count == 0) throw NotToBeHad{"the GPU cannot be split"};
  std::vector<CUdevResource> groups(count);
  CUdevResource remainder{};
  driver.need(driver.split_by_count(groups.data(), &count, &all, &remainder, flags, size),
              "cuDevSmResourceSplitByCount");
  groups.resize(count);
  if (groups.empty() || groups.front().sm.smCount == 0) throw NotToBeHad{"the GPU cannot be split"};
  return groups;
}

// Pairs of multiprocessors, whether or not they are scheduled together: an H200 of 132 makes 66 of
// these, but only 15 groups of 8, and its products are as fast on either
// (docs/explanation/gpu_measured.md). Where the driver does not split so finely, the smallest
// groups that it makes.
std::vector<CUdevResource> finest_split(const Driver& driver, CUdevice device, int gpu) {
  CUdevResource all{};
  driver.need(driver.resource_of_device(device, &all, CU_DEV_RESOURCE_TYPE_SM),
              "cuDeviceGetDevResource");
  try {
    return split_into(driver, all, CU_DEV_SM_RESOURCE_SPLIT_IGNORE_SM_COSCHEDULING, 2);
  } catch (const NotToBeHad&) {
    return split_into(driver, all, 0, least(all, gpu));
  }
}

}  // namespace

struct GreenContexts::Parts {
  Driver driver;
  int gpu = 0;
  std::vector<CUgreenCtx> contexts;
  std::vector<Stream> streams;
  std::vector<unsigned> multiprocessors;
  std::vector<std::size_t> seen;

  Parts() = default;
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;
  ~Parts() {
    (void)cudaSetDevice(gpu);
    streams.clear();  // before the contexts, or they leak (cuda.h at cuGreenCtxDestroy)
    for (CUgreenCtx context : contexts) (void)driver.destroy(context);
  }

  void add(CUdevice device, std::vector<CUdevResource> resources) {
    CUdevResourceDesc descriptor = nullptr;
    driver.need(driver.generate_descriptor(&descriptor, resources.data(),
                                           static_cast<unsigned>(resources.size())),
                "cuDevResourceGenerateDesc");
    CUgreenCtx context = nullptr;
    driver.need(driver.create(&context, descriptor, device, CU_GREEN_CTX_DEFAULT_STREAM),
                "cuGreenCtxCreate");
    contexts.push_back(context);
    CUdevResource has{};
    driver.need(driver.resource_of_context(context, &has, CU_DEV_RESOURCE_TYPE_SM),
                "cuGreenCtxGetDevResource");
    multiprocessors.push_back(has.sm.smCount);
  }

  // That a kernel started by the runtime goes where its stream belongs while the primary context is
  // current, that cuBLAS takes such a stream, and that an event recorded there can be set against
  // one of that context, this header does not say in so many words. Where it is not so, better to
  // know now than in the run.
  void try_out(unsigned of_gpu) {
    CUstream made = nullptr;
    driver.need(driver.create_stream(&made, contexts.back(), CU_STREAM_NON_BLOCKING, 0),
                "cuGreenCtxStreamCreate");
    streams.emplace_back(made);  // cudaStream_t and CUstream are one type
    try {
      const Stream plain = make_stream();
      const Event base = make_event();
      check(cudaEventRecord(base.get(), plain.get()), "recording an event");
      check(cudaEventSynchronize(base.get()), "waiting for an event");
      seen.push_back(multiprocessors_seen(of_gpu, made).size());
      const Event event = make_event();
      check(cudaEventRecord(event.get(), made), "recording an event on a green context");
      check(cudaEventSynchronize(event.get()), "waiting for a green context");
      float ms = 0;
      check(cudaEventElapsedTime(&ms, base.get(), event.get()), "timing a green context");
      if (ms < 0) throw NotToBeHad{"an event of theirs comes before one that it followed"};
      if (streams.size() == 1) {
        Product(made, multiprocessors.back())
            .warm_up({Kernel::Kind::product, Precision::fp32, 64, 64, 64});
      }
    } catch (const DeviceError& failed) {
      throw NotToBeHad{failed.what()};
    }
  }
};

GreenContexts::GreenContexts(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
GreenContexts::GreenContexts(GreenContexts&&) noexcept = default;
GreenContexts& GreenContexts::operator=(GreenContexts&&) noexcept = default;
GreenContexts::~GreenContexts() = default;

std::optional<GreenContexts> GreenContexts::split(int gpu, const std::string& name,
                                                  const std::vector<unsigned>& asked,
                                                  std::string& reason) {
  check(cudaSetDevice(gpu), "choosing the GPU");
  check(cudaFree(nullptr), "making the primary context");  // green contexts live in it
  int of_gpu = 0;
  check(cudaDeviceGetAttribute(&of_gpu, cudaDevAttrMultiProcessorCount, gpu),
        "asking for the multiprocessors");
  try {
    auto parts = std::make_unique<Parts>();
    parts->gpu = gpu;
    CUdevice device = 0;
    parts->driver.need(parts->driver.device_get(&device, gpu), "cuDeviceGet");
    const auto groups = finest_split(parts->driver, device, gpu);
    auto next = groups.begin();
    for (const std::size_t count : groups_of(asked, {name, groups.size(), groups[0].sm.smCount})) {
      const auto end = next + static_cast<std::ptrdiff_t>(count);
      parts->add(device, std::vector<CUdevResource>(next, end));
      parts->try_out(static_cast<unsigned>(of_gpu));
      next = end;
    }
    return GreenContexts(std::move(parts));
  } catch (const NotToBeHad& none) {
    reason = none.reason;
    return std::nullopt;
  }
}

std::size_t GreenContexts::size() const { return parts_->contexts.size(); }

unsigned GreenContexts::multiprocessors(std::size_t part) const {
  return parts_->multiprocessors[part];
}

std::size_t GreenContexts::seen(std::size_t part) const { return parts_->seen[part]; }

Stream GreenContexts::take_stream(std::size_t part) { return std::move(parts_->streams[part]); }

}  // namespace damocles::cuda
