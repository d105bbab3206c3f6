#include "models/platforms/platform_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <vector>

#include "models/error.hpp"
#include "models/platforms/machine_keys.hpp"
#include "models/unknown_key.hpp"

namespace damocles {
namespace {

constexpr std::string_view file_ending = ".toml";
constexpr const char* spec_name = "file";  // a path may have signs that end a spec's name

std::string name_of_option(std::string_view key) {
  return std::string(key == "sharing" ? "bus" : key);  // as `gpus:` calls it
}
std::string name_of_core_option(std::string_view key) { return fmt::format("cpu_{}", key); }

/// Sets what the options have of these keys, of each of `all`.
template <typename Of>
void set_given(const NamedPlatformFile& file, std::span<const PlatformKey<Of>> keys,
               std::string (*name_of)(std::string_view), const std::vector<Of*>& all) {
  for (const auto& key : keys) {
    const std::string name = name_of(key.name);
    const auto text = file.options.word(name);
    if (!text) continue;
    for (Of* const one : all) {
      key.set(*one, {name, *text, fmt::format("platform '{}'", file.text())});
    }
  }
}

template <typename Of>
void add_names(std::span<const PlatformKey<Of>> keys, std::string (*name_of)(std::string_view),
               std::vector<std::string>& names) {
  for (const auto& key : keys) names.push_back(name_of(key.name));
}

void check_options(const NamedPlatformFile& file) {
  std::vector<std::string> known;
  add_names<ProcessorModel>(gpu_keys(), name_of_option, known);
  add_names<MachineModel>(bus_keys(), name_of_option, known);
  add_names<ProcessorModel>(cpu_keys(), name_of_core_option, known);
  for (const std::string& key : file.options.keys()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    throw UnknownKey(key, fmt::format("platform file '{}' has no option '{}'; {}", file.path, key,
                                      valid_names(key, known)));
  }
}

}  // namespace

std::optional<NamedPlatformFile> NamedPlatformFile::in(std::string_view text) {
  if (text.starts_with("speeds:@")) return std::nullopt;  // may name any file
  if (text.ends_with(file_ending)) {
    return NamedPlatformFile{std::string(text), Spec::parse(spec_name, "platform")};
  }
  const auto end = text.find(fmt::format("{},", file_ending));
  if (end == std::string_view::npos) return std::nullopt;
  const auto path = text.substr(0, end + file_ending.size());
  NamedPlatformFile file{
      std::string(path),
      Spec::parse(fmt::format("{}:{}", spec_name, text.substr(path.size() + 1)), "platform")};
  if (!file.options.values().empty()) {
    throw InvalidInput(fmt::format("platform '{}': '{}' is not key=value; write memory=1GB", text,
                                   file.options.values().front()));
  }
  return file;
}

std::string NamedPlatformFile::text() const {
  const std::string given = options.text();
  const std::string_view name = spec_name;
  return given.size() > name.size() ? fmt::format("{},{}", path, given.substr(name.size() + 1))
                                    : path;
}

void NamedPlatformFile::change(MachineModel& machine) const {
  check_options(*this);
  std::vector<ProcessorModel*> gpus;
  std::vector<ProcessorModel*> cores;
  for (ProcessorModel& one : machine.processors) {
    (one.in_host_memory ? cores : gpus).push_back(&one);
  }
  set_given<MachineModel>(*this, bus_keys(), name_of_option, {&machine});
  set_given<ProcessorModel>(*this, gpu_keys(), name_of_option, gpus);
  set_given<ProcessorModel>(*this, cpu_keys(), name_of_core_option, cores);
  check_machine(machine, fmt::format("platform '{}'", text()));
}

}  // namespace damocles
