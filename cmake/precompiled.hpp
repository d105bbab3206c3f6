// What most sources include, compiled once a room (DAMOCLES_PCH). Sources name what they use all
// the same: the builds with a compiler cache and of clang-tidy go without it.
#include <fmt/format.h>

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
