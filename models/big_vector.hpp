#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace damocles {

/// Memory for arrays read at random: in huge pages where Linux grants them, because looking up a
/// 4 KiB page takes longer than the data in it. Elements are left uninitialized by resize().
template <typename T>
class BigAllocator {
 public:
  using value_type = T;  // NOLINT(readability-identifier-naming): allocators have it

  BigAllocator() = default;
  template <typename U>
  explicit BigAllocator(const BigAllocator<U>& /*other*/) {}

  T* allocate(std::size_t count) {
    if (!is_big(count)) return std::allocator<T>{}.allocate(count);
    if (count > static_cast<std::size_t>(-1) / sizeof(T)) throw std::bad_array_new_length();
    void* const memory = ::operator new(count * sizeof(T), alignment);
#if defined(__linux__)
    madvise(memory, count * sizeof(T), MADV_HUGEPAGE);  // refused: as slow as before
#endif
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t count) {
    if (!is_big(count)) return std::allocator<T>{}.deallocate(memory, count);
    ::operator delete(memory, alignment);
  }

  template <typename U>
  void construct(U* at) {
    ::new (static_cast<void*>(at)) U;
  }
  template <typename U, typename... Arguments>
  void construct(U* at, Arguments&&... arguments) {
    ::new (static_cast<void*>(at)) U(std::forward<Arguments>(arguments)...);
  }

  bool operator==(const BigAllocator& /*other*/) const { return true; }

 private:
  static constexpr std::size_t huge_page = std::size_t{1} << 21U;
  static constexpr std::align_val_t alignment{huge_page};

  static bool is_big(std::size_t count) { return count >= huge_page / sizeof(T); }
};

template <typename T>
using BigVector = std::vector<T, BigAllocator<T>>;

}  // namespace damocles
