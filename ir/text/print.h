// Functions and modules as text, on every level. `parse_text.h` reads it back.
#pragma once

#include <string>
#include <vector>

#include "ir/core/function.h"
#include "ir/core/names.h"

namespace tsr::ir {

struct PrintOptions {
    NamesOfValues names = NamesOfValues::given;
    bool places =
        false;  // `!FILE:BEGIN-END<FILE:BEGIN-END…` behind each operation: its range, then the calls around it
    std::vector<PlaceId>* of_lines = nullptr;  // takes for each line of the text what it comes from; invalid: nothing
};

// A broken function is printed as far as it can be: what is no operand shows as `%?`.
std::string print(const Function& function, const PrintOptions& options = {});
std::string print(const Module& module, const PrintOptions& options = {});

// A text that two functions share exactly where their code may be one: they are called the same, compute the same by
// the same plan, and name the same places where they fail or print. The names of their values are not looked at, nor
// where the rest comes from.
std::string text_of_code(const Function& function);

// The first line of one operation, for messages.
std::string print_line(const Function& function, OpId op);

}  // namespace tsr::ir
