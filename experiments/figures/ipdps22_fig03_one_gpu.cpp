#include "experiments/figures/curve_checks.hpp"
#include "experiments/figures/tiled_instances.hpp"

namespace damocles::ipdps22_fig03_one_gpu {
namespace {

constexpr const char* darts_lru = "darts:eviction=lru";
constexpr const char* as_starpu = "darts:choice=starpu";

CurveFigure figure() {
  return {products_2d(5, 75, 5, ipdps22_gpus(1)),
          {"eager", "dmdar", mhfp, "darts", darts_lru, as_starpu},
          ipdps22_peak,
          "ipdps22.fig3-4"};
}

std::vector<CurveTest> tests() {
  return {
      {{"DARTS+LUF achieves on average 8.5 % more GFlop/s than DMDAR", "V-B e"},
       gain_is("darts", "dmdar", 0.085)},
      {{"it eventually achieves almost optimal performance", "V-B e"},
       keeps_share_of_peak("darts", near_peak, memory_is_short())},
      {{"EAGER's throughput plummets at the red line", "V-B b"}, collapses_without_b("eager")},
      {{"after the red line DARTS with LRU suffers a domino effect of loads", "V-B e"},
       falls(darts_lru, b_does_not_fit())},
      {{"on the first seven points DARTS and DARTS+LUF achieve near perfect performance", "V-B e",
        Weight::remark},
       each({darts_lru, "darts"},
            [](const auto& name) { return keeps_share_of_peak(name, near_peak, sizes(10, 35)); })},
      {{"mHFP achieves very good performance without its scheduling time", "V-B c", Weight::remark},
       is_at_least(near_peak, mhfp, {"darts"}, sizes(5, 25))},
      {{"DMDAR does not suffer from the pathological case affecting EAGER", "V-B d",
        Weight::remark},
       keeps_share_of_best("dmdar", collapsed, b_does_not_fit())},
      {{"DMDAR's transfers start to rise for the last two sizes, and its performance drops",
        "V-B d", Weight::remark},
       rises_at_the_end("dmdar", 2)}};
}

std::vector<std::string> also(const Curves& ours) {
  return {"darts with data ranked as StarPU's code does, over dmdar: " +
          gain_text(ours, as_starpu, "dmdar")};
}

const Register entries{curve_claim(
    {"ipdps22.fig3-4",
     "2D product, 1 GPU: DARTS+LUF +8.5 % over DMDAR and nearly at the peak; EAGER collapses once B "
     "no longer fits, DARTS with LRU suffers there",
     "gemm2d:n=5, 10, ..., 75 (141 to 2109 MiB), 13253 GFlop/s, 10.8 GB/s, 500 MiB; decisions 45 ns per data item or task looked at",
     figure, tests(), also})};

}  // namespace
}  // namespace damocles::ipdps22_fig03_one_gpu
