# cmake -D source= -D scratch= -P version_test.cmake: the commit that cmake/version.cmake writes.
cmake_minimum_required(VERSION 3.22)
set(ENV{GIT_CONFIG_GLOBAL} /dev/null)
set(ENV{GIT_TEST_ASSUME_DIFFERENT_OWNER} 1)  # as where the checkout is another user's

# expect(FOLDER PATTERN DIRTY): what is written for sources in the folder.
function(expect folder pattern dirty)
  execute_process(COMMAND ${CMAKE_COMMAND} -D source=${folder} -D version=1.2.3
    -D output=${scratch}/out.hpp -P ${source}/cmake/version.cmake COMMAND_ERROR_IS_FATAL ANY)
  file(READ ${scratch}/out.hpp written)
  if(NOT written MATCHES "commit = \"${pattern}\"" OR NOT written MATCHES "dirty = ${dirty};")
    message(FATAL_ERROR "expected ${pattern}, ${dirty} in:\n${written}")
  endif()
endfunction()

file(REMOVE_RECURSE ${scratch})
file(MAKE_DIRECTORY ${scratch}/repository/within/cmake ${scratch}/repository/cmake)
file(COPY ${source}/cmake/damocles_version.hpp.in ${source}/cmake/damocles_sources.hpp.in
  DESTINATION ${scratch}/repository/cmake)
file(COPY ${source}/cmake/damocles_version.hpp.in ${source}/cmake/damocles_sources.hpp.in
  DESTINATION ${scratch}/repository/within/cmake)
set(git git -c safe.directory=* -c user.name=n -c user.email=e -C ${scratch}/repository)
foreach(words "init;-q" "add;." "commit;-q;-m;first")
  execute_process(COMMAND ${git} ${words} COMMAND_ERROR_IS_FATAL ANY)
endforeach()

set(forty_digits "")
foreach(digit RANGE 1 40)
  string(APPEND forty_digits "[0-9a-f]")
endforeach()
expect(${scratch}/repository "${forty_digits}" false)
file(APPEND ${scratch}/repository/cmake/damocles_version.hpp.in "// changed\n")
expect(${scratch}/repository "${forty_digits}" true)
# An unpacked archive within somebody's checkout is not of its commit.
expect(${scratch}/repository/within unknown false)

# digest(FOLDER RESULT): of the sources in the folder; nothing is said on the way.
function(digest folder result)
  execute_process(COMMAND ${CMAKE_COMMAND} -D source=${folder} -D version=1.2.3
    -D output=${scratch}/out.hpp -P ${source}/cmake/version.cmake
    ERROR_VARIABLE said COMMAND_ERROR_IS_FATAL ANY)
  if(said)
    message(FATAL_ERROR "said: ${said}")
  endif()
  file(STRINGS ${scratch}/damocles_sources.hpp line REGEX "sources = ")
  set(${result} "${line}" PARENT_SCOPE)
endfunction()

# What a build leaves behind makes no other rows; what rows are made by does.
set(repository ${scratch}/repository)
file(WRITE ${repository}/CMakeLists.txt "project(p)\n")
file(WRITE ${repository}/sim/run.cpp "int a;\n")
digest(${repository} before)
file(WRITE ${repository}/build/CMakeLists.txt "another\n")
file(WRITE ${repository}/tests/CMakeLists.txt "tests\n")
file(CREATE_LINK ${repository} ${repository}/build/link SYMBOLIC)
digest(${repository} built)
if(NOT built STREQUAL before)
  message(FATAL_ERROR "a build changed ${before} into ${built}")
endif()
foreach(changed IN ITEMS CMakeLists.txt sim/run.cpp sim/CMakeLists.txt)
  file(APPEND ${repository}/${changed} "# changed\n")
  digest(${repository} after)
  if(after STREQUAL before)
    message(FATAL_ERROR "${changed} changed, and not ${before}")
  endif()
  set(before ${after})
endforeach()
