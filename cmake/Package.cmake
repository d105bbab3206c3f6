# Target `package`: damocles-VERSION-Linux-x86_64.tar.gz, the program with its plot scripts, to be
# unpacked anywhere on a Linux whose C library is no older than here, with no compiler and no root.
#
# The program of the archive is made of the same objects, but for those that know partitioners or MPI: Open
# MPI, which Zoltan needs too, finds its plugins by the paths it was installed to. Every shared library but the C library's goes
# along, in lib/damocles; OpenBLAS is used where it is installed.
if(NOT PROJECT_IS_TOP_LEVEL OR DAMOCLES_CUDA OR DAMOCLES_PORTABLE OR DAMOCLES_SANITIZE
    OR DAMOCLES_COVERAGE)
  return()
endif()

set(objects "")
foreach(room models orders strategies ode sim gpu experiments)
  list(APPEND objects "$<FILTER:$<TARGET_OBJECTS:damocles_${room}>,EXCLUDE,(_bisection|mpi_ranks)\\.cpp>")
endforeach()
add_executable(damocles_archived EXCLUDE_FROM_ALL
  experiments/main.cpp gpu/mpi/mpi_ranks.cpp orders/zoltan_bisection.cpp orders/metis_bisection.cpp
  orders/scotch_bisection.cpp ${objects})
target_include_directories(damocles_archived PRIVATE
  $<TARGET_PROPERTY:damocles_experiments,INCLUDE_DIRECTORIES>)
target_link_libraries(damocles_archived PRIVATE damocles::flags
  fmt::fmt tomlplusplus::tomlplusplus OpenSSL::Crypto SQLite::SQLite3 Threads::Threads ${CMAKE_DL_LIBS}
  $<$<TARGET_EXISTS:damocles_openmp>:damocles_openmp>
  $<$<TARGET_EXISTS:damocles_zlib>:damocles_zlib>
  $<$<TARGET_EXISTS:damocles_simdjson>:damocles_simdjson>)
# The old tag, as by the new one only the program's own libraries are found, not those of these.
target_link_options(damocles_archived PRIVATE -Wl,--disable-new-dtags)
# Not yet called damocles: Ninja knows a target by the name of its file, too.
set_target_properties(damocles_archived PROPERTIES
  INSTALL_RPATH $ORIGIN/../lib/damocles)

install(TARGETS damocles_archived RUNTIME_DEPENDENCY_SET archived_libraries
  RUNTIME DESTINATION bin COMPONENT archive EXCLUDE_FROM_ALL)
install(RUNTIME_DEPENDENCY_SET archived_libraries
  PRE_EXCLUDE_REGEXES "^ld-linux" "^lib(c|m|dl|rt|pthread)\\.so"
  LIBRARY DESTINATION lib/damocles COMPONENT archive EXCLUDE_FROM_ALL)
install(DIRECTORY plots DESTINATION share/damocles COMPONENT archive EXCLUDE_FROM_ALL
  PATTERN "__pycache__" EXCLUDE)
install(FILES LICENSE CITATION.cff README.md DESTINATION share/doc/damocles
  COMPONENT archive EXCLUDE_FROM_ALL)
install(DIRECTORY docs/examples DESTINATION share/doc/damocles COMPONENT archive EXCLUDE_FROM_ALL)
# The licences of the libraries that go along, where Debian keeps them.
foreach(package libfmt9 libtomlplusplus3 libstdc++6 libgcc-s1 libgomp1 libssl3 libsqlite3-0 zlib1g libsimdjson14)
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
