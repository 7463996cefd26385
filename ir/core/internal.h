// A broken promise inside the compiler: the one use of exceptions. User errors are values.
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
