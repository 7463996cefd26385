// Names that only loops assign and only the loops' own rounds read: each such loop has a variable of its own, as a
// comprehension has. A second loop may then go through something else under the same name.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "frontend/ast.h"

namespace tsr::sema {

// Where the names of a module's text stand, and the ranges that have names of their own.
class NamePlaces {
public:
    // What the tree got since this was called last.
    void read(const ast::Module& tree);

    // The names of a function whose loops have variables of their own. `counts`: how often the text binds each.
    [[nodiscard]] std::set<std::string, std::less<>> own_to_loops(
        const ast::FunctionDef& def, const std::map<std::string, int, std::less<>>& counts) const;

private:
    struct Bound {  // `for i in …` of a loop or comprehension
        Span target;
        Span rounds;  // where the name is the loop's own
    };
    using Bounds = std::map<std::string, std::vector<Bound>, std::less<>>;
    static void collect(const ast::Block& block, Bounds& bounds);
    [[nodiscard]] bool only_in_rounds(const std::string& name, Span body, const std::vector<Bound>& bounds) const;

    size_t exprs_ = 0, stmts_ = 0;                                     // how many were read
    std::map<std::string, std::vector<uint32_t>, std::less<>> names_;  // by text, in order
    Bounds comprehensions_;
    std::vector<Span> functions_;  // nested ones and lambdas: their names are read when they are called
};

}  // namespace tsr::sema
