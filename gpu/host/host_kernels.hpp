#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "gpu/kernel.hpp"

namespace damocles {

/// Runs a task on the calling thread, on host addresses. Products by OpenBLAS (one thread) where it
/// was found as this was built and is now, else by Eigen.
void run_on_host(const Kernel& kernel, const TaskCall& call);

/// What an input at that position adds to a checksum: its words by folded_word(), modulo 2^64.
[[nodiscard]] std::uint64_t fold_of(std::span<const std::byte> content, std::uint64_t position);
/// Writes a data item as a checksum task does, by written_word().
void fill_with(std::span<std::byte> content, std::uint64_t fold, std::uint64_t position);
/// Adds to a data item as checksum tasks do that commute on it or reduce into it: so much times
/// added_word().
void add_to(std::span<std::byte> content, std::uint64_t factor);

/// "OpenBLAS 0.3.21" or "Eigen 3.4.0". The first call, or the first product, loads OpenBLAS, which
/// reads the environment: let no other thread change it then.
[[nodiscard]] std::string host_kernel_library();

}  // namespace damocles
