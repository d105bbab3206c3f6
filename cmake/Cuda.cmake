# The compiler, its flags and the libraries of gpu/cuda/, where DAMOCLES_CUDA is on.
if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
  # The toolkit's installer puts nvcc on nobody's PATH.
  find_program(DAMOCLES_NVCC nvcc PATHS /usr/local/cuda/bin)
  if(NOT DAMOCLES_NVCC)
    message(FATAL_ERROR "DAMOCLES_CUDA needs nvcc, on the PATH or in /usr/local/cuda/bin")
  endif()
  set(CMAKE_CUDA_COMPILER ${DAMOCLES_NVCC})
endif()
if(NOT DEFINED CMAKE_CUDA_HOST_COMPILER)
  set(CMAKE_CUDA_HOST_COMPILER ${CMAKE_CXX_COMPILER})
endif()
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES 80-real 90-real 90-virtual)  # PTX of 9.0 for all later ones
endif()
enable_language(CUDA)
# Debian 12's CMake takes nvcc for a compiler of C++17 at most.
if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
endif()
set(CMAKE_CUDA_STANDARD 20)
find_package(CUDAToolkit 12.5 REQUIRED)  # green contexts with streams

# damocles::flags as nvcc takes them. Without -Wpedantic: the code that nvcc gives the host compiler
# has line directives that only GCC knows.
add_library(damocles_cuda_flags INTERFACE)
target_compile_options(damocles_cuda_flags INTERFACE
  --expt-relaxed-constexpr -Xcompiler=-Wall,-Wextra,-Wconversion,-Wshadow)
if(DAMOCLES_WERROR)
  target_compile_options(damocles_cuda_flags INTERFACE -Werror all-warnings -Xcompiler=-Werror)
endif()
