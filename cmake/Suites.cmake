# A test of ctest for each suite of a program of GoogleTest, instead of one for each of its thousands of tests:
# starting a process takes longer than most of them. A suite of many parameters is one test for each name in it.
#
# `damocles_discover_suites(target)`: after the program is linked, it is asked for its tests. Where it was not
# built, ctest has one test that fails, TARGET_NOT_BUILT.
function(damocles_discover_suites target)
  set(tests ${CMAKE_CURRENT_BINARY_DIR}/${target}_suites.cmake)
  add_custom_command(TARGET ${target} POST_BUILD
    COMMAND ${CMAKE_COMMAND} -D program=$<TARGET_FILE:${target}> -D output=${tests} -D folder=${CMAKE_CURRENT_BINARY_DIR}
      -P ${PROJECT_SOURCE_DIR}/cmake/list_suites.cmake
    BYPRODUCTS ${tests} VERBATIM)
  set(include ${CMAKE_CURRENT_BINARY_DIR}/${target}_include.cmake)
  file(WRITE ${include} "if(EXISTS \"${tests}\")\n  include(\"${tests}\")\nelse()\n  add_test(${target}_NOT_BUILT ${target}_NOT_BUILT)\nendif()\n")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${include})
endfunction()
