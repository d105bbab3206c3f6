#include "experiments/commands/run_options.hpp"

#include <string>

namespace damocles {

void RunOptions::add_device(Command command) {
  command.option("--backend", backend, "NAME",
                 "what computes, see damocles list backends (default host)");
  command.option("--tile", tile, "N",
                 "rows and columns of a tile of outer and matrix (default 32)");
  command.option("--inner", inner, "N", "inner extent of a block of outer (default 8)");
  command.option(
      "--precision", precision, "NAME",
      "of outer and matrix: single (the default), double, tf32, bf16 or fp16; gemm2d, gemm3d and sparse2d have their own precision=");
  command.option(
      "--sms", multiprocessors, "LIST",
      "cuda: streaming multiprocessors (SMs) of the GPU for each processor, as 8,16,32,64; CPU cores get none (default: equal shares)");
}

void RunOptions::add_to(Command command, bool backend_required) {
  add_device(command);
  command.option(
      "--pace", pace, "TIME",
      "slow execution down to the platform's speeds: a task takes TIME on a processor of mean "
      "speed, and the bus is slower by the same factor (host, and mpi but for the bus). Default: tasks run as fast as this machine "
      "computes; volume_ratio may then be below 1, because its bound assumes the platform's speeds");
  command.flag("--no-throttle", no_throttle,
               "host: copy at this machine's speed, not at that of the platform's bus");
  command.option(
      "--verify", check, "NAME",
      "how to check the result: full (every number), freivalds (products times random "
      "vectors), none, or auto (default: full up to 0.2 GFlop and for checksums, else freivalds)");
  command.option("--compute", compute, "NAME",
                 "what tasks compute: auto (the default: product, else checksum), product, "
                 "checksum, or empty (nothing: the executor alone)");
  command.option("--depth", depth, "N",
                 "unlimited memory: a processor asks for tasks while fewer than N of those it took "
                 "are unfinished, the running one included (default 1: when it is idle); "
                 "limited memory: see depth= in `damocles list platforms gpus`");
  if (!backend_required) return;
  command.describe("--backend",
                   "also execute there, see damocles list backends (default: no execution)");
  backend.clear();
  for (const char* const option : {"--tile", "--inner", "--precision", "--sms", "--pace",
                                   "--no-throttle", "--verify", "--compute", "--depth"}) {
    command.only_with(option, "--backend", option == std::string("--sms") ? "cuda" : "host");
  }
}

}  // namespace damocles
