# One interface target carries every flag; each room links it.
add_library(damocles_flags INTERFACE)
add_library(damocles::flags ALIAS damocles_flags)
target_compile_features(damocles_flags INTERFACE cxx_std_20)
target_compile_options(damocles_flags INTERFACE
  "$<BUILD_INTERFACE:-Wall;-Wextra;-Wpedantic;-Wconversion;-Wshadow;-fno-semantic-interposition>")
if(DAMOCLES_WERROR)
  target_compile_options(damocles_flags INTERFACE $<BUILD_INTERFACE:-Werror>)
endif()
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" AND DAMOCLES_X86_64_V2)
  target_compile_options(damocles_flags INTERFACE $<BUILD_INTERFACE:-march=x86-64-v2>)
endif()
if(DAMOCLES_SANITIZE)
  target_compile_options(damocles_flags INTERFACE
    -fsanitize=${DAMOCLES_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(damocles_flags INTERFACE -fsanitize=${DAMOCLES_SANITIZE})
endif()
if(DAMOCLES_COVERAGE)
  target_compile_options(damocles_flags INTERFACE --coverage)
  target_link_options(damocles_flags INTERFACE --coverage)
endif()

# A good part of the time to compile a source is reading the same headers. A compiler cache would
# have to be told to trust them, so it goes without.
set(precompiled_by_default OFF)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT DAMOCLES_CUDA AND NOT CMAKE_CXX_COMPILER_LAUNCHER
    AND NOT CMAKE_CXX_CLANG_TIDY)
  set(precompiled_by_default ON)
endif()
option(DAMOCLES_PCH "Read common headers once a room (precompiled headers)" ${precompiled_by_default})
function(damocles_precompile target)
  if(DAMOCLES_PCH)
    target_precompile_headers(${target} PRIVATE
      "$<$<COMPILE_LANGUAGE:CXX>:${PROJECT_SOURCE_DIR}/cmake/precompiled.hpp>" ${ARGN})
  endif()
endfunction()

# A room: an OBJECT library, because a linker drops archive members nobody names, and with them the
# registrations of the strategies. `damocles_room(sim models strategies)` is room `sim`, which may
# include from `models` and `strategies`.
function(damocles_room name)
  file(GLOB sources CONFIGURE_DEPENDS *.cpp)
  list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")
  add_library(damocles_${name} OBJECT ${sources})
  add_library(damocles::${name} ALIAS damocles_${name})
  target_include_directories(damocles_${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/generated>)
  target_link_libraries(damocles_${name} PUBLIC damocles::flags fmt::fmt)
  damocles_precompile(damocles_${name})
  foreach(room IN LISTS ARGN)
    target_link_libraries(damocles_${name} PUBLIC damocles::${room})
  endforeach()
endfunction()
