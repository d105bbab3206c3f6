// glibc has arc4random() since 2.36, and the C++ library that is linked into the archive's program
// asks for it in a part that the program never calls. With this one it starts where glibc is 2.34.
#include <sys/random.h>

#include <cstdint>
#include <cstdlib>

extern "C" [[gnu::visibility("hidden")]] std::uint32_t arc4random() {
  std::uint32_t number = 0;
  if (getrandom(&number, sizeof number, 0) != sizeof number) std::abort();
  return number;
}
