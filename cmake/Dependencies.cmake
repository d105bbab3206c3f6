# All from Debian 12 packages; the wrapper `damocles` installs them.
find_package(Boost 1.74 REQUIRED)
find_package(Eigen3 3.4 REQUIRED)
find_package(fmt REQUIRED)
find_package(CLI11 REQUIRED)
find_package(tomlplusplus REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(Threads REQUIRED)
find_path(RANDOM123_INCLUDE_DIR Random123/philox.h REQUIRED)
add_library(damocles_random123 INTERFACE)
target_include_directories(damocles_random123 SYSTEM INTERFACE
  $<BUILD_INTERFACE:${RANDOM123_INCLUDE_DIR}>)

# Optional: hypergraph partitioning. Debian's libtrilinos-zoltan-dev does not bring the mpi.h that its
# header includes (libopenmpi-dev), so both are asked for.
option(DAMOCLES_ZOLTAN "Partition hypergraphs, where Zoltan and MPI are installed" ON)
if(DAMOCLES_ZOLTAN)
  find_path(ZOLTAN_INCLUDE_DIR zoltan.h PATH_SUFFIXES trilinos)
  find_library(ZOLTAN_LIBRARY NAMES trilinos_zoltan zoltan)
  set(MPI_CXX_SKIP_MPICXX ON)  # only the C interface; the C++ one is another library
  find_package(MPI QUIET COMPONENTS CXX)
endif()
if(DAMOCLES_ZOLTAN AND ZOLTAN_INCLUDE_DIR AND ZOLTAN_LIBRARY AND MPI_CXX_FOUND)
  add_library(damocles_zoltan INTERFACE)
  target_include_directories(damocles_zoltan SYSTEM INTERFACE
    $<BUILD_INTERFACE:${ZOLTAN_INCLUDE_DIR}>)
  target_link_libraries(damocles_zoltan INTERFACE ${ZOLTAN_LIBRARY} MPI::MPI_CXX)
  target_compile_definitions(damocles_zoltan INTERFACE DAMOCLES_HAS_ZOLTAN)
else()
  message(STATUS "No hypergraph partitioning: needs libtrilinos-zoltan-dev and libopenmpi-dev")
endif()

# Optional: host kernels. Debian's libopenblas-dev; without it products are Eigen's. Not linked but
# loaded when the first product is computed (gpu/host_kernels.cpp).
option(DAMOCLES_OPENBLAS "Multiply tiles with OpenBLAS, where it is installed" ON)
if(DAMOCLES_OPENBLAS)
  find_path(OPENBLAS_INCLUDE_DIR openblas_config.h
    PATH_SUFFIXES openblas openblas-pthread ${CMAKE_LIBRARY_ARCHITECTURE}/openblas-pthread)
  find_library(OPENBLAS_LIBRARY NAMES openblas PATH_SUFFIXES openblas-pthread)
endif()
if(DAMOCLES_OPENBLAS AND OPENBLAS_INCLUDE_DIR AND OPENBLAS_LIBRARY)
  add_library(damocles_openblas INTERFACE)
  target_include_directories(damocles_openblas SYSTEM INTERFACE
    $<BUILD_INTERFACE:${OPENBLAS_INCLUDE_DIR}>)
  target_compile_definitions(damocles_openblas INTERFACE DAMOCLES_HAS_OPENBLAS)
else()
  message(STATUS "Host kernels by Eigen: OpenBLAS is not installed (libopenblas-dev)")
endif()
