# Writes the version and the commit, at each build, only where they changed.
#
# Git is not asked where the sources are no checkout (it would name that of a folder above), takes
# one of another user for safe (what it could start by its configuration is what is built anyway),
# and writes nothing.
set(git git -c safe.directory=* -c core.fsmonitor=false --no-optional-locks -C ${source})
set(failed TRUE)
if(EXISTS ${source}/.git)
  execute_process(COMMAND ${git} rev-parse HEAD
    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
endif()
set(dirty false)
if(failed)
  set(commit "unknown")
else()
  execute_process(COMMAND ${git} status --porcelain --untracked-files=no
    OUTPUT_VARIABLE changes ERROR_QUIET)
  if(changes)
    set(dirty true)
  endif()
endif()
configure_file(${source}/cmake/damocles_version.hpp.in ${output} @ONLY)
