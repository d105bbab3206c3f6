#include "gpu/memory/processor_memory.hpp"

#include <utility>

namespace damocles {
ResultKinds kinds_of_results(const Arithmetic& arithmetic) {
  ResultKinds kinds;
  for (std::uint64_t task = 0; task < arithmetic.tasks(); ++task) {
    const auto where = arithmetic.output(TaskId{task}).where;
    kinds.fresh = kinds.fresh || where == TaskOutput::Where::fresh;
    kinds.partial = kinds.partial || where == TaskOutput::Where::partial;
    kinds.input = kinds.input || where == TaskOutput::Where::input;
  }
  return kinds;
}

ProcessorMemory::ProcessorMemory(Device& device, ProcessorId processor,
                                 const Arithmetic& arithmetic, std::uint64_t capacity_bytes,
                                 const ResultKinds& results, std::size_t output_slots)
    : device_(device),
      processor_(processor),
      arithmetic_(arithmetic),
      pool_(device, processor, capacity_bytes, arithmetic.uniform_bytes().value_or(0),
            arithmetic.data()),
      data_(arithmetic.data(), nullptr),
      summed_(arithmetic.data(), false) {
  if (results.fresh) {
    outputs_ =
        std::make_unique<SlotPool>(device, processor, output_slots, arithmetic.output_bytes());
  }
  if (results.partial) {
    sums_ = device.allocate(processor, arithmetic.outputs() * arithmetic.output_bytes());
    begun_.assign(arithmetic.outputs(), false);
  }
}

ProcessorMemory::~ProcessorMemory() {
  if (sums_ != nullptr) device_.release(processor_, sums_);
}

std::byte* ProcessorMemory::take(DataId data) {
  return data_[raw(data)] = pool_.take(arithmetic_.data_bytes(data));
}

std::byte* ProcessorMemory::forget(DataId data) { return std::exchange(data_[raw(data)], nullptr); }

void ProcessorMemory::give_back(DataId data, std::byte* at) {
  pool_.give_back(at, arithmetic_.data_bytes(data));
}

bool ProcessorMemory::take_mark(DataId data) {
  const bool marked = summed_[raw(data)];
  summed_[raw(data)] = false;
  return marked;
}

std::byte* ProcessorMemory::sum(std::uint64_t tile) const {
  return sums_ + tile * arithmetic_.output_bytes();
}

bool ProcessorMemory::begin_sum(std::uint64_t tile) {
  const bool begun = begun_[tile];
  begun_[tile] = true;
  return begun;
}

}  // namespace damocles
