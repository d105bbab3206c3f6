// What DecisionCheck does where tasks write: which copies are valid as decisions go by.

#include <fmt/format.h>

#include "models/error.hpp"
#include "models/runs/decision_check.hpp"

namespace damocles {

/// Room for what the next task writes without reading.
void DecisionCheck::create(Node& node) {
  if (places_.empty()) refuse("no task writes data");
  enter(node).arrived = true;
}

void DecisionCheck::start_return(Node& node) {
  if (places_.empty()) refuse("no task writes data");
  const auto at = node.data.find(event_->id);
  if (at == node.data.end() || !at->second.arrived) refuse("the data item is not there");
  Held& held = at->second;
  Place& place = places_[event_->id];
  if (held.returning) refuse("it is on its way to host memory already");
  if (held.sum) {
    if (held.uses > 0) refuse("a running task adds to it");
  } else {
    if (!valid(held, event_->id)) refuse("the processor does not hold the data as it is now");
    if (place.in_host_memory) refuse("host memory holds the data as it is now");
    if (place.returning > 0) refuse("another processor sends it to host memory already");
    if (place.writing) refuse("a task that runs writes the data");
  }
  held.returning = true;
  ++place.returning;
}

void DecisionCheck::end_return(Node& node) {
  const auto at = node.data.find(event_->id);
  if (at == node.data.end() || !at->second.returning) refuse("it is not on its way to host memory");
  Held& held = at->second;
  Place& place = places_[event_->id];
  held.returning = false;
  --place.returning;
  if (held.sum) {
    held.sum = false;
    --place.sums;
  }
  if (!place.reducing()) place.in_host_memory = true;
}

/// Whether the task of the decision may access the data so.
void DecisionCheck::check_access(const Node& node, std::uint64_t data, Access access) const {
  if (node.in_host_memory) {
    if (!places_.empty() && reads(access) &&
        (!places_[data].in_host_memory || places_[data].writing)) {
      refuse(fmt::format("host memory does not hold its input {} as it is now", data_name(data)));
    }
  } else {
    const auto at = node.data.find(data);
    if (at == node.data.end() || !at->second.arrived) {
      if (reads(access)) refuse(fmt::format("its input {} is not there", data_name(data)));
      refuse(fmt::format("there is no room for data {}, which it writes", data_name(data)));
    }
    if (reads(access) && !valid(at->second, data)) {
      refuse(fmt::format("its input {} is not there as it is now", data_name(data)));
    }
    if (reduces(access) && at->second.returning) {
      refuse(
          fmt::format("data {}, to which it adds, is on its way to host memory", data_name(data)));
    }
  }
  if (writes(access)) check_write(node, places_[data], data, access);
}

void DecisionCheck::check_write(const Node& node, const Place& place, std::uint64_t data,
                                Access access) const {
  if (node.in_host_memory && place.loading > 0) {
    refuse(fmt::format("data {}, which it writes, is being sent to a processor", data_name(data)));
  }
  if (reduces(access)) {
    if (place.reducing()) return;
    if (!place.in_host_memory)
      refuse(fmt::format("host memory does not hold data {}, to which it adds", data_name(data)));
  } else if (place.reducing()) {
    refuse(fmt::format("not all that was added to data {} is in host memory", data_name(data)));
  }
  check_alone(place, data);
}

/// Whether nobody else has to do with the data. Copies elsewhere are old from now on.
void DecisionCheck::check_alone(const Place& place, std::uint64_t data) const {
  if (place.writing) refuse(fmt::format("another task that runs writes data {}", data_name(data)));
  if (place.returning > 0)
    refuse(fmt::format("data {}, which it writes, is on its way to host memory", data_name(data)));
  if (place.loans > 0) {
    refuse(fmt::format("data {}, which it writes, is being sent to a processor", data_name(data)));
  }
}

void DecisionCheck::write(Node& node, std::uint64_t data, Access access) {
  Place& place = places_[data];
  if (reduces(access)) return add(node, place, data);
  ++place.version;
  place.writing = true;
  place.in_host_memory = node.in_host_memory;
  place.valid = node.in_host_memory ? 0 : 1;
  if (!node.in_host_memory) node.data.at(data).version = place.version;
}

/// The first to add makes all copies old; each processor but those in host memory adds to its own
/// sum.
void DecisionCheck::add(Node& node, Place& place, std::uint64_t data) {
  if (!place.reducing()) {
    ++place.version;
    place.in_host_memory = false;
    place.valid = 0;
  }
  ++place.adding;
  if (node.in_host_memory) return;
  Held& held = node.data.at(data);
  if (held.sum) return;
  held.sum = true;
  held.version = none;
  ++place.sums;
}

void DecisionCheck::end_write(Place& place, Access access) {
  if (!reduces(access)) {
    place.writing = false;
    return;
  }
  --place.adding;
  if (!place.reducing()) place.in_host_memory = true;
}

/// Whoever has data in the end has the last version, and somebody has, but of temporary data.
void DecisionCheck::refuse_lost() const {
  for (std::size_t data = 0; data < places_.size(); ++data) {
    const Place& place = places_[data];
    if (place.in_host_memory || place.valid > 0 || place.sums > 0) continue;
    if (workload_.graph().temporary(static_cast<Index>(data))) continue;
    throw InvalidInput(fmt::format(
        "the decisions lose data {}: nobody has it in the end; record a run that ended well",
        data_name(data)));
  }
  for (std::size_t p = 0; p < nodes_.size() && !places_.empty(); ++p) {
    for (const auto& [data, held] : nodes_[p].data) {
      if (held.sum || held.version == places_[data].version) continue;
      throw InvalidInput(fmt::format(
          "in the end {} still has an old version of data {}; record a run that ended well",
          processor_name(p), data_name(data)));
    }
  }
}

}  // namespace damocles
