#include "experiments/measured/causes.hpp"

namespace damocles {
namespace {

bool has(const Measurement& point, const char* word) {
  return point.strategy.find(word) != std::string::npos;
}

bool is_darts(const Measurement& point) { return point.strategy.starts_with("DARTS"); }
bool is_order(const Measurement& point) {
  return point.strategy == "MST" || point.strategy == "RCM";
}

bool by_prefetch(const Measurement& point) { return point.strategy == "EAGER" || is_order(point); }
bool by_ready(const Measurement& point) {
  return point.strategy == "DMDAR" || point.strategy.starts_with("HMETIS") || has(point, "MHFP") ||
         (has(point, "HFP") && has(point, "Ready"));
}
bool by_lists(const Measurement& point) { return is_darts(point) && has(point, "(LRU)"); }
bool by_parts(const Measurement& point) { return point.strategy.starts_with("HMETIS"); }
bool by_threshold(const Measurement& point) { return has(point, "threshold"); }
bool by_decisions(const Measurement& point) {
  return is_darts(point) && (point.gpus > 2 || point.application != "2D");
}
bool by_submission(const Measurement& point) {
  return is_darts(point) && point.application == "2D-random-order";
}
bool by_outputs(const Measurement& point) { return point.application == "3D"; }
bool by_draws(const Measurement& point) { return point.application.starts_with("sparse"); }
bool by_kinds(const Measurement& point) { return point.application == "cholesky-no-deps"; }
bool by_links(const Measurement& point) { return point.gpus > 1; }

}  // namespace

const std::vector<Cause>& causes() {
  static const std::vector<Cause> all{
      {"prefetch",
       "Room for a prefetch: StarPU gives it free memory, or memory of data that no task it knows "
       "of needs; otherwise it waits until its task is about to run ([GMT22] V-B d). So with full "
       "memory transfers and tasks hardly overlap.",
       by_prefetch},
      {"Ready",
       "What Ready prefers: fewest bytes not there, data on their way included; of equal ones "
       "fewest bytes without a pending request, which new data have since submission and evicted "
       "data have not; then list order. It decides with an up-to-date view of the memory, however "
       "long the pipeline is.",
       by_ready},
      {"lists",
       "StarPU's darts under LRU never puts evicted data back on its list, and takes any task once "
       "the list frees none.",
       by_lists},
      {"parts", "hMETIS cuts other parts than Zoltan.", by_parts},
      {"threshold",
       "Which data the threshold looks at first, and from which task on it is in force.",
       by_threshold},
      {"decisions",
       "DARTS decides while its GPU waits. That is part of the measured time (column deciding) and "
       "takes none here.",
       by_decisions},
      {"submission",
       "Submitted in random order the same tasks cost the real DARTS more loads than in row order, "
       "and ours the same. Why is not known.",
       by_submission},
      {"outputs",
       "Tiles of C take memory there, are evicted, written back and loaded again by the next of "
       "the "
       "four products; here they are no data.",
       by_outputs},
      {"draws", "Other draws; GFlop/s there count 2 % of all tasks, whatever was drawn.", by_draws},
      {"kinds", "The order in which the kinds of task are submitted, and how long each takes.",
       by_kinds},
      {"links",
       "Loads from another GPU (column from GPUs) travel over NVLink and leave the bus alone; "
       "kernels do not take the same time on every GPU; and whether two GPUs that want the same "
       "data ask soon enough to share its transfer is chance.",
       by_links},
  };
  return all;
}

}  // namespace damocles
