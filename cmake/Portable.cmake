# DAMOCLES_PORTABLE: a program that needs nothing of another x86-64 Linux but the C library and
# cuBLAS. Included before Dependencies, so that its libraries are found as archives.
#
# The C library stays shared, as a static one cannot load the CUDA driver; the program therefore
# runs where glibc is no older than here: `objdump -T PROGRAM | grep -o 'GLIBC_[0-9.]*' | sort -V`.
execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libgomp.a
  OUTPUT_VARIABLE gomp OUTPUT_STRIP_TRAILING_WHITESPACE)
set(OpenMP_gomp_LIBRARY ${gomp} CACHE FILEPATH "OpenMP's archive")

set(OPENSSL_USE_STATIC_LIBS ON)
set(ZLIB_USE_STATIC_LIBS ON)

# cuBLAS: beside the program, in lib/ there, or where the toolkit is installed.
set(CMAKE_BUILD_RPATH "$ORIGIN" "$ORIGIN/lib" /usr/local/cuda/lib64)
set(CMAKE_INSTALL_RPATH ${CMAKE_BUILD_RPATH})

# After Dependencies: Debian has these two as shared libraries only, and both are whole in their
# headers.
macro(damocles_make_portable)
  target_compile_definitions(fmt::fmt INTERFACE FMT_HEADER_ONLY)
  set_target_properties(tomlplusplus::tomlplusplus PROPERTIES INTERFACE_COMPILE_OPTIONS "")
  # As needed: then those two are named to the linker and not used.
  target_link_options(damocles_flags INTERFACE
    -static-libstdc++ -static-libgcc -Wl,--as-needed)
endmacro()
