# cmake -D build= -D consumer= -D scratch= -D generator= -D compiler= -D program= -D plugin= -P install_test.cmake
cmake_minimum_required(VERSION 3.22)

# Runs a command; its standard output goes to `stdout`. A failure ends the test.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE err)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " line)
    message(FATAL_ERROR "${line}: ${status}\n${out}\n${err}")
  endif()
  set(stdout "${out}" PARENT_SCOPE)
endfunction()

# The lower bound of outer:n=100 on homogeneous:p=4. Each of the 4 processors computes a quarter of
# the 100 x 100 tasks; the cheapest quarter is a square of side 100 sqrt(1/4) = 50, which needs
# 50 + 50 data items: 4 * 100 = 400, also 2 n sum sqrt(rs_k) = 2 * 100 * 4 * sqrt(1/4).
set(expected_bound 400)

set(ENV{DESTDIR})
file(REMOVE_RECURSE ${scratch})
set(prefix ${scratch}/prefix)

run(${CMAKE_COMMAND} --install ${build} --prefix ${prefix})
run(${CMAKE_COMMAND} -S ${consumer} -B ${scratch}/build -G ${generator}
  -D CMAKE_BUILD_TYPE=Release -D CMAKE_CXX_COMPILER=${compiler} -D CMAKE_PREFIX_PATH=${prefix})
run(${CMAKE_COMMAND} --build ${scratch}/build)
run(${scratch}/build/consumer)
if(NOT stdout MATCHES "^balanced_bound=${expected_bound}\nstrategies=([0-9]+)\n$")
  message(FATAL_ERROR "the consumer wrote '${stdout}', expected balanced_bound=${expected_bound}")
endif()
if(CMAKE_MATCH_1 EQUAL 0)
  message(FATAL_ERROR "the installed library lost the registrations of its strategies")
endif()

run(${prefix}/${program} list strategies)

# A plug-in built against the package is loaded by the installed program.
run(${CMAKE_COMMAND} -S ${plugin} -B ${scratch}/plugin -G ${generator}
  -D CMAKE_CXX_COMPILER=${compiler} -D CMAKE_PREFIX_PATH=${prefix})
run(${CMAKE_COMMAND} --build ${scratch}/plugin)
run(${prefix}/${program} list strategies both-ends --plugin ${scratch}/plugin/libboth-ends.so)
