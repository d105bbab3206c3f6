// The program's entry: from before main() on, a lack of memory is one line and exit 1.
#include <unistd.h>

#include <new>
#include <string_view>

#include "experiments/commands/command.hpp"

namespace {

/// Nobody can catch what is thrown before main().
[[noreturn]] void end_without_memory() {
  constexpr std::string_view text = "damocles: out of memory before the command could begin\n";
  if (write(STDERR_FILENO, text.data(), text.size()) < 0) _exit(1);  // nobody listens
  _exit(1);
}

struct BeforeMain {
  BeforeMain() noexcept { std::set_new_handler(end_without_memory); }
};

/// Made before every table that files fill as they register.
[[gnu::init_priority(101)]] const BeforeMain before_main;

}  // namespace

int main(int argc, char** argv) {
  std::set_new_handler(nullptr);  // from here on std::bad_alloc is caught
  return damocles::run_program(argc, argv);
}
