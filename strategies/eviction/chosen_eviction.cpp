#include "strategies/eviction/eviction.hpp"
#include "strategies/eviction/eviction_choice.hpp"

namespace damocles {
namespace {

std::unique_ptr<Eviction> make_chosen(const EvictionSetting& setting) {
  const auto* const choice = dynamic_cast<const EvictionChoice*>(&setting.strategy);
  return Table<EvictionEntry>::named(choice != nullptr ? choice->eviction() : "lru").make(setting);
}

const Register chosen_eviction_entry{
    EvictionEntry{.name = "chosen",
                  .source = "ours",
                  .summary = "the policy that what a portfolio chose is meant for; elsewhere lru",
                  .make = make_chosen}};

}  // namespace
}  // namespace damocles
