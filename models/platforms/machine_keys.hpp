#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "models/platforms/gpu_presets.hpp"
#include "models/platforms/platform.hpp"
#include "models/precision.hpp"
#include "models/quantity.hpp"

namespace damocles {

/// Of all kinds together.
inline constexpr std::uint64_t most_limited_processors = 4096;

inline constexpr std::uint64_t most_buses = 64;

/// One value of a platform, and where it was written.
struct KeyValue {
  std::string key;
  std::string text;
  std::string where;  ///< "platform 'gpus:...'" or "platform file 'x.toml', line 3"

  [[noreturn]] void refuse(std::string_view want) const;
  /// Above 0. @throws InvalidInput where it is no such quantity, as all that follow
  [[nodiscard]] double quantity(Unit unit) const;
  [[nodiscard]] double bytes_per_s() const;
  /// A time of 0 or more [s].
  [[nodiscard]] double time_s() const;
  /// From 1 on.
  [[nodiscard]] std::uint64_t count(std::uint64_t most) const;
  /// One of these words, which `meant` lists for a reader.
  void one_of(std::initializer_list<std::string_view> words, std::string_view meant) const;
};

/// A key of processors or of their bus, what sets it, and its text (KeyText).
template <typename Of>
struct PlatformKey {
  std::string_view name;
  void (*set)(Of& to, const KeyValue& given);
  std::string_view values;
  std::string_view otherwise;
  std::string_view meaning;
};

/// Of a GPU; of a core, which computes where all data lie; of the bus and all that is common. Both
/// forms, `gpus:` and the tables of a file, have them: one place to add one.
[[nodiscard]] std::span<const PlatformKey<ProcessorModel>> gpu_keys();
[[nodiscard]] std::span<const PlatformKey<ProcessorModel>> cpu_keys();
[[nodiscard]] std::span<const PlatformKey<MachineModel>> bus_keys();

/// One GPU on its bus as the preset has it, where nothing else is said.
[[nodiscard]] MachineModel machine_of(const GpuPreset& preset, Precision precision);
/// A core of which nothing is said: usual_core_flops_per_s, in the memory that holds all data.
[[nodiscard]] ProcessorModel unnamed_core();
/// @throws InvalidInput naming `where` if what is said of one part does not fit the others: links
/// of GPUs that are not there, routes over links that are not, buses without GPUs, more or fewer
/// bandwidths than buses, noise as measured where nothing was, powers of some processors
void check_machine(const MachineModel& machine, const std::string& where);

}  // namespace damocles
