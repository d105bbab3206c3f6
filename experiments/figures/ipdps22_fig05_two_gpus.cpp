#include "experiments/figures/curve_checks.hpp"
#include "experiments/figures/tiled_instances.hpp"

namespace damocles::ipdps22_fig05_two_gpus {
namespace {

constexpr const char* darts_lru = "darts:eviction=lru";

CurveFigure figure() {
  CurveFigure result{products_2d(10, 150, 10, ipdps22_gpus(2)),
                     {"eager", "dmdar", mhfp, "darts", darts_lru},
                     ipdps22_peak,
                     "ipdps22.fig5-7"};
  for (const auto& name : hypergraph_if_built()) result.strategies.push_back(name);
  return result;
}

std::vector<CurveTest> tests() {
  return {{{"DARTS+LUF gets a 9.4 % improvement over DMDAR for two GPUs", "V-C d"},
           gain_is("darts", "dmdar", 0.094)},
          {{"its performance is close to ideal", "V-C d"},
           keeps_share_of_peak("darts", near_peak, memory_is_short())},
          {{"EAGER, hMETIS+R and DARTS show lower performance under memory constraint", "V-C a"},
           each({"eager", hypergraph, darts_lru},
                [](const auto& name) { return falls(name, b_does_not_fit()); })},
          {{"DARTS+LUF has more data transfers than DMDAR between 2500 and 3500 MB", "V-C d",
            Weight::remark},
           moves_more("darts", "dmdar", working_sets(2500, 3500))},
          {{"however, its throughput is always higher", "V-C d", Weight::remark},
           is_never_slower("darts", {"dmdar"}, everywhere())},
          {{"DMDAR at some point cannot properly manage both prefetching and LRU, as on one GPU",
            "V-C c", Weight::remark},
           rises_at_the_end("dmdar", 2)},
          {{"in simulation mHFP achieves very good performance without its scheduling time",
            "V-C b", Weight::remark},
           keeps_share_of_peak(mhfp, near_peak, memory_is_short())},
          {{"the partitioning time of hMETIS+R has a significant impact on performance", "V-C a",
            Weight::remark},
           {},
           "",
           "it speaks of the time of hMETIS, which is not ours to distribute"}};
}

const Register entries{curve_claim(
    {"ipdps22.fig5-7",
     "2D product, 2 GPUs: DARTS+LUF +9.4 % over DMDAR and close to ideal; EAGER, hMETIS+R and DARTS with LRU suffer where memory is short",
     "gemm2d:n=10, 20, ..., 150 (281 to 4219 MiB), 2 x (13253 GFlop/s, 10.8 GB/s, 500 MiB) behind "
     "12.36 GB/s, 24.1 GB/s between the two; decisions 45 ns per data item or task looked at; Zoltan in place of hMETIS",
     figure, tests()})};

}  // namespace
}  // namespace damocles::ipdps22_fig05_two_gpus
