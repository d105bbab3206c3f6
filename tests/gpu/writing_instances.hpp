#pragma once

#include <array>
#include <cstdint>

#include "models/platforms/platform.hpp"
#include "models/rng.hpp"
#include "models/workload.hpp"
#include "tests/gpu/executed_run.hpp"
#include "tests/strategies/writing_graphs.hpp"

namespace damocles {

/// A workload whose tasks write, and processors for it.
struct WritingInstance {
  Workload workload;
  Platform platform;
};

/// Whether data of a workload have one size, or any.
enum class Sizes { one, any };

/// @param cores  whether some processors may compute in host memory
inline WritingInstance drawn_writing_instance(Rng& rng, bool cores, Sizes sizes = Sizes::any) {
  constexpr std::array texts{"cholesky:n=4,tile=4,deps=true",
                             "cholesky:n=4,tile=4,deps=true,updates=commute",
                             "cholesky:n=4,tile=4,deps=true,updates=reduce",
                             "stencil:n=3,steps=3,tile=4",
                             "layered:n=4,layers=4,tile=4",
                             "gemm3d:n=3,tile=4,c=made"};
  const std::uint64_t which = rng.below(sizes == Sizes::one ? texts.size() : 2 * texts.size());
  const Workload workload = which < texts.size()
                                ? Workload::parse(texts.at(which))
                                : Workload::of_graph("random", drawn_writing_graph(rng));
  constexpr std::array rooms{Room::tight, Room::medium, Room::all};
  WritingInstance made{
      workload,
      limited(1 + rng.below(4), room_bytes(workload, rooms.at(rng.below(3))), rng.below(5))};
  made.platform.machine->write_back = rng.below(2) == 0 && workload.writes();
  if (rng.below(2) == 0) made.platform.machine->peer_bytes_per_s = 2e9;
  if (rng.below(2) == 0) made.platform.machine->peer_links.push_back({0, 1, 2e9});
  if (cores) add_cores(made.platform, rng.below(3));
  return made;
}

}  // namespace damocles
