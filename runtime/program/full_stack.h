#pragma once

namespace tsr::runtime {

// Where calls are nested too deeply for the main thread's stack, the program named ends with a message and code 1
// instead of a bare SIGSEGV. The name lives as long as the program.
void watch_stack(const char* program);

}  // namespace tsr::runtime
