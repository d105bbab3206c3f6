#include "experiments/figures/curve_checks.hpp"
#include "experiments/figures/tiled_instances.hpp"

namespace damocles::ipdps22_fig12_sparse {
namespace {

constexpr const char* opti = "darts:opti=true";
/// "Only slightly lower": by at most this share.
constexpr double slightly_lower = 0.9;

CurveFigure figure_with(std::size_t memory_mib) {
  CurveFigure result{{}, {"eager", "dmdar", "darts", opti}, ipdps22_peak};
  for (std::size_t n = 50; n <= 750; n += 50) {
    result.points.push_back(sparse_2d(n, ipdps22_gpus(4, memory_mib)));
  }
  for (const auto& name : hypergraph_if_built()) result.strategies.push_back(name);
  return result;
}

CurveFigure little_memory() { return figure_with(500); }
CurveFigure all_memory() { return figure_with(std::size_t{32} * 1024); }

std::vector<CurveTest> with_little_memory() {
  return {
      {{"DARTS+LUF obtains 40 % more GFlop/s than DMDAR", "V-G"}, gain_is("darts", "dmdar", 0.40)},
      {{"DARTS navigates between sparse tasks without too many transfers, unlike the others", "V-G",
        Weight::remark},
       all_of(
           "darts moves at least 10 % fewer bytes than each of the others where A and B do not fit together, mean",
           {moves_less("darts", "eager", markedly, memory_is_short()),
            moves_less("darts", "dmdar", markedly, memory_is_short()),
            moves_less("darts", hypergraph, markedly, memory_is_short())})},
      {{"OPTI does not negatively impact the performance", "V-G", Weight::remark},
       is_never_slower(opti, {"darts"}, everywhere())}};
}

std::vector<CurveTest> with_all_memory() {
  return {
      {{"DARTS+OPTI obtains the best performance", "V-G"},
       is_never_slower(opti, {"eager", "dmdar", "darts", hypergraph}, everywhere())},
      {{"hMETIS suffers from an important partitioning cost", "V-G", Weight::remark},
       {},
       "",
       "it speaks of the time of hMETIS, which is not ours to distribute"},
      {{"its performance would otherwise be only slightly lower than DARTS", "V-G", Weight::remark},
       is_at_least(slightly_lower, hypergraph, {"darts"}, everywhere()),
       "Zoltan stands in for hMETIS"}};
}

const Register entries{
    curve_claim(
        {"ipdps22.fig12",
         "sparse 2D product (98 % of the tasks removed), 4 GPUs: DARTS+LUF +40 % over DMDAR",
         "sparse2d:n=50, 100, ..., 750,density=0.02 (1406 to 21094 MiB), 5 draws, 4 x (13253 "
         "GFlop/s, 10.8 GB/s, 500 MiB) behind 12.36 GB/s for each two, NVLinks of 24.1 and 47.8 "
         "GB/s; decisions 45 ns a data item or task looked at; Zoltan in place of hMETIS",
         little_memory, with_little_memory()}),
    curve_claim({"ipdps22.fig13", "the same without memory limit: DARTS+OPTI is best",
                 "sparse2d:n=50, 100, ..., 750,density=0.02 (1406 to 21094 MiB), 5 draws, 4 x "
                 "(13253 GFlop/s, 10.8 GB/s, 32 GiB) behind 12.36 GB/s for each two, NVLinks of "
                 "24.1 and 47.8 GB/s; decisions 45 ns a data item or task looked at; Zoltan in "
                 "place of hMETIS",
                 all_memory, with_all_memory()})};

}  // namespace
}  // namespace damocles::ipdps22_fig12_sparse
