# One shared library of all rooms, so that a consumer finds every strategy registered, and the
# package `damocles`: find_package(damocles), then link damocles::damocles.
#
# It is part of `all`, as `cmake --install` expects; it costs one link, the objects are the program's.
include(CMakePackageConfigHelpers)

set(rooms models orders strategies ode sim gpu experiments)

add_library(damocles_library SHARED)
add_library(damocles::damocles ALIAS damocles_library)
set_target_properties(damocles_library PROPERTIES
  OUTPUT_NAME damocles
  EXPORT_NAME damocles
  LINKER_LANGUAGE CXX
  VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
target_compile_features(damocles_library INTERFACE cxx_std_20)
target_include_directories(damocles_library INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
  $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/generated>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/damocles>)
foreach(room IN LISTS rooms)
  # Private: the consumer gets no object and none of our warnings, only what the headers include.
  target_link_libraries(damocles_library PRIVATE damocles::${room})
endforeach()
target_link_libraries(damocles_library PRIVATE damocles_prediction damocles_execution damocles_reports)
target_include_directories(damocles_library SYSTEM INTERFACE $<BUILD_INTERFACE:${RANDOM123_INCLUDE_DIR}>)
target_link_libraries(damocles_library INTERFACE fmt::fmt Boost::headers Eigen3::Eigen)

# What a plug-in is compiled with. It is not linked to the library: its symbols are those of the program
# that loads it, and a second copy of them would register every strategy twice.
add_library(damocles_plugin INTERFACE)
set_target_properties(damocles_plugin PROPERTIES EXPORT_NAME plugin)
target_compile_features(damocles_plugin INTERFACE cxx_std_20)
target_include_directories(damocles_plugin INTERFACE
  $<TARGET_PROPERTY:damocles_library,INTERFACE_INCLUDE_DIRECTORIES>)
target_include_directories(damocles_plugin SYSTEM INTERFACE $<BUILD_INTERFACE:${RANDOM123_INCLUDE_DIR}>)
target_link_libraries(damocles_plugin INTERFACE fmt::fmt Boost::headers Eigen3::Eigen)

install(TARGETS damocles_library damocles_plugin EXPORT damocles-targets)
install(TARGETS damocles)
if(TARGET damocles-starpu)
  install(TARGETS damocles-starpu RUNTIME OPTIONAL)  # the wrapper builds it where it is asked for
endif()
foreach(room IN LISTS rooms)
  install(DIRECTORY ${room} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/damocles
    FILES_MATCHING PATTERN "*.hpp" PATTERN "python" EXCLUDE)
endforeach()
install(DIRECTORY ${PROJECT_BINARY_DIR}/generated/
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/damocles OPTIONAL FILES_MATCHING PATTERN "*.hpp")
install(DIRECTORY plots DESTINATION ${CMAKE_INSTALL_DATADIR}/damocles OPTIONAL
  PATTERN "__pycache__" EXCLUDE)
install(FILES LICENSE CITATION.cff DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/damocles)
install(EXPORT damocles-targets NAMESPACE damocles:: FILE damoclesTargets.cmake
  DESTINATION ${package_dir})
# The build folder is a package too: find_package(damocles) with damocles_DIR there.
export(EXPORT damocles-targets NAMESPACE damocles:: FILE ${PROJECT_BINARY_DIR}/damoclesTargets.cmake)
foreach(file damoclesPlugin.cmake plugin_version.cpp)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/${file} ${PROJECT_BINARY_DIR}/${file} COPYONLY)
endforeach()
configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/damoclesConfig.cmake.in
  ${PROJECT_BINARY_DIR}/damoclesConfig.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/damoclesConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/damoclesConfig.cmake
  ${PROJECT_BINARY_DIR}/damoclesConfigVersion.cmake
  cmake/damoclesPlugin.cmake
  cmake/plugin_version.cpp
  DESTINATION ${package_dir})
