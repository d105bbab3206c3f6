# damocles_add_plugin(mine mine.cpp): the shared library libmine.so, for `damocles --plugin libmine.so`. Each
# source registers what it adds, as the files of tests/extension/ do.
set(damocles_plugin_version ${CMAKE_CURRENT_LIST_DIR}/plugin_version.cpp)
function(damocles_add_plugin name)
  add_library(${name} MODULE ${ARGN} ${damocles_plugin_version})
  target_link_libraries(${name} PRIVATE damocles::plugin)
  # Its tables are those of the program, which has them under the same names.
  set_target_properties(${name} PROPERTIES CXX_VISIBILITY_PRESET default VISIBILITY_INLINES_HIDDEN OFF)
endfunction()
