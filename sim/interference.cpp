#include "sim/interference.hpp"

#include <algorithm>

namespace damocles {

void Interference::task_ends(std::size_t processor, double at_s) {
  computed_s_[processor] = computed_s(processor, at_s);
  begun_s_[processor] = std::numeric_limits<double>::infinity();
}

void Interference::copy_asked_for(const CopyStreams::Copy& copy, double at_s) {
  asked_for(raw(copy.processor), copy.out, at_s);
  // On a stream of their pair, they still take turns with what comes to the lender.
  if (copy.from_peer) asked_for(raw(copy.lender), !machine_.peers_cross_once, at_s);
}

double Interference::copy_ends(const CopyStreams::Copy& copy, double at_s) {
  const std::size_t p = raw(copy.processor);
  const Stream on = stream(p, copy.out);
  ends(p, copy.out, at_s);
  if (copy.from_peer) {
    ends(raw(copy.lender), !machine_.peers_cross_once, at_s);
    return 0;
  }
  const double way_s = at_s - on.begun_s;
  const double beside_s = computed_s(p, at_s) - on.computed_s;
  if (!(begun_s_[p] <= at_s) || way_s <= 0) return 0;
  return machine_.interference * machine_.copy_s(p, copy.bytes) * std::min(beside_s / way_s, 1.0);
}

Interference::Stream& Interference::stream(std::size_t processor, bool out) {
  return streams_[processor + (out && machine_.copy_streams == 2 ? machine_.processors.size() : 0)];
}

void Interference::asked_for(std::size_t processor, bool out, double at_s) {
  Stream& on = stream(processor, out);
  if (on.copies++ == 0) begin(on, processor, at_s);
}

/// The first of the stream has ended; the next begins.
void Interference::ends(std::size_t processor, bool out, double at_s) {
  Stream& on = stream(processor, out);
  if (--on.copies > 0) begin(on, processor, at_s);
}

void Interference::begin(Stream& stream, std::size_t processor, double at_s) const {
  stream.begun_s = at_s;
  stream.computed_s = computed_s(processor, at_s);
}

double Interference::computed_s(std::size_t processor, double until_s) const {
  return computed_s_[processor] + std::max(until_s - begun_s_[processor], 0.0);
}

}  // namespace damocles
