# cmake -D build= -D scratch= -D name= -P archive_test.cmake
#
# Packs the archive, unpacks it under another path and runs its program with an empty environment:
# every library but the C library's and libgcc must be its own. Then in a system that has nothing else.
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

file(REMOVE_RECURSE ${scratch})
set(folder "${scratch}/else where")
file(MAKE_DIRECTORY ${folder})
run(0 ${CMAKE_COMMAND} --build ${build} --target package)
file(ARCHIVE_EXTRACT INPUT ${build}/${name}.tar.gz DESTINATION ${folder})
file(RENAME ${folder}/${name} ${folder}/moved)
set(program ${folder}/moved/bin/damocles)

file(GLOB shipped ${folder}/moved/lib/damocles/*)
set(system "")  # what it needs of the system
foreach(file IN LISTS shipped ITEMS ${program})
  run(0 ldd ${file})
  string(REPLACE "\n" ";" libraries "${stdout}")
  foreach(library IN LISTS libraries)
    if(NOT library MATCHES "^$|linux-vdso|ld-linux|lib(c|m|gcc_s)\\.so|=> ${folder}/moved/bin/../lib/damocles/")
      message(FATAL_ERROR "not in the archive: ${library}")
    endif()
    if(library MATCHES "(/[^ ]*/(lib(c|m|gcc_s)\\.so|ld-linux)[^ ]*)")
      list(APPEND system ${CMAKE_MATCH_1})
    endif()
  endforeach()
  # Ubuntu 22.04 has glibc 2.35, RHEL 9 has 2.34.
  run(0 objdump -T ${file})
  if(stdout MATCHES "GLIBC_2\\.(3[5-9]|[4-9][0-9])[^\n]*")
    message(FATAL_ERROR "${file} needs ${CMAKE_MATCH_0}")
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

# An empty system: the C library, libgcc, the archive and nothing else.
list(REMOVE_DUPLICATES system)
foreach(file IN LISTS system)
  get_filename_component(to ${folder}/empty/${file} DIRECTORY)
  file(COPY ${file} DESTINATION ${to} FOLLOW_SYMLINK_CHAIN)
endforeach()
file(COPY ${folder}/moved DESTINATION ${folder}/empty)
execute_process(COMMAND id -u OUTPUT_VARIABLE user OUTPUT_STRIP_TRAILING_WHITESPACE)
# There is no /proc, by which the loader would know where the program is.
set(enter env -i LD_ORIGIN_PATH=/moved/bin PATH=/usr/sbin:/usr/bin chroot ${folder}/empty)
if(NOT user EQUAL 0)
  set(enter env -i LD_ORIGIN_PATH=/moved/bin PATH=/usr/bin unshare --map-root-user --root=${folder}/empty)
endif()
run(0 ${enter} /moved/bin/damocles simulate gemm2d:n=50 gpus:k=2,memory=500MB --strategies darts,dmdar,eager)
expect("${stdout}" "darts       0.685701          1.0103")
run(0 ${enter} /moved/bin/damocles simulate file:path=moved/share/doc/damocles/examples/tasks.rec
  gpus:k=1,memory=4data --strategies dmdas --replicates 1 --store rows.db)
run(0 ${enter} /moved/bin/damocles query rows.db)
