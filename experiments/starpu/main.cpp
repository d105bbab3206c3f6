#include "experiments/starpu/starpu_command.hpp"

int main(int argc, char** argv) { return damocles::run_starpu_program({argv + 1, argv + argc}); }
