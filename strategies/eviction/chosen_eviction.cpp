#include "strategies/eviction/eviction.hpp"
#include "strategies/eviction/eviction_choice.hpp"

namespace damocles {
namespace {

std::unique_ptr<Eviction> make_chosen(const EvictionContext& context) {
  const auto* const choice = dynamic_cast<const EvictionChoice*>(&context.strategy);
  return Table<EvictionEntry>::named(choice != nullptr ? choice->eviction() : "lru").make(context);
}

const Register chosen_eviction_entry{EvictionEntry{
    .name = "chosen",
    .source = "ours",
    .summary = "For portfolio: the default policy of the strategy that it chose; otherwise as lru",
    .make = make_chosen}};

}  // namespace
}  // namespace damocles
