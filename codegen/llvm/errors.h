// LLVM's errors as exceptions and texts: it never ends the process.
#pragma once

#include <memory>
#include <string>

#include <llvm/IR/DiagnosticHandler.h>

namespace tsr::codegen {

// From here on, what LLVM calls a fatal error throws std::runtime_error with its reason.
void catch_fatal_errors();

// Appends what LLVM reports as errors; its own handler would print them and exit.
std::unique_ptr<llvm::DiagnosticHandler> keep_errors(std::string& errors);

}  // namespace tsr::codegen
