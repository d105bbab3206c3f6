// What most sources include, compiled once a room (DAMOCLES_PCH). Sources name what they use all
// the same: the builds with a compiler cache and of clang-tidy go without it.
#ifdef __OPTIMIZE__
// At -O0 {fmt} switches optimisation on and off by pragmas. In a precompiled header GCC 12 forgets
// the second switch and leaves __OPTIMIZE__ defined; then its own <xmmintrin.h> does not compile.
#include <fmt/format.h>
#endif

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>
