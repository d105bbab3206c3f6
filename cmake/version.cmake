# Writes the version, the commit, and a digest of the sources that rows are made by, at each build,
# only where they changed. The digest stands apart, as it changes with every edit.
#
# Git is not asked where the sources are no checkout (it would name that of a folder above), takes
# one of another user for safe (what it could start by its configuration is what is built anyway),
# and writes nothing.
cmake_minimum_required(VERSION 3.22)
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

# A recursive search for a file of the root would go through every folder, those of builds too.
file(GLOB made_by RELATIVE ${source} ${source}/CMakeLists.txt ${source}/cmake/*.cmake)
foreach(room IN ITEMS models orders strategies ode sim gpu experiments)
  file(GLOB_RECURSE files LIST_DIRECTORIES false RELATIVE ${source} ${source}/${room}/CMakeLists.txt
    ${source}/${room}/*.cpp ${source}/${room}/*.hpp ${source}/${room}/*.cu)
  list(APPEND made_by ${files})
endforeach()
list(SORT made_by COMPARE STRING)
set(digests "")
foreach(name IN LISTS made_by)
  file(SHA256 ${source}/${name} digest)
  string(APPEND digests "${name} ${digest}\n")
endforeach()
string(SHA256 sources "${digests}")
string(SUBSTRING ${sources} 0 12 sources)
cmake_path(GET output PARENT_PATH folder)
configure_file(${source}/cmake/damocles_sources.hpp.in ${folder}/damocles_sources.hpp @ONLY)
