#pragma once

#include <string>
#include <vector>

namespace damocles {

/// The program damocles-starpu: parses and runs; returns the exit status, as `damocles` does.
/// @param words  of its command line; `one ...` is a run that the program starts itself
int run_starpu_program(std::vector<std::string> words);

}  // namespace damocles
