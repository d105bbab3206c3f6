#pragma once

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "gpu/cuda_device.hpp"

namespace damocles {

/// The error that stands in the way of a GPU, or "".
inline std::string why_no_gpu() {
  int gpus = 0;
  const cudaError_t status = cudaGetDeviceCount(&gpus);
  if (status == cudaSuccess && gpus > 0) return {};
  return cudaGetErrorName(status == cudaSuccess ? cudaErrorNoDevice : status);
}

/// Tests that need a GPU, with a device of some processors and its memory.
class WithGpu : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = why_no_gpu(); !why.empty())
      GTEST_SKIP() << "no CUDA device: " << why;
  }

  void TearDown() override {
    for (const auto& [processor, at] : pieces_) device_->release(processor, at);
    for (std::byte* const at : host_pieces_) device_->release_host(at);
  }

  Device& make(const CudaOptions& options) {
    device_ = make_cuda_device(options);
    return *device_;
  }

  std::byte* host(std::size_t bytes) {
    host_pieces_.push_back(device_->allocate_host(bytes));
    return host_pieces_.back();
  }

  std::byte* memory(ProcessorId processor, std::size_t bytes) {
    std::byte* const at = device_->allocate(processor, bytes);
    pieces_.emplace_back(processor, at);
    return at;
  }

  /// Memory of a processor that holds these numbers, by a load.
  template <class Number>
  std::byte* loaded(ProcessorId processor, const std::vector<Number>& numbers) {
    const std::size_t bytes = numbers.size() * sizeof(Number);
    std::byte* const from = host(bytes);
    if (bytes > 0) std::memcpy(from, numbers.data(), bytes);
    std::byte* const to = memory(processor, bytes);
    device_->start_load(processor, to, from, bytes, 0);
    (void)device_->finish_load(processor);
    return to;
  }

  /// What is there, by a write.
  template <class Number>
  std::vector<Number> read(ProcessorId processor, const std::byte* from, std::size_t count) {
    std::byte* const to = host(count * sizeof(Number));
    device_->start_write(processor, to, from, count * sizeof(Number), 0);
    (void)device_->finish_write(processor);
    std::vector<Number> numbers(count);
    std::memcpy(numbers.data(), to, count * sizeof(Number));
    return numbers;
  }

  Interval run(ProcessorId processor, const TaskCall& call) {
    device_->start_task(processor, call);
    return device_->finish_task(processor);
  }

  std::unique_ptr<Device> device_;

 private:
  std::vector<std::pair<ProcessorId, std::byte*>> pieces_;
  std::vector<std::byte*> host_pieces_;
};

}  // namespace damocles
