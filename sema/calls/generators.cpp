#include "sema/calls/generators.h"

namespace tsr::sema {

namespace {

// Functions that go through what they are given, item by item.
bool goes_through(Builtin function) {
    switch (function) {
        case Builtin::sum:
        case Builtin::any:
        case Builtin::all:
        case Builtin::min:
        case Builtin::max:
        case Builtin::sorted:
        case Builtin::list_:
        case Builtin::enumerate:
        case Builtin::zip:
        case Builtin::map_:
            return true;
        default:
            return false;
    }
}

}  // namespace

void take_generators(Body& b, Builtin function, const Matched& m) {
    if (!goes_through(function)) return;
    for (const ast::Expr* argument : m.arguments) {
        if (argument) take_generator(b, *argument);
    }
    if (m.rest.size() != 1 && (function == Builtin::min || function == Builtin::max)) return;
    for (const ast::Expr* argument : m.rest) take_generator(b, *argument);
}

void take_generator(Body& b, const ast::Expr& e) {
    const auto* comprehension = std::get_if<ast::Comprehension>(&e.node);
    if (comprehension && comprehension->generator) b.taken_generators.insert(e.id);
}

}  // namespace tsr::sema
