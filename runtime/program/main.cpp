// The entry of every executable. Alone in its object file: who has a main of its own does not get this one.
#include "runtime/abi.h"

int main(int argc, char** argv) { return tsr_main(&tsr_program, argc, argv); }
