#pragma once

#include <cstddef>

namespace damocles {

/// Brings an object, which will be changed, into the cache; not what it points to. A hint.
template <typename T>
void prefetch_line(const T& object) {
  constexpr std::size_t line = 64;
  const auto* const first = static_cast<const char*>(static_cast<const void*>(&object));
  for (std::size_t at = 0; at < sizeof(T); at += line) __builtin_prefetch(first + at, 1);
  __builtin_prefetch(first + sizeof(T) - 1, 1);
  // Without a side effect GCC takes the callers for empty and drops the prefetch with them.
  __asm__ volatile("" : : "r"(first));
}

}  // namespace damocles
