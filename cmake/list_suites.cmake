# cmake -D program= -D output= -D folder= -P list_suites.cmake
#
# Writes the tests that cmake/Suites.cmake speaks of into the file `output`, which ctest reads.
cmake_minimum_required(VERSION 3.22)
set(most_in_one 60)  # of a suite's tests; with more it is one test of ctest for each name

execute_process(COMMAND ${program} --gtest_list_tests WORKING_DIRECTORY ${folder}
  OUTPUT_VARIABLE listed RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${program} --gtest_list_tests: ${status}")
endif()

set(content "")
function(add name filter)
  string(APPEND content
    "add_test([==[${name}]==] [==[${program}]==] [==[--gtest_filter=${filter}]==])\n"
    "set_tests_properties([==[${name}]==] PROPERTIES LABELS unit TIMEOUT 900 WORKING_DIRECTORY [==[${folder}]==])\n")
  set(content "${content}" PARENT_SCOPE)
endfunction()

# What is known of the suite whose tests are being read.
set(suite "")
set(count 0)
set(names "")
macro(end_suite)
  if(count GREATER most_in_one)
    foreach(name IN LISTS names)
      add("${suite}${name}" "${suite}${name}:${suite}${name}/*")
    endforeach()
  elseif(count GREATER 0)
    string(REGEX REPLACE "\\.$" "" name "${suite}")
    add("${name}" "${suite}*")
  endif()
  set(count 0)
  set(names "")
endmacro()

string(REGEX REPLACE "[ ]*#[^\n]*" "" listed "${listed}")  # values of parameters
string(REPLACE ";" "," listed "${listed}")
string(REPLACE "\n" ";" lines "${listed}")
foreach(line IN LISTS lines)
  if(line MATCHES "^  (.+)$")
    math(EXPR count "${count} + 1")
    string(REGEX REPLACE "/.*" "" name "${CMAKE_MATCH_1}")
    list(APPEND names "${name}")
    list(REMOVE_DUPLICATES names)
  elseif(line MATCHES "^[^ ]+\\.$")
    end_suite()
    set(suite "${line}")
  endif()
endforeach()
end_suite()
file(WRITE ${output} "${content}")
