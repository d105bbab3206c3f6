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
       "With full memory each task requests its data items when it is about to run. StarPU "
       "loads 2 % more there: it evicts each row of A once between its prefetch and its use. "
       "It spends about 0.1 ms a task beyond the 28 us counted here.",
       by_prefetch},
      {"packing",
       "Where several partners are equally good, HFP merges packages differently. The "
       "authors' own sessions of 2021-12 and 2022-01 differ by up to a half.",
       by_packing},
      {"lists",
       "Once every data item was evicted, none enables a task, and DARTS takes an arbitrary "
       "task. StarPU and Damocles take different ones.",
       by_lists},
      {"parts",
       "The parts are bands of columns, which is exact where there are many columns. "
       "hMETIS's parts are not quite clean at small sizes, nor in thirds. Where a band just "
       "exceeds a memory, Ready's window of 10 tasks decides, and there StarPU loads up to "
       "twice as much. In random order the parts of a file fell on other tasks (below).",
       by_parts},
      {"threshold",
       "It is not known which data items the threshold examines first, nor from which task "
       "on it applies.",
       by_threshold},
      {"decisions",
       "DARTS decides under one lock, while its GPUs wait. Damocles charges 45 ns for each "
       "task that it inspects, fitted to the time that the authors measured inside the "
       "scheduler. A GPU that waited for another one's decision goes on 30 us later. That is "
       "fitted to GFlop/s from n = 180 on 4 GPUs, where decisions are the limit. How the "
       "lock is handed over is not known beyond that.",
       by_decisions},
      {"submission",
       "Tasks submitted in random order cost the real DARTS more loads than the same tasks "
       "in row order. In Damocles they cost the same. The reason is not known.",
       by_submission},
      {"outputs",
       "Damocles returns a partial sum of C when its room is needed, and a load waits for "
       "that. The authors' HFP takes hardly longer than the computation alone, so StarPU "
       "returns sums earlier. Their MST, RCM and DMDAR take longer for each tile as the "
       "product grows.",
       by_outputs},
      {"draws",
       "The random draws differ. Their GFlop/s count 2 % of all tasks, whatever was drawn.",
       by_draws},
      {"kinds",
       "The order in which kinds of tasks are submitted differs, and so does how long each "
       "kind takes.",
       by_kinds},
      {"links",
       "Here too, data items come over NVLink from a GPU that holds them. The authors' GPUs "
       "do not all run a kernel in the same time. Whether two GPUs request an item soon "
       "enough to share its transfer is chance. In random order Damocles is up to three "
       "times as fast (DMDAR), with these links or without. That is open. With one shared "
       "return path (duplex=false), EAGER would be 13 to 20 % too fast at n = 25, 45 and 65, "
       "not 31 to 60 %, and DARTS+LUF within 5 % up to 45. DMDAR takes 3.8 to 3.9 ms a load "
       "there from n = 25 on, longer than one GPU alone.",
       by_links},
  };
  return all;
}

}  // namespace damocles
