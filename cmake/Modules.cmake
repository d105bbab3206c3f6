# Modules: shared libraries that the program opens when they are first needed (models/modules.hpp). What they
# use, such as MPI or cuBLAS, costs other calls no start-up, and the program runs where it is missing.
#
# `damocles_module(mpi ROOM gpu SOURCES mpi/module.cpp LINK damocles_mpi)`: the target damocles_mpi_module. It
# has no room's objects: it finds their functions in the program, whose symbols are exported for this.
# Where the program is carried elsewhere, or sanitized, the sources are part of the room.
set(DAMOCLES_LINKS_MODULES OFF)
if(DAMOCLES_PORTABLE OR DAMOCLES_SANITIZE)
  set(DAMOCLES_LINKS_MODULES ON)
endif()
add_custom_target(damocles_modules)  # all but the slow ones
function(damocles_module name)
  cmake_parse_arguments(PARSE_ARGV 1 module "SLOW" "ROOM" "SOURCES;LINK;DEFINITIONS;INCLUDE")
  if(DAMOCLES_LINKS_MODULES)
    target_sources(damocles_${module_ROOM} PRIVATE ${module_SOURCES})
    foreach(source IN LISTS module_SOURCES)
      set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
      damocles_uses(${source} "${module_DEFINITIONS}" ${module_INCLUDE})
    endforeach()
    target_link_libraries(damocles_${module_ROOM} PRIVATE ${module_LINK})
    return()
  endif()
  set(target damocles_${name}_module)
  add_library(${target} MODULE ${module_SOURCES})
  set_target_properties(${target} PROPERTIES
    PREFIX "" OUTPUT_NAME damocles_${name} LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/modules)
  target_compile_definitions(${target} PRIVATE ${module_DEFINITIONS})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
  target_include_directories(${target} SYSTEM PRIVATE ${module_INCLUDE})
  target_link_libraries(${target} PRIVATE
    damocles::flags fmt::fmt Boost::headers damocles_random123 ${module_LINK})
  if(NOT module_SLOW)
    add_dependencies(damocles_modules ${target})
  endif()
  install(TARGETS ${target} LIBRARY DESTINATION lib/damocles OPTIONAL)
endfunction()

# A part of the room experiments that is a module, as a first build does not wait for it: its FOLDERS, other
# SOURCES, and the objects of a ROOM that nothing else of the program uses. `damocles_part(papers FOLDERS figures)`
# makes the module's target damocles_papers_module, and damocles_papers, which tests of it link beside the rooms.
function(damocles_part name)
  cmake_parse_arguments(PARSE_ARGV 1 part "" "ROOM" "FOLDERS;SOURCES")
  add_library(damocles_${name} INTERFACE)
  if(DAMOCLES_LINKS_MODULES)
    target_sources(damocles_experiments PRIVATE ${part_SOURCES})
    return()
  endif()
  list(TRANSFORM part_FOLDERS APPEND "/*.cpp")
  file(GLOB sources CONFIGURE_DEPENDS ${part_FOLDERS})
  set(target damocles_${name}_objects)
  add_library(${target} OBJECT EXCLUDE_FROM_ALL ${sources})
  target_link_libraries(${target} PRIVATE damocles::experiments nlohmann_json::nlohmann_json Eigen3::Eigen)
  # As of the room itself: what takes time is in the rooms below.
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  add_dependencies(${target} damocles_version damocles_measured)
  damocles_precompile(${target})
  damocles_unite(${target})
  target_sources(${target} PRIVATE ${part_SOURCES})
  set(of_room "")
  if(part_ROOM)
    set(of_room $<TARGET_OBJECTS:damocles_${part_ROOM}>)
  endif()
  damocles_module(${name} SLOW SOURCES $<TARGET_OBJECTS:${target}> ${of_room})
  target_sources(damocles_${name} INTERFACE $<TARGET_OBJECTS:${target}>)
endfunction()
