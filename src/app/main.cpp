// main.cpp: the program `glug`.
#include "app/program.h"

int main(int argc, char** argv) { return glug::run_program(argc, argv); }
