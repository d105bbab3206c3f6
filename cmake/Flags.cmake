option(DAMOCLES_UNITY "Compile about fifty sources of a room as one (for builds made once)" OFF)

# One interface target carries every flag; each room links it.
add_library(damocles_flags INTERFACE)
add_library(damocles::flags ALIAS damocles_flags)
target_compile_features(damocles_flags INTERFACE cxx_std_20)
target_compile_options(damocles_flags INTERFACE
  "$<BUILD_INTERFACE:-Wall;-Wextra;-Wpedantic;-Wconversion;-Wshadow;-fno-semantic-interposition>")
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  # What g++ does not warn of either: whole constants as sizes, and measurements compiled in.
  target_compile_options(damocles_flags INTERFACE
    $<BUILD_INTERFACE:-Wno-sign-conversion;-Wno-overlength-strings>)
endif()
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
  if(DAMOCLES_SANITIZE MATCHES undefined)
    # Null pointers the address sanitizer sees too: a seventh of the time to compile. Undefined
    # behaviour is watched for in the rooms; in what GoogleTest's macros expand to it would take
    # 40 % of that of tests. Here, as the last of such options counts.
    target_compile_options(damocles_flags INTERFACE
      -fno-sanitize=null,vptr $<$<BOOL:$<TARGET_PROPERTY:DAMOCLES_TEST>>:-fno-sanitize=undefined>)
  endif()
  # Sanitized, GCC 12 takes much for uninitialised that is not; other builds have the warning.
  target_compile_options(damocles_flags INTERFACE
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
endif()
if(DAMOCLES_COVERAGE)
  target_compile_options(damocles_flags INTERFACE --coverage)
  target_link_options(damocles_flags INTERFACE --coverage)
endif()

# A good part of the time to compile a source is reading the same headers. A compiler cache would
# have to be told to trust them, so it goes without; and many sources at once read them once anyway.
set(precompiled_by_default OFF)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT DAMOCLES_CUDA AND NOT CMAKE_CXX_COMPILER_LAUNCHER
    AND NOT CMAKE_CXX_CLANG_TIDY AND NOT DAMOCLES_UNITY)
  set(precompiled_by_default ON)
endif()
option(DAMOCLES_PCH "Read common headers once a room (precompiled headers)" ${precompiled_by_default})
function(damocles_precompile target)
  if(DAMOCLES_PCH)
    target_precompile_headers(${target} PRIVATE
      "$<$<COMPILE_LANGUAGE:CXX>:${PROJECT_SOURCE_DIR}/cmake/precompiled.hpp>" ${ARGN})
  endif()
endfunction()

# The rest of that time is templates that every source makes for itself: several sources of a room
# compiled as one take half of it. Who changes one file waits for all its companions, so it is for
# builds that are made once. Companions are those that read the heaviest header (measured/fields.hpp
# brings it too), and else chosen by their names' hashes: a new file joins one group, and changes
# nothing for the rest. They share an unnamed namespace: tests/cli/sources_test.py keeps the names in
# it apart. With a heap that may grow threefold between two searches for garbage GCC takes 7 to 16 %
# less time for such a source (least of three), and a twentieth more memory.
function(damocles_unite target)
  if(NOT DAMOCLES_UNITY)
    return()
  endif()
  # A united source lies in the build folder, and clang-tidy looks for settings where a source lies.
  if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/.clang-tidy)
    configure_file(.clang-tidy ${CMAKE_CURRENT_BINARY_DIR}/.clang-tidy COPYONLY)
  endif()
  get_target_property(sources ${target} SOURCES)
  list(LENGTH sources count)
  math(EXPR groups "(${count} + 47) / 48")
  foreach(source IN LISTS sources)
    get_filename_component(name ${source} NAME)
    string(SHA384 hash ${name})
    string(SUBSTRING ${hash} 0 6 hash)
    math(EXPR group "0x${hash} % ${groups}")
    get_filename_component(path ${source} ABSOLUTE)
    if(EXISTS ${path})
      file(STRINGS ${path} heavy REGEX "<nlohmann/json.hpp>|/fields.hpp\"" LIMIT_COUNT 1)
      if(heavy)
        set(group json)
      endif()
    endif()
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${target}_${group})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:--param=ggc-min-expand=200>)
endfunction()

# A room: an OBJECT library, because a linker drops archive members nobody names, and with them the
# registrations of the strategies. `damocles_room(sim models strategies)` is room `sim`, which may
# include from `models` and `strategies`. Its folders are all its sources, but for optional ones
# (cuda/, factorisation/, modules/, starpu/, python/) and those of parts (damocles_part()).
function(damocles_room name)
  file(GLOB_RECURSE sources RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} CONFIGURE_DEPENDS *.cpp)
  list(FILTER sources EXCLUDE REGEX "^(cuda|factorisation|modules|starpu|python)/|^main\\.cpp$")
  if(NOT DAMOCLES_LINKS_MODULES)
    list(FILTER sources EXCLUDE REGEX "^(execution|explain|figures|measured|papers|prediction|recommend|report)/")
  endif()
  add_library(damocles_${name} OBJECT ${sources})
  add_library(damocles::${name} ALIAS damocles_${name})
  target_include_directories(damocles_${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/generated>)
  target_link_libraries(damocles_${name} PUBLIC damocles::flags fmt::fmt)
  damocles_precompile(damocles_${name})
  damocles_unite(damocles_${name})
  foreach(room IN LISTS ARGN)
    target_link_libraries(damocles_${name} PUBLIC damocles::${room})
  endforeach()
endfunction()
