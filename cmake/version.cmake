# Writes the version and the commit, at each build, only where they changed.
execute_process(COMMAND git -C ${source} rev-parse HEAD
  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
set(dirty false)
if(failed)
  set(commit "unknown")
else()
  execute_process(COMMAND git -C ${source} status --porcelain --untracked-files=no
    OUTPUT_VARIABLE changes ERROR_QUIET)
  if(changes)
    set(dirty true)
  endif()
endif()
configure_file(${source}/cmake/damocles_version.hpp.in ${output} @ONLY)
