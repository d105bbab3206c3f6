#include "orders/child_ends.hpp"

#include <algorithm>
#include <tuple>

#include "models/ids.hpp"

namespace damocles {
namespace {

constexpr auto ends_later = [](const auto& a, const auto& b) {
  return std::tie(a.end_s, a.place) > std::tie(b.end_s, b.place);
};

}  // namespace

ChildEnds::ChildEnds(const PlannedSchedule& schedule, std::span<const std::size_t> processors,
                     double duration_s, const std::vector<double>& data_s)
    : schedule_(schedule),
      processors_(processors),
      duration_s_(duration_s),
      data_s_(data_s),
      near_((processors.size() + word_bits - 1) / word_bits, ~std::uint64_t{0}) {
  if (const std::size_t rest = processors.size() % word_bits; rest != 0) {
    near_.back() = (std::uint64_t{1} << rest) - 1;
  }
}

ChildEnds::Offer ChildEnds::ask(std::size_t place, double from_s) const {
  const std::size_t k = processors_[place];
  const double start_s = schedule_.earliest_s(k, std::max(from_s, data_s_[k]), duration_s_);
  return {.end_s = start_s + duration_s_, .place = place, .start_s = start_s};
}

Placement ChildEnds::placement(const Offer& offer) const {
  return {ProcessorId{static_cast<std::uint32_t>(processors_[offer.place])}, offer.start_s,
          offer.end_s};
}

void ChildEnds::release(double least_s) {
  while (!waiting_.empty() && waiting_.front().end_s <= least_s) {
    const std::size_t place = take().place;
    near_[place / word_bits] |= std::uint64_t{1} << place % word_bits;
  }
}

void ChildEnds::add(const Offer& offer) {
  waiting_.push_back(offer);
  std::push_heap(waiting_.begin(), waiting_.end(), ends_later);
}

ChildEnds::Offer ChildEnds::take() {
  std::pop_heap(waiting_.begin(), waiting_.end(), ends_later);
  const Offer offer = waiting_.back();
  waiting_.pop_back();
  return offer;
}

}  // namespace damocles
