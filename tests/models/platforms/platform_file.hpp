#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "models/platforms/scenario.hpp"
#include "tests/error_text.hpp"

namespace damocles {

/// What a platform is refused with, or "no error".
inline std::string refusal(std::string_view platform) {
  return error_text([&] { static_cast<void>(Scenario::parse(platform)); });
}

/// A platform file of its own for the running test, removed with it.
class PlatformFile : public testing::Test {
 protected:
  ~PlatformFile() override { std::filesystem::remove(path_); }

  std::string write(const std::string& text) {
    std::ofstream(path_) << text;
    return path_;
  }
  /// The refusal of a file with this text, without the file's path.
  std::string file_refusal(const std::string& text) {
    auto message = refusal(write(text));
    const auto at = message.find(path_);
    return at == std::string::npos ? message : message.replace(at, path_.size(), "FILE");
  }

 private:
  static std::string name() {
    const auto* const test = testing::UnitTest::GetInstance()->current_test_info();
    return std::string(test->test_suite_name()) + "_" + test->name();
  }
  std::string path_ = testing::TempDir() + "damocles_" + name() + ".toml";
};

}  // namespace damocles
