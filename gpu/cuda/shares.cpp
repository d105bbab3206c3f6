#include "gpu/cuda/shares.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "models/error.hpp"

namespace damocles::cuda {

std::vector<Place> places(const CudaOptions& options, std::size_t gpus) {
  const auto& asked = options.multiprocessors;
  if (options.processors != 0 && !asked.empty() && asked.size() != options.processors) {
    throw InvalidInput(fmt::format(
        "{} processors, but multiprocessors for {}; give one number a processor, or none",
        options.processors, asked.size()));
  }
  if (const auto none = std::find(asked.begin(), asked.end(), 0U); none != asked.end()) {
    throw InvalidInput(fmt::format("processor {} is given 0 multiprocessors; give it at least 1",
                                   none - asked.begin()));
  }
  std::size_t processors = options.processors;
  if (processors == 0) processors = asked.empty() ? gpus : asked.size();
  std::vector<Place> result(processors);
  for (std::size_t i = 0; i < processors; ++i) {
    result[i].gpu = static_cast<int>(i % gpus);
    // The first GPUs are shared by one more, so sharing is a matter of each GPU.
    const bool shared = i % gpus + gpus < processors;
    result[i].split = shared || !asked.empty();
    if (!asked.empty()) result[i].multiprocessors = asked[i];
  }
  return result;
}

std::vector<std::size_t> groups_of(const std::vector<unsigned>& asked, const Groups& groups) {
  const auto has = [&groups] {
    return fmt::format("{} can be split into {} groups of {} multiprocessors", groups.gpu,
                       groups.count, groups.of_each);
  };
  if (asked.size() > groups.count) {
    throw InvalidInput(
        fmt::format("{} processors on one GPU are too many: {}", asked.size(), has()));
  }
  if (std::all_of(asked.begin(), asked.end(), [](unsigned share) { return share == 0; }))
    return std::vector<std::size_t>(asked.size(), groups.count / asked.size());

  std::vector<std::size_t> result;
  std::size_t left = groups.count;
  for (const std::size_t share : asked) {
    if (share == 0 || share % groups.of_each != 0) {
      throw InvalidInput(
          fmt::format("a processor of {} multiprocessors cannot be had: {}", share, has()));
    }
    if (share / groups.of_each > left) {
      throw InvalidInput(fmt::format("processors of {} multiprocessors in all are too many: {}",
                                     std::accumulate(asked.begin(), asked.end(), 0U), has()));
    }
    result.push_back(share / groups.of_each);
    left -= result.back();
  }
  return result;
}

}  // namespace damocles::cuda
