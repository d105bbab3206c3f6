// A platform file and the options behind its name: `h200.toml,memory=1GB` is the machine of the
// file with GPUs of another memory. Options have the names that `gpus:` gives them; one of GPUs
// holds for all GPUs of the file, and one of cores (cpu_gflops=) for all its cores.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "models/platforms/platform.hpp"
#include "models/spec.hpp"

namespace damocles {

struct NamedPlatformFile {
  std::string path;
  Spec options;  ///< named as the file

  /// Nothing where the text names no platform file. @throws InvalidInput on options that are none
  static std::optional<NamedPlatformFile> in(std::string_view text);
  /// As in() reads it.
  [[nodiscard]] std::string text() const;
  /// Sets what the options say. @throws UnknownKey, and InvalidInput on wrong values
  void change(MachineModel& machine) const;
};

}  // namespace damocles
