#include "models/platforms/bus_sampling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <sstream>
#include <string_view>

#include "models/error.hpp"
#include "models/graph_files/graph_text.hpp"
#include "models/input_file.hpp"
#include "models/spec.hpp"

namespace damocles {
namespace {

constexpr std::array<std::string_view, 3> sampling_endings{".config", ".bandwidth", ".latency"};
constexpr std::array<std::string_view, 4> known_endings{".config", ".bandwidth", ".latency",
                                                        ".affinity"};
constexpr std::size_t most_memories = 4096;
// In MB/s, or in us: as fast as platforms may be, and as slow.
constexpr double most_measured = 1e12;
constexpr double least_rate = 1e-6;

/// Numbers that stand in rows, each from one memory to all.
using Matrix = std::vector<std::vector<double>>;

bool is_comment(std::string_view line) {
  const auto first = line.find_first_not_of(" \t");
  return first == std::string_view::npos || line[first] == '#';
}

/// Not a number where nothing was measured.
double measured(const TextLines& lines, std::string_view word) {
  if (word == "nan" || word == "-nan") return std::numeric_limits<double>::quiet_NaN();
  const auto value = signed_number(word);
  if (!value || *value < 0 || *value > most_measured) {
    lines.refuse(fmt::format("'{}' is no measurement; write a number from 0 to {}, or nan",
                             shown(word), most_measured));
  }
  return *value;
}

Matrix matrix(std::istream& in, const std::string& name) {
  TextLines lines(in, name);
  Matrix result;
  while (lines.next()) {
    if (is_comment(lines.text())) continue;
    if (result.size() == most_memories) {
      lines.refuse(fmt::format("more than {} rows; write one a memory", most_memories));
    }
    auto& row = result.emplace_back();
    for (const auto word : lines.words()) row.push_back(measured(lines, word));
    if (row.size() != result.front().size()) {
      lines.refuse(fmt::format("{} numbers after rows of {}; write one for each memory", row.size(),
                               result.front().size()));
    }
  }
  return result;
}

/// Lines as `2 # Number of CUDA devices`.
void read_config(std::istream& in, const std::string& name, BusSampling& sampling) {
  TextLines lines(in, name);
  bool any = false;
  while (lines.next()) {
    const std::string_view text = lines.text();
    if (is_comment(text)) continue;
    const auto hash = std::min(text.find('#'), text.size());
    const std::string_view what = text.substr(hash);
    std::vector<std::string_view> words;
    split_words(text.substr(0, hash), words);
    const auto number = words.size() == 1 ? parse_integer(words.front()) : std::nullopt;
    if (!number || *number > most_memories) {
      lines.refuse(
          fmt::format("'{}' is no number of devices; write lines as '2 # Number of CUDA devices'",
                      shown(text)));
    }
    const auto count = static_cast<std::size_t>(*number);
    any = true;
    if (what.find("NUMA") != std::string_view::npos) sampling.homes = count;
    if (what.find("CUDA") != std::string_view::npos ||
        what.find("OpenCL") != std::string_view::npos) {
      sampling.gpus += count;
    }
  }
  if (!any || sampling.homes == 0) {
    refuse_file(name, 0,
                "says of no memory that it is there; give what starpu_calibrate_bus wrote");
  }
}

void check_size(const Matrix& matrix, const std::string& name, std::size_t memories) {
  const std::size_t columns = matrix.empty() ? 0 : matrix.front().size();
  if (matrix.size() >= memories && columns >= memories) return;
  refuse_file(
      name, 0,
      fmt::format(
          "{} rows of {} numbers, but the config has {} memories; give files of one machine",
          matrix.size(), columns, memories));
}

bool is_rate(double value) { return std::isfinite(value) && value >= least_rate; }

}  // namespace

BusSampling BusSampling::read(std::istream& config, std::istream& bandwidth, std::istream& latency,
                              const std::string& host) {
  BusSampling result;
  read_config(config, host + ".config", result);
  const Matrix rates = matrix(bandwidth, host + ".bandwidth");
  const Matrix times = matrix(latency, host + ".latency");
  const std::size_t memories = result.homes + result.gpus;
  check_size(rates, host + ".bandwidth", memories);
  check_size(times, host + ".latency", memories);
  result.between.assign(result.gpus, std::vector<double>(result.gpus, 0));
  for (std::size_t gpu = 0; gpu < result.gpus; ++gpu) {
    const std::size_t node = result.homes + gpu;
    std::size_t home = 0;
    for (std::size_t other = 1; other < result.homes; ++other) {
      if (!is_rate(rates[home][node]) || rates[other][node] > rates[home][node]) home = other;
    }
    if (!is_rate(rates[home][node]) || !is_rate(rates[node][home])) {
      refuse_file(
          host + ".bandwidth", 0,
          fmt::format("nothing between home and GPU {}, memory {}; calibrate again", gpu, node));
    }
    result.to_gpu.push_back(rates[home][node] * 1e6);
    result.to_home.push_back(rates[node][home] * 1e6);
    const double taken = times[home][node];
    result.latency_s.push_back(std::isfinite(taken) ? taken * 1e-6 : 0);
    for (std::size_t other = 0; other < result.gpus; ++other) {
      const double rate = rates[node][result.homes + other];
      if (other != gpu && is_rate(rate)) result.between[gpu][other] = rate * 1e6;
    }
  }
  return result;
}

bool is_bus_sampling(std::string_view path) {
  return std::any_of(known_endings.begin(), known_endings.end(),
                     [&](std::string_view ending) { return path.ends_with(ending); });
}

std::string bus_sampling_advice(std::string_view path) {
  return fmt::format(
      "'{0}' is of StarPU's bus sampling; with HOST.config, HOST.bandwidth and HOST.latency in one folder it is a platform: write starpu:path={0}",
      path);
}

BusSampling BusSampling::of_files(const std::string& path) {
  std::string host = path;
  for (const std::string_view ending : known_endings) {
    if (host.ends_with(ending)) host.resize(host.size() - ending.size());
  }
  Digest digest;
  std::array<std::istringstream, 3> files;
  for (std::size_t which = 0; which < files.size(); ++which) {
    const std::string text =
        read_file(host + std::string(sampling_endings[which]),
                  {.what = "bus sampling",
                   .right = "give HOST.config beside HOST.bandwidth and HOST.latency",
                   .most_bytes = 1'000'000'000});
    // Each with its length, so that no two sets of three have one digest.
    digest.add(fmt::format("{} ", text.size()));
    digest.add(text);
    files[which].str(text);
  }
  BusSampling result = read(files[0], files[1], files[2], host);
  result.file = {path, digest.hex()};
  return result;
}

}  // namespace damocles
