#include "experiments/figures/tiled_instances.hpp"

#include <fmt/format.h>

namespace damocles {
namespace {

constexpr int workload_draws = 5;

CurvePoint of_two_matrices(std::size_t n, std::vector<std::string> workloads,
                           const std::string& platform) {
  const auto side = static_cast<double>(n);
  return {fmt::format("n={}", n),
          n,
          std::move(workloads),
          platform,
          panel_mib,
          side,
          2 * side,
          2 * side};
}

}  // namespace

std::string coloc21_gpu(std::size_t memory_mib) {
  return fmt::format("gpus:k=1,gflops=12557,bandwidth=6GB/s,memory={}MiB,depth=30", memory_mib);
}

std::string ipdps22_simulated_gpus(std::size_t k, std::size_t memory_mib) {
  const char* bus = k == 1 ? "bandwidth=10.8GB/s" : "bandwidth=12.36GB/s,link=10.8GB/s";
  return fmt::format("gpus:k={},gflops=12970,{},memory={}MiB", k, bus, memory_mib);
}

std::string ipdps22_gpus(std::size_t k, std::size_t memory_mib, const std::string& outputs) {
  const char* bus = k == 1   ? "bandwidth=10.8GB/s"
                    : k == 2 ? "bandwidth=12.36GB/s,link=10.8GB/s,duplex=true,peers=24.1GB/s"
                             : "bandwidth=12.36GB/s,buses=2,link=10.8GB/s,duplex=true,"
                               "peers=24.1GB/s+0-3:47.8GB/s+1-2:47.8GB/s+2-3:47.8GB/s";
  return fmt::format(
      "gpus:k={},gflops=13253,{},memory={}MiB,{}streams=1,request=28us,decision=45ns", k, bus,
      memory_mib, outputs);
}

CurvePoint product_2d(std::size_t n, const std::string& platform) {
  return of_two_matrices(n, {fmt::format("gemm2d:n={}", n)}, platform);
}

std::vector<CurvePoint> products_2d(std::size_t first, std::size_t last, std::size_t step,
                                    const std::string& platform) {
  std::vector<CurvePoint> points;
  for (std::size_t n = first; n <= last; n += step) points.push_back(product_2d(n, platform));
  return points;
}

CurvePoint shuffled_2d(std::size_t n, const std::string& platform) {
  std::vector<std::string> workloads;
  for (int seed = 1; seed <= workload_draws; ++seed) {
    workloads.push_back(fmt::format("gemm2d:n={},order=random,seed={}", n, seed));
  }
  return of_two_matrices(n, std::move(workloads), platform);
}

CurvePoint sparse_2d(std::size_t n, const std::string& platform) {
  std::vector<std::string> workloads;
  for (int seed = 1; seed <= workload_draws; ++seed) {
    workloads.push_back(fmt::format("sparse2d:n={},density=0.02,seed={}", n, seed));
  }
  return of_two_matrices(n, std::move(workloads), platform);
}

CurvePoint product_3d(std::size_t n, const std::string& c, const std::string& platform) {
  const auto side = static_cast<double>(n);
  return {fmt::format("n={}", n),
          n,
          {fmt::format("gemm3d:m={},n={},k=4,c={}", n, n, c)},
          platform,
          tile_mib,
          4 * side,
          8 * side,
          8 * side + side * side};
}

CurvePoint cholesky(std::size_t n, const std::string& platform) {
  const auto side = static_cast<double>(n);
  const double pairs = side * (side - 1) / 2;
  const double triples = pairs * (side - 2) / 3;
  const double flops = (side / 3 + 2 * pairs + 2 * triples) * 960 * 960 * 960;
  // SYRK is done as a full GEMM, by the same codelet and model.
  const double time_s = side * 20.7e-3 + pairs * (626.6e-6 + 139.1e-6) + triples * 139.1e-6;
  return {fmt::format("n={}", n),
          n,
          {fmt::format("cholesky:n={},deps=false", n)},
          platform + ",times=POTRF:20.7ms+TRSM:626.6us+SYRK:139.1us+GEMM:139.1us",
          tile_mib,
          0,
          0,
          side * (side + 1) / 2,
          flops / time_s / 1e9};
}

}  // namespace damocles
