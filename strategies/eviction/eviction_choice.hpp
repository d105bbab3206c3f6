#pragma once

#include <string>

namespace damocles {

/// A strategy that chooses at run time what it does, and with that the eviction policy that goes
/// with it: the policy `chosen` asks for it.
class EvictionChoice {
 public:
  EvictionChoice() = default;
  EvictionChoice(const EvictionChoice&) = delete;
  EvictionChoice& operator=(const EvictionChoice&) = delete;
  virtual ~EvictionChoice() = default;

  /// The name of a policy, not `chosen`.
  [[nodiscard]] virtual std::string eviction() const = 0;
};

}  // namespace damocles
