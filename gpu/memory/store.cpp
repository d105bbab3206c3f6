#include "gpu/memory/store.hpp"

#include <algorithm>
#include <cstring>
#include <span>

#include "gpu/arithmetic/numbers.hpp"
#include "models/host_memory.hpp"
#include "models/parallel.hpp"

namespace damocles {
namespace {

/// Large pieces begin at cache lines; small ones lie close, as a checksum has 8 bytes.
std::size_t stride(std::size_t bytes) {
  const std::size_t alignment = bytes < 64 ? 8 : 64;
  return (bytes + alignment - 1) / alignment * alignment;
}

/// Bytes of all data and results. A double: of what nobody can have, it may exceed 2^64.
double all_bytes(const Arithmetic& arithmetic) {
  double result = static_cast<double>(stride(arithmetic.output_bytes())) *
                  static_cast<double>(arithmetic.outputs());
  if (const auto bytes = arithmetic.uniform_bytes()) {
    return result + static_cast<double>(stride(*bytes)) * static_cast<double>(arithmetic.data());
  }
  for (std::uint64_t data = 0; data < arithmetic.data(); ++data) {
    result += static_cast<double>(stride(arithmetic.data_bytes(DataId{data})));
  }
  return result;
}

std::vector<std::size_t> begins(const Arithmetic& arithmetic) {
  if (arithmetic.uniform_bytes()) return {};
  std::vector<std::size_t> result{0};
  for (std::uint64_t data = 0; data < arithmetic.data(); ++data) {
    result.push_back(result.back() + stride(arithmetic.data_bytes(DataId{data})));
  }
  return result;
}

template <typename Number>
void add_numbers(std::byte* to, const std::byte* sum, std::size_t bytes) {
  auto* const result = reinterpret_cast<Number*>(to);
  const auto* const terms = reinterpret_cast<const Number*>(sum);
  for (std::size_t i = 0; i < bytes / sizeof(Number); ++i) result[i] = result[i] + terms[i];
}

}  // namespace

Store::Store(const Arithmetic& arithmetic, Device& device)
    : arithmetic_(arithmetic),
      output_bytes_(arithmetic.output_bytes()),
      output_stride_(stride(output_bytes_)),
      data_(nullptr, Release{&device}),
      outputs_(nullptr, Release{&device}) {
  require_host_memory(all_bytes(arithmetic), available_host_memory());
  data_stride_ = stride(arithmetic.uniform_bytes().value_or(0));
  begins_ = begins(arithmetic);
  arrivals_ = std::vector<std::atomic<std::uint32_t>>(arithmetic.outputs());
  data_.reset(device.allocate_host(begin(arithmetic.data())));
  fill();
  if (arithmetic.outputs() == 0) return;
  outputs_.reset(device.allocate_host(arithmetic.outputs() * output_stride_));
  renew();
}

void Store::fill() {
  in_parallel(arithmetic_.data(), [&](std::uint64_t data) {
    arithmetic_.fill(DataId{data}, {place(DataId{data}), arithmetic_.data_bytes(DataId{data})});
  });
}

void Store::renew() {
  if (arithmetic_.writes_data()) fill();
  in_parallel(arrivals_.size(), [&](std::uint64_t tile) {
    std::memset(output(tile), 0xff, output_bytes_);
    arrivals_[tile] = 0;
  });
}

void Store::add(std::uint64_t tile, const std::byte* sum) {
  const std::lock_guard lock(adding_[tile % adding_.size()]);
  if (arrivals_[tile]++ == 0) {
    std::memcpy(output(tile), sum, output_bytes_);
  } else {
    with_number(arithmetic_.kernel().precision, [&](auto number) {
      add_numbers<decltype(number)>(output(tile), sum, output_bytes_);
    });
  }
}

void Store::add_words(DataId data, const std::byte* sum) {
  constexpr std::size_t word_bytes = sizeof(std::uint64_t);
  std::byte* const to = place(data);
  const std::size_t bytes = arithmetic_.data_bytes(data);
  const std::lock_guard lock(adding_to(data));
  for (std::size_t at = 0; at < bytes; at += word_bytes) {
    const std::size_t part = std::min(word_bytes, bytes - at);
    std::uint64_t word = 0;
    std::uint64_t term = 0;
    std::memcpy(&word, to + at, part);
    std::memcpy(&term, sum + at, part);
    word += term;
    std::memcpy(to + at, &word, part);
  }
}

}  // namespace damocles
