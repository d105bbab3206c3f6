#include "experiments/parallel.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "gpu/in_parallel.hpp"
#include "models/spec.hpp"

namespace damocles {
namespace {

constexpr std::uint64_t most_threads = 4096;

/// What OMP_NUM_THREADS says, as users and batch systems set it; 0 where it says nothing sensible.
std::uint64_t threads_asked_for() {
  const char* const text = std::getenv("OMP_NUM_THREADS");
  if (text == nullptr) return 0;
  const std::string_view list = text;  // "4,2" is of nested loops: the first counts
  return std::min(parse_integer(list.substr(0, list.find(','))).value_or(0), most_threads);
}

}  // namespace

void for_each_in_parallel(std::size_t count, int threads,
                          const std::function<void(std::size_t)>& body) {
  const std::uint64_t asked = threads > 0 ? static_cast<std::uint64_t>(threads) : 0;
  in_parallel(count, body, asked > 0 ? asked : threads_asked_for());
}

}  // namespace damocles
