#include "models/platforms/gpu_presets.hpp"

#include <algorithm>

#include "models/error.hpp"

namespace damocles {

const std::vector<GpuPreset>& gpu_presets() {
  // NVIDIA's sheets give PCIe and NVLink-C2C in both directions together, and tensor cores' peaks
  // with sparsity: half of each is here. In order: single, double, tf32, bf16, fp16.
  static const std::vector<GpuPreset> all{
      {"v100",
       {13253},
       "500MB",
       "12GB/s",
       false,
       "IPDPS'22 V: peak of the product kernel on a V100, and its bus, shared",
       "v100"},
      {"v100-coloc21",
       {12557},
       "500MB",
       "6GB/s",
       false,
       "COLOC'21 4: the same, on another machine",
       "v100"},
      {"a100",
       {19500, 19500, 156000, 312000, 312000},
       "40GB",
       "32GB/s",
       true,
       "NVIDIA's data sheet, A100 SXM4 40 GB; PCIe Gen4 64 GB/s"},
      {"h100-pcie",
       {51000, 51000, 378000, 756500, 756500},
       "80GB",
       "64GB/s",
       true,
       "NVIDIA's data sheet, H100 PCIe; PCIe Gen5 128 GB/s"},
      {"h100-sxm",
       {67000, 67000, 494500, 989500, 989500},
       "80GB",
       "64GB/s",
       true,
       "NVIDIA's data sheet, H100 SXM5; PCIe Gen5 128 GB/s"},
      {"h200",
       {67000, 67000, 494500, 989500, 989500},
       "141GB",
       "64GB/s",
       true,
       "NVIDIA's data sheet, H200 SXM; PCIe Gen5 128 GB/s",
       "h200"},
      {"gh200",
       {67000, 67000, 494500, 989500, 989500},
       "96GB",
       "450GB/s",
       true,
       "NVIDIA's data sheet, GH200 with HBM3; NVLink-C2C 900 GB/s"},
      {"rtx4090",
       {82600, 1290, 82600, 165200, 165200},
       "24GB",
       "32GB/s",
       true,
       "NVIDIA's Ada white paper, RTX 4090 (sums of 16-bit products in FP32); PCIe Gen4 x16"},
      {"mi250x",
       {47850, 47850, 0, 191500, 191500},
       "64GB",
       "36GB/s",
       true,
       "one of the two dies: half of AMD's data sheet, MI250X, matrix cores; link to the CPU as in Frontier's user guide"},
  };
  return all;
}

const GpuPreset& gpu_preset(const std::string& name) {
  const auto& all = gpu_presets();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const auto& preset) { return preset.name == name; });
  if (found != all.end()) return *found;
  std::vector<std::string> names;
  for (const auto& preset : all) names.push_back(preset.name);
  refuse_unknown("preset", name, names, "damocles list presets");
}

}  // namespace damocles
