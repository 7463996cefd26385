// The laws of single operations, for `verify.cpp`, which has checked the structure: ids are valid, regions end with a
// `yield`, operands are visible. Each answers messages without the function's and the operation's name.
#pragma once

#include <string>
#include <vector>

#include "ir/core/function.h"

namespace tsr::ir {

// May a value of type `from` stand where `to` is expected? Scalars must be equal; shapes must not be known to differ,
// and a tensor that may be written may stand where it is only read.
bool fits(const Type& from, const Type& to);

// Types of results, of the regions' arguments, and of what the regions yield.
std::vector<std::string> check_types(const Function& function, OpId op);

// Where the operation may stand: inside which regions, on which level; which symbols it may name.
struct Surroundings {
    bool launch_region = false;
    std::vector<OpId> around;  // the operations it is nested in, outermost first
};
std::vector<std::string> check_standing(const Function& function, OpId op, const Surroundings& where);

// Calls and launches against the functions they name.
std::vector<std::string> check_callee(const Function& function, OpId op, const Module& module);

}  // namespace tsr::ir
