#pragma once

#include <string>
#include <string_view>
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

/// Where what is meant by a key that nothing takes is set: "; ..." behind a message; "" of others.
[[nodiscard]] inline std::string set_elsewhere(std::string_view key) {
  return key != "heterogeneity"
             ? ""
             : "; speeds differ by spread=, as in uniform:p=20,mean=100,spread=0.5, "
               "and GPUs by tables [[gpus]] in FILE.toml";
}

}  // namespace damocles
