# cmake -D build= -D scratch= -D name= -P archive_test.cmake
#
# Packs the archive, unpacks it under another path and runs its program with an empty environment:
# every library but the C library's must be its own.
cmake_minimum_required(VERSION 3.22)

# run(EXPECTED_STATUS COMMAND...): `stdout` and `stderr` of a command. Another status ends the test.
function(run expected)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE err)
  if(NOT status EQUAL ${expected})
    list(JOIN ARGN " " line)
    message(FATAL_ERROR "${line}: ${status}, expected ${expected}\n${out}\n${err}")
  endif()
  set(stdout "${out}" PARENT_SCOPE)
  set(stderr "${err}" PARENT_SCOPE)
endfunction()

function(expect text pattern)
  if(NOT text MATCHES "${pattern}")
    message(FATAL_ERROR "expected '${pattern}' in:\n${text}")
  endif()
endfunction()

# Their objects are left out by name, so they must not be part of a united one, in builds without these
# libraries too.
file(GLOB united ${build}/orders/CMakeFiles/damocles_orders.dir/Unity/*.cxx)
foreach(source IN LISTS united)
  file(STRINGS ${source} knows REGEX "_bisection\\.cpp")
  if(knows)
    message(FATAL_ERROR "${source}: ${knows}")
  endif()
endforeach()

file(REMOVE_RECURSE ${scratch})
set(folder "${scratch}/else where")
file(MAKE_DIRECTORY ${folder})
run(0 ${CMAKE_COMMAND} --build ${build} --target package)
file(ARCHIVE_EXTRACT INPUT ${build}/${name}.tar.gz DESTINATION ${folder})
file(RENAME ${folder}/${name} ${folder}/moved)
set(program ${folder}/moved/bin/damocles)

run(0 ldd ${program})
string(REPLACE "\n" ";" libraries "${stdout}")
foreach(library IN LISTS libraries)
  if(NOT library MATCHES "^$|linux-vdso|ld-linux|lib(c|m)\\.so|=> ${folder}/moved/bin/../lib/damocles/")
    message(FATAL_ERROR "not in the archive: ${library}")
  endif()
endforeach()

set(bare env -i ${program})
run(0 ${bare} list strategies)
expect("${stdout}" "\ndarts ")
# Each of 4 equal processors computes a square of side 50 and loads 50 + 50 data items: 400 of them.
run(0 ${bare} simulate outer:n=100 homogeneous:p=4 --strategies static-columns --replicates 1
  --format csv)
expect("${stdout}" ",400,,200,1,")
run(0 ${bare} simulate gemm2d:n=20 gpus:k=2,memory=500MB --strategies all --replicates 1
  --format csv)
expect("${stdout}" "darts,luf,gemm2d:n=20")
expect("${stderr}" "not run by --strategies all: hypergraph .this build cannot partition hypergraphs")
run(0 ${bare} run gemm2d:n=6,tile=16,k=16 gpus:k=2,memory=10data --strategies darts)
run(2 ${bare} simulate gemm2d:n=20 gpus:k=2,memory=500MB --strategies hypergraph)
expect("${stderr}" "libtrilinos-zoltan-dev")

# It has its plot scripts: what it lacks is Python, where no folder of the PATH has one.
file(WRITE ${folder}/runs.csv "no results\n")
run(2 env -i PATH=/nowhere DAMOCLES_PYTHON=/bin/true ${program} plot ${folder}/none.csv)
expect("${stderr}" "none.csv': no such file")
run(0 env -i DAMOCLES_PYTHON=/bin/true ${program} plot ${folder}/runs.csv)
