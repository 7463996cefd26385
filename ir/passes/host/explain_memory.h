// The tensors that a Host function makes, for people: `--explain=memory`.
#pragma once

#include <string>
#include <vector>

#include "base/sources.h"
#include "ir/core/function.h"

namespace tsr::ir {

// The tensors that a function makes, behind `place_ownership`. Arguments are the caller's, and taken to be dense: what
// is not is copied first.
struct MemoryUse {
    struct Buffer {
        std::string name;
        Dim size;                 // bytes
        std::string from, until;  // lines of the program; `until` is empty where it lives to the end
    };
    std::vector<Buffer> buffers;
    std::vector<Dim> most;  // bytes that are there at once, of which none is known to be the greatest; empty: none

    // "4*n or 8*m", "0"
    [[nodiscard]] std::string most_text() const;
};
MemoryUse memory_use(const Function& host, const Sources& sources);

// Of a function behind `place_ownership`: each tensor that it makes with its bytes as a formula of the function's
// dimensions and its life in lines of the program, and the most bytes that are there at once.
std::string explain_memory(const Function& host, const Sources& sources);

}  // namespace tsr::ir
