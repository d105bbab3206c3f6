#include "experiments/commands/command.hpp"

int main(int argc, char** argv) { return damocles::run_program(argc, argv); }
