// What the computer is called that the program runs on.
#pragma once

#include <string>

namespace damocles {

/// The processor's name, as the system has it.
[[nodiscard]] std::string cpu_name();
/// The same with its threads: "AMD EPYC 7763, 16 threads".
[[nodiscard]] std::string machine_name();

}  // namespace damocles
