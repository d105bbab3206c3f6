# All from Debian 12 packages; the wrapper `damocles` installs them.
find_package(Boost 1.74 REQUIRED)
find_package(Eigen3 3.4 REQUIRED)
find_package(fmt REQUIRED)
find_package(CLI11 REQUIRED)
find_package(tomlplusplus REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(OpenMP REQUIRED COMPONENTS CXX)
find_path(RANDOM123_INCLUDE_DIR Random123/philox.h REQUIRED)
add_library(damocles_random123 INTERFACE)
target_include_directories(damocles_random123 SYSTEM INTERFACE
  $<BUILD_INTERFACE:${RANDOM123_INCLUDE_DIR}>)
