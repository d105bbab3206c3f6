// The library toml++, compiled into the program of the archive, as fmt.cpp beside it.
#define TOML_IMPLEMENTATION
#include <toml++/toml.h>
