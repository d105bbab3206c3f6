# All from Debian 12 packages; the wrapper `damocles` installs them.
find_package(Boost 1.74 REQUIRED)
find_package(Eigen3 3.4 REQUIRED)
find_package(fmt REQUIRED)
find_package(CLI11 REQUIRED)
find_package(tomlplusplus REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(OpenSSL 3.0 REQUIRED COMPONENTS Crypto)
find_package(SQLite3 3.35 REQUIRED)  # INSERT ... RETURNING
find_package(Threads REQUIRED)
find_path(RANDOM123_INCLUDE_DIR Random123/philox.h REQUIRED)
add_library(damocles_random123 INTERFACE)
target_include_directories(damocles_random123 SYSTEM INTERFACE
  $<BUILD_INTERFACE:${RANDOM123_INCLUDE_DIR}>)
# Philox needs none of its intrinsics, and <x86intrin.h> takes every source almost a second.
target_compile_definitions(damocles_random123 INTERFACE $<BUILD_INTERFACE:R123_USE_SSE=0>)

# Optional: sweeps and executions on the ranks of an MPI job.
option(DAMOCLES_MPI "Sweep and execute under mpirun, where MPI is installed" ON)
set(MPI_CXX_SKIP_MPICXX ON)  # only the C interface; the C++ one is another library
find_package(MPI QUIET COMPONENTS CXX)
if(DAMOCLES_MPI AND MPI_CXX_FOUND)
  add_library(damocles_mpi INTERFACE)
  target_link_libraries(damocles_mpi INTERFACE $<LINK_ONLY:MPI::MPI_CXX>)
else()
  message(STATUS "No sweeps and no executions under mpirun: needs libopenmpi-dev")
endif()

# Optional: partitioners, for the strategy hypergraph. Debian's libtrilinos-zoltan-dev does not bring
# the mpi.h that its header includes (libopenmpi-dev), so both are asked for.
option(DAMOCLES_ZOLTAN "Partition hypergraphs with Zoltan, where it and MPI are installed" ON)
if(DAMOCLES_ZOLTAN)
  find_path(ZOLTAN_INCLUDE_DIR zoltan.h PATH_SUFFIXES trilinos)
  find_library(ZOLTAN_LIBRARY NAMES trilinos_zoltan zoltan)
endif()
if(DAMOCLES_ZOLTAN AND ZOLTAN_INCLUDE_DIR AND ZOLTAN_LIBRARY AND MPI_CXX_FOUND)
  add_library(damocles_zoltan INTERFACE)
  target_link_libraries(damocles_zoltan INTERFACE ${ZOLTAN_LIBRARY} $<LINK_ONLY:MPI::MPI_CXX>)
else()
  message(STATUS "No partitioner zoltan: needs libtrilinos-zoltan-dev and libopenmpi-dev")
endif()
option(DAMOCLES_METIS "Partition with METIS, where it is installed" ON)
if(DAMOCLES_METIS)
  find_path(METIS_INCLUDE_DIR metis.h)
  find_library(METIS_LIBRARY metis)
endif()
if(DAMOCLES_METIS AND METIS_INCLUDE_DIR AND METIS_LIBRARY)
  add_library(damocles_metis INTERFACE)
  target_link_libraries(damocles_metis INTERFACE ${METIS_LIBRARY})
else()
  message(STATUS "No partitioner metis: needs libmetis-dev")
endif()
# Version 7, of which a context has its own random numbers.
option(DAMOCLES_SCOTCH "Partition with Scotch, where it is installed" ON)
if(DAMOCLES_SCOTCH)
  find_path(SCOTCH_INCLUDE_DIR scotch.h PATH_SUFFIXES scotch)
  find_library(SCOTCH_LIBRARY scotch)
  find_library(SCOTCH_ERROR_LIBRARY scotcherr)
  if(SCOTCH_INCLUDE_DIR)
    file(STRINGS ${SCOTCH_INCLUDE_DIR}/scotch.h scotch_has_contexts REGEX "SCOTCH_contextBindGraph")
  endif()
endif()
if(DAMOCLES_SCOTCH AND scotch_has_contexts AND SCOTCH_LIBRARY AND SCOTCH_ERROR_LIBRARY)
  add_library(damocles_scotch INTERFACE)
  target_link_libraries(damocles_scotch INTERFACE ${SCOTCH_LIBRARY} ${SCOTCH_ERROR_LIBRARY})
else()
  message(STATUS "No partitioner scotch: needs libscotch-dev (7 or later)")
endif()

# Optional: OpenMP, which runs the parallel loop (models/parallel.cpp). The thread sanitizer cannot look
# into GCC's, so there threads of our own run it.
if(NOT DAMOCLES_SANITIZE MATCHES thread)
  find_package(OpenMP QUIET COMPONENTS CXX)
endif()
if(OpenMP_CXX_FOUND)
  add_library(damocles_openmp INTERFACE)
  target_link_libraries(damocles_openmp INTERFACE ${OpenMP_CXX_LIBRARIES})  # flags: models/CMakeLists.txt
else()
  message(STATUS "No OpenMP: threads of our own run loops (clang needs libomp-dev)")
endif()

# Optional: files that gzip packed.
option(DAMOCLES_ZLIB "Read files that gzip packed, where zlib is installed" ON)
if(DAMOCLES_ZLIB)
  find_package(ZLIB QUIET)
endif()
if(DAMOCLES_ZLIB AND ZLIB_FOUND)
  add_library(damocles_zlib INTERFACE)
  target_link_libraries(damocles_zlib INTERFACE ZLIB::ZLIB)
else()
  message(STATUS "No .gz files: needs zlib1g-dev")
endif()

# Optional: large task graphs in JSON, several times as fast.
option(DAMOCLES_SIMDJSON "Read task graphs in JSON by simdjson, where it is installed" ON)
if(DAMOCLES_SIMDJSON AND NOT DAMOCLES_PORTABLE)  # Debian has it as a shared library only
  find_package(simdjson QUIET)
endif()
if(DAMOCLES_SIMDJSON AND simdjson_FOUND)
  add_library(damocles_simdjson INTERFACE)
  target_link_libraries(damocles_simdjson INTERFACE simdjson::simdjson)
else()
  message(STATUS "No fast reader of JSON: needs libsimdjson-dev")
endif()

# Optional: host kernels. Debian's libopenblas-dev; without it products are Eigen's. Not linked but
# loaded when the first product is computed (gpu/host/host_kernels.cpp).
option(DAMOCLES_OPENBLAS "Multiply tiles with OpenBLAS, where it is installed" ON)
if(DAMOCLES_OPENBLAS)
  find_path(OPENBLAS_INCLUDE_DIR openblas_config.h
    PATH_SUFFIXES openblas openblas-pthread ${CMAKE_LIBRARY_ARCHITECTURE}/openblas-pthread)
  find_library(OPENBLAS_LIBRARY NAMES openblas PATH_SUFFIXES openblas-pthread)
endif()
if(DAMOCLES_OPENBLAS AND OPENBLAS_INCLUDE_DIR AND OPENBLAS_LIBRARY)
  set(DAMOCLES_HAS_OPENBLAS ON)
else()
  message(STATUS "Host kernels by Eigen: OpenBLAS is not installed (libopenblas-dev)")
endif()

# Optional: the program damocles-starpu. Debian's libstarpu-dev. Not with sanitizers, to which its
# threads and locks are strangers, nor in what is carried elsewhere.
option(DAMOCLES_STARPU "Build damocles-starpu, where StarPU is installed" ON)
if(DAMOCLES_STARPU AND NOT DAMOCLES_SANITIZE AND NOT DAMOCLES_PORTABLE)
  find_path(STARPU_INCLUDE_DIR starpu.h PATH_SUFFIXES starpu/1.4 starpu/1.3)
  find_library(STARPU_LIBRARY NAMES starpu-1.4 starpu-1.3)
  if(STARPU_INCLUDE_DIR AND STARPU_LIBRARY)
    add_library(damocles_starpu_library INTERFACE)
    target_include_directories(damocles_starpu_library SYSTEM INTERFACE ${STARPU_INCLUDE_DIR})
    target_link_libraries(damocles_starpu_library INTERFACE ${STARPU_LIBRARY})
  else()
    message(STATUS "No damocles-starpu: StarPU is not installed (libstarpu-dev)")
  endif()
endif()

# What an optional library changes is one file. Only that file is told of it, so that a library that
# comes later has one file compiled again, not a room: damocles_uses(FILE DEFINITIONS INCLUDE_DIR...).
function(damocles_uses file definitions)
  set(options "")
  foreach(directory IN LISTS ARGN)
    if(NOT directory IN_LIST CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES)  # before the compiler's own
      list(APPEND options -isystem ${directory})
    endif()
  endforeach()
  set_source_files_properties(${file} PROPERTIES
    COMPILE_DEFINITIONS "${definitions}" COMPILE_OPTIONS "${options}")
endfunction()

# Optional: the tests.
if(DAMOCLES_TESTS)
  find_package(GTest QUIET)
  if(NOT GTest_FOUND)
    message(STATUS "No tests: GoogleTest is not installed (libgtest-dev, libgmock-dev)")
    set(DAMOCLES_TESTS OFF)  # in this run only: it may be there next time
  endif()
endif()
