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
bool by_packing(const Measurement& point) { return has(point, "HFP"); }
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
      {"requests",
       "With full memory each task asks for its data when it is about to run. StarPU loads 2 % "
       "more there (each row of A once more, evicted between its prefetch and its use) and spends "
       "about 0.1 ms a task more than the 28 us counted here.",
       by_prefetch},
      {"packing",
       "Packages merge with other partners where several are equally good: those of "
       "the authors' sessions of 2021-12 and 2022-01 differ by up to a half.",
       by_packing},
      {"lists",
       "Once every data item was evicted the list frees nothing and any task is taken, one by one; "
       "which one differs.",
       by_lists},
      {"parts",
       "Bands of columns, exact where there are many: hMETIS's parts are not quite clean at small "
       "sizes, nor in thirds. Where a band just exceeds a memory, how often Ready's 10 tasks are "
       "enough decides, and there StarPU loads up to twice as much. In random order a file's parts fell on other tasks (below).",
       by_parts},
      {"threshold",
       "Which data the threshold looks at first, and from which task on it is in force.",
       by_threshold},
      {"decisions",
       "DARTS decides while its GPUs wait, under one lock: counted as 45 ns a task looked at, "
       "fitted to the time the authors measured inside the scheduler, and 30 us until a GPU that "
       "waited for another one's decision goes on, fitted to GFlop/s from n = 180 on 4 GPUs, where "
       "the decisions are the limit. How the lock is handed over is not known beyond that.",
       by_decisions},
      {"submission",
       "Submitted in random order the same tasks cost the real DARTS more loads than in row order, "
       "and ours the same. Why is not known.",
       by_submission},
      {"outputs",
       "Partial sums of C go home here when their room is needed, and a load waits for that. Their "
       "HFP takes hardly longer than the computation alone, so StarPU sends them ahead; their MST, "
       "RCM and DMDAR take the longer for each tile the larger the product is.",
       by_outputs},
      {"draws", "Other draws; GFlop/s there count 2 % of all tasks, whatever was drawn.", by_draws},
      {"kinds", "The order in which the kinds of task are submitted, and how long each takes.",
       by_kinds},
      {"links",
       "Data come over NVLink here too, from the GPU that holds them, whenever one does. Kernels "
       "do not take the same time on every GPU of theirs, and whether two GPUs that want the same "
       "data ask soon enough to share its transfer is chance. In random order ours is up to three "
       "times as fast (DMDAR), with these links or without: that is open. Were the way home shared "
       "(duplex=false), EAGER would be 13 to 20 % too fast at n = 25, 45 and 65 in place of 31 to "
       "60, and DARTS+LUF within 5 % up to 45; DMDAR takes 3.8 to 3.9 ms a load there at every n from 25 on, longer than one GPU alone.",
       by_links},
  };
  return all;
}

}  // namespace damocles
