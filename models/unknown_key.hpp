#pragma once

#include <string>
#include <utility>

#include "models/error.hpp"

namespace damocles {

/// A key that a workload, platform or strategy does not take.
class UnknownKey : public InvalidInput {
 public:
  UnknownKey(std::string key, const std::string& text) : InvalidInput(text), key_(std::move(key)) {}
  [[nodiscard]] const std::string& key() const { return key_; }

 private:
  std::string key_;
};

}  // namespace damocles
