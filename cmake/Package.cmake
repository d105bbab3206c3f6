# Target `package`: damocles-VERSION-Linux-x86_64.tar.gz, the program with its plot scripts, to be
# unpacked anywhere on a Linux with glibc 2.34 or later (Debian 12, Ubuntu 22.04), with no compiler and no
# root.
#
# The program of the archive is made of the same objects, linked with the C++ library. What it opens when it
# needs it goes along in lib/damocles: OpenSSL and SQLite. OpenBLAS is used where it is installed. It has no
# modules (models/modules.hpp) and takes no plug-ins: partitioners, MPI and OpenMP are for programs that are compiled.
if(NOT PROJECT_IS_TOP_LEVEL OR DAMOCLES_CUDA OR DAMOCLES_PORTABLE OR DAMOCLES_SANITIZE
    OR DAMOCLES_COVERAGE)
  return()
endif()

set(objects "")
foreach(room models orders strategies ode sim gpu experiments)
  list(APPEND objects "$<FILTER:$<TARGET_OBJECTS:damocles_${room}>,EXCLUDE,json_simdjson\\.cpp>")
endforeach()
list(APPEND objects $<TARGET_OBJECTS:damocles_prediction_objects> $<TARGET_OBJECTS:damocles_execution_objects>
  $<TARGET_OBJECTS:damocles_reports_objects> $<TARGET_OBJECTS:damocles_papers_objects>)
# simdjson is a shared library alone; without it JSON is read by nlohmann.
add_executable(damocles_archived EXCLUDE_FROM_ALL experiments/main.cpp models/graph_files/json_simdjson.cpp
  cmake/archive/arc4random.cpp cmake/archive/fmt.cpp cmake/archive/toml.cpp ${objects})
target_include_directories(damocles_archived PRIVATE
  $<TARGET_PROPERTY:damocles_experiments,INCLUDE_DIRECTORIES>)
target_compile_definitions(damocles_archived PRIVATE
  $<TARGET_PROPERTY:tomlplusplus::tomlplusplus,INTERFACE_COMPILE_DEFINITIONS>)
target_compile_options(damocles_archived PRIVATE
  $<TARGET_PROPERTY:tomlplusplus::tomlplusplus,INTERFACE_COMPILE_OPTIONS>)
target_link_libraries(damocles_archived PRIVATE damocles::flags Threads::Threads ${CMAKE_DL_LIBS})
if(TARGET damocles_zlib)
  find_library(DAMOCLES_ZLIB_ARCHIVE libz.a)
  target_link_libraries(damocles_archived PRIVATE ${DAMOCLES_ZLIB_ARCHIVE})
endif()
# Not libgcc, whose archive asks for a function of glibc 2.35: every system has the shared one.
# The old tag, as by the new one only the program's own libraries are found, not those of these.
target_link_options(damocles_archived PRIVATE -static-libstdc++ -Wl,--disable-new-dtags)
# Not yet called damocles: Ninja knows a target by the name of its file, too.
set_target_properties(damocles_archived PROPERTIES
  INSTALL_RPATH $ORIGIN/../lib/damocles)

install(TARGETS damocles_archived RUNTIME DESTINATION bin COMPONENT archive EXCLUDE_FROM_ALL)
# By the names that models/digest.cpp and experiments/results/sqlite.cpp open.
foreach(library "${OPENSSL_CRYPTO_LIBRARY} libcrypto.so.3" "${SQLite3_LIBRARY} libsqlite3.so.0")
  separate_arguments(library)
  list(GET library 0 file)
  list(GET library 1 name)
  file(REAL_PATH ${file} file)
  install(FILES ${file} DESTINATION lib/damocles RENAME ${name} COMPONENT archive EXCLUDE_FROM_ALL)
endforeach()
install(DIRECTORY plots DESTINATION share/damocles COMPONENT archive EXCLUDE_FROM_ALL
  PATTERN "__pycache__" EXCLUDE)
install(FILES LICENSE CITATION.cff README.md DESTINATION share/doc/damocles
  COMPONENT archive EXCLUDE_FROM_ALL)
install(DIRECTORY docs/examples DESTINATION share/doc/damocles COMPONENT archive EXCLUDE_FROM_ALL)
# The licences of the libraries that go along, where Debian keeps them.
foreach(package libfmt9 libtomlplusplus3 libstdc++6 libgcc-s1 libssl3 libsqlite3-0 zlib1g)
  if(EXISTS /usr/share/doc/${package}/copyright)
    install(FILES /usr/share/doc/${package}/copyright DESTINATION share/doc/damocles/licences
      RENAME ${package} COMPONENT archive EXCLUDE_FROM_ALL)
  endif()
endforeach()

set(archive damocles-${PROJECT_VERSION}-${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR})
set(stage ${PROJECT_BINARY_DIR}/package)
# CMake reserves the name only where CPack is included, which would build all the tests first.
add_custom_target(package
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${stage}/${archive}
  COMMAND ${CMAKE_COMMAND} -E env --unset=DESTDIR ${CMAKE_COMMAND} --install ${PROJECT_BINARY_DIR}
    --component archive --strip --prefix ${stage}/${archive}
  COMMAND ${CMAKE_COMMAND} -E rename
    ${stage}/${archive}/bin/damocles_archived ${stage}/${archive}/bin/damocles
  COMMAND tar -C ${stage} --owner=0 --group=0 --numeric-owner --sort=name
    -czf ${PROJECT_BINARY_DIR}/${archive}.tar.gz ${archive}
  COMMAND ${CMAKE_COMMAND} -E echo "${PROJECT_BINARY_DIR}/${archive}.tar.gz"
  DEPENDS damocles_archived
  COMMENT "Packing ${archive}.tar.gz" VERBATIM)
