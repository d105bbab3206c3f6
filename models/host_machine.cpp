#include "models/host_machine.hpp"

#include <fmt/format.h>

#include <fstream>
#include <thread>

namespace damocles {

std::string machine_name() {
  return fmt::format("{}, {} threads", cpu_name(), std::thread::hardware_concurrency());
}

std::string cpu_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown processor";
}

}  // namespace damocles
