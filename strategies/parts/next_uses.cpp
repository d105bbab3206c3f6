#include "strategies/parts/next_uses.hpp"

#include <algorithm>

namespace damocles {

void NextUses::put(Index data, Index position) {
  Place& place = places_[data];
  if (place.there && place.position == position) return;
  drop(data);
  place = {position, none, true};
  if (position == unread) {
    unread_.emplace(last_touch_[data], data);
    return;
  }
  if (position >= first_at_.size()) grow(std::size_t{position} + 1);
  place.next = first_at_[position];
  first_at_[position] = data;
  positions_.add(position);
}

void NextUses::drop(Index data) {
  Place& place = places_[data];
  if (!place.there) return;
  place.there = false;
  if (place.position == unread) {
    unread_.erase({last_touch_[data], data});
    return;
  }
  Index* link = &first_at_[place.position];
  while (*link != data) link = &places_[*link].next;
  *link = place.next;
  if (first_at_[place.position] == none) positions_.remove(place.position);
}

void NextUses::touch(Index data) {
  const bool waits = places_[data].there && places_[data].position == unread;
  if (waits) unread_.erase({last_touch_[data], data});
  last_touch_[data] = ++touches_;
  if (waits) unread_.emplace(last_touch_[data], data);
}

void NextUses::grow(std::size_t positions) {
  const std::size_t size = std::max(positions, 2 * first_at_.size());
  UseSet grown(size);
  for (std::size_t at = 0; at < first_at_.size(); ++at) {
    if (first_at_[at] != none) grown.add(at);
  }
  positions_ = std::move(grown);
  first_at_.resize(size, none);
}

}  // namespace damocles
