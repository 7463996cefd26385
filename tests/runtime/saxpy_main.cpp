// The object file that the compiler would make: the program under the name that the runtime's main starts.
#include "saxpy_program.h"

extern "C" const TsrProgram tsr_program = tsr::runtime::tests::saxpy;
