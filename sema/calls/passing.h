// One call of a function of the program being checked: each argument against its parameter, dimensions, overlap.
#pragma once

#include <vector>

#include "sema/state/body.h"

namespace tsr::sema {

class Passing {
public:
    Passing(Body& body, const Function& callee, std::vector<PassedValue>& arguments)
        : body_(body), callee_(callee), arguments_(arguments) {}

    // All give false after a message.
    bool types(const Instance& made);
    // Binds the callee's symbols, notes what is left to compare when the program runs.
    bool dimensions(const Instance& made, CallInfo& info);
    // `mut` arguments, and the tensors in them, must not overlap another tensor of the call: decided here for one name
    // and its fields, else when it runs.
    bool overlap(const Instance& made, CallInfo& info);

private:
    bool type(const Instance& made, size_t i);
    bool tensor(const ParameterInfo& parameter, const PassedValue& argument, const std::string& what);
    bool bind(const Instance& made, const SymbolInfo& symbol, CallInfo& info);
    bool shape(const Instance& made, size_t p, CallInfo& info);
    // Of the tensor that the parameter is, or that is an element of the tuple that it is (`nested_element`).
    bool extents(const Instance& made, size_t p, int element, CallInfo& info);
    [[nodiscard]] std::string name_of(const Instance& made, size_t p, int element) const;
    // Where that tensor is written, of a tuple that is written out its element.
    [[nodiscard]] Span place_of(size_t p, int element) const;

    Body& body_;
    const Function& callee_;
    std::vector<PassedValue>& arguments_;
};

}  // namespace tsr::sema
