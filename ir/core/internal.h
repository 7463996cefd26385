// A broken promise inside the compiler, thrown; user errors are values. The evaluator throws besides where a program
// that it runs fails.
#pragma once

#include <stdexcept>
#include <string>

namespace tsr::ir {

class InternalError : public std::logic_error {
public:
    using std::logic_error::logic_error;
};

[[noreturn]] inline void internal_error(const std::string& message) { throw InternalError(message); }

}  // namespace tsr::ir
