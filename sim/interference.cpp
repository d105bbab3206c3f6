#include "sim/interference.hpp"

#include <algorithm>

namespace damocles {

void Interference::task_ends(std::size_t processor, double at_s) {
  computed_s_[processor] = computed_s(processor, at_s);
  begun_s_[processor] = std::numeric_limits<double>::infinity();
}

void Interference::copy_asked_for(const CopyStreams::Copy& copy, double at_s) {
  Stream& on = stream(copy);
  if (on.copies++ == 0) begin(on, raw(copy.processor), at_s);
}

double Interference::copy_ends(const CopyStreams::Copy& copy, double at_s) {
  const std::size_t p = raw(copy.processor);
  Stream& on = stream(copy);
  const double way_s = at_s - on.begun_s;
  const double beside_s = computed_s(p, at_s) - on.computed_s;
  if (--on.copies > 0) begin(on, p, at_s);
  if (!(begun_s_[p] <= at_s) || way_s <= 0) return 0;
  return limits_.interference * limits_.copy_s(p, copy.bytes) * std::min(beside_s / way_s, 1.0);
}

Interference::Stream& Interference::stream(const CopyStreams::Copy& copy) {
  const bool second = copy.out && limits_.copy_streams == 2;
  return streams_[raw(copy.processor) + (second ? limits_.gpus.size() : 0)];
}

void Interference::begin(Stream& stream, std::size_t processor, double at_s) const {
  stream.begun_s = at_s;
  stream.computed_s = computed_s(processor, at_s);
}

double Interference::computed_s(std::size_t processor, double until_s) const {
  return computed_s_[processor] + std::max(until_s - begun_s_[processor], 0.0);
}

}  // namespace damocles
