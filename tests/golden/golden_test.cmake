# A run of the strategies equals the rows of the file `stored`, byte for byte, on one thread and on
# four. With `write`, the file is written instead. Files that it names lie below the root.
#
# `all` is every strategy that can run there but hypergraph: not every build has a partitioner, and the rows
# of all builds have to be the same.
foreach(jobs IN ITEMS 1 4)
  execute_process(
    COMMAND ${program} simulate ${workload} ${platform} --strategies ${strategies}
      --replicates ${replicates} --format csv --jobs ${jobs}
    WORKING_DIRECTORY ${CMAKE_CURRENT_LIST_DIR}/../..
    OUTPUT_VARIABLE rows RESULT_VARIABLE status ERROR_VARIABLE message)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${program} simulate ${workload} ${platform}: ${message}")
  endif()
  if(strategies STREQUAL "all")
    string(REGEX REPLACE "\n[^\n]*,hypergraph,[^\n]*" "" rows "${rows}")
  endif()
  if(write)
    file(WRITE ${stored} "${rows}")
    break()
  endif()
  file(READ ${stored} expected)
  if(NOT rows STREQUAL expected)
    message(FATAL_ERROR "--jobs ${jobs} differs from ${stored}; got\n${rows}\nIf the change is "
      "meant, write the file anew: cmake --build build --target golden")
  endif()
endforeach()
