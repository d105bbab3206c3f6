#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace damocles {

/// An empty folder that goes with the test.
class Folder {
 public:
  Folder() : path_(std::filesystem::temp_directory_path() / ("damocles_" + unique())) {
    std::filesystem::create_directory(path_);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path_); }
  [[nodiscard]] std::filesystem::path operator/(const char* name) const { return path_ / name; }

 private:
  static std::string unique() {
    const auto* const info = testing::UnitTest::GetInstance()->current_test_info();
    return std::string(info->name()) + std::to_string(::getpid());
  }
  std::filesystem::path path_;
};

inline std::string content(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace damocles
