# A run of the strategies equals the rows of the file `stored`, byte for byte, on one thread and on
# four. With `write`, the file is written instead.
foreach(jobs IN ITEMS 1 4)
  execute_process(
    COMMAND ${program} simulate ${workload} ${platform} --strategies ${strategies}
      --replicates ${replicates} --format csv --jobs ${jobs}
    OUTPUT_VARIABLE rows RESULT_VARIABLE status ERROR_VARIABLE message)
  if(message MATCHES "this build cannot partition")
    message(STATUS "skipped: ${message}")
    return()
  endif()
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${program} simulate ${workload} ${platform}: ${message}")
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
