#include "sema/statements/small_graphs.h"

#include <algorithm>

#include <fmt/format.h>

namespace tsr::sema {

namespace {

// Fewer are what any program has; more cost a pass over memory each.
constexpr size_t kMany = 4;

// Counts the statements that compute a whole tensor by operators, also in loops and conditions inside.
struct Graphs {
    const Body& b;
    size_t count = 0;

    void value(const ast::Expr* e) {
        if (!e || !b.instance.type(*e).is(Kind::tensor) || b.instance.type(*e).rank() == 0) return;
        const bool computes = std::holds_alternative<ast::Binary>(e->node) ||
                              std::holds_alternative<ast::Unary>(e->node) ||
                              std::holds_alternative<ast::Compare>(e->node);
        count += computes ? 1 : 0;
    }
    void block(const ast::Block& statements) {
        for (const ast::Stmt* stmt : statements) std::visit(*this, stmt->node);
    }

    void operator()(const ast::Assign& s) { value(s.value); }
    void operator()(const ast::AnnotatedAssign& s) { value(s.value); }
    void operator()(const ast::AugmentedAssign& s) {
        if (b.instance.type(*s.target).is(Kind::tensor)) ++count;
    }
    void operator()(const ast::If& s) {
        for (const ast::If::Branch& taken : s.branches) block(taken.body);
        block(s.otherwise);
    }
    void operator()(const ast::For& s) { block(s.body); }
    void operator()(const ast::While& s) { block(s.body); }
    template <typename Other>
    void operator()(const Other&) {}
};

}  // namespace

void warn_of_small_graphs(Body& b, Span header, const ast::Block& body) {
    if (!b.aloud || !b.rules().host_objects || !b.loops.empty()) return;
    Graphs graphs{b};
    graphs.block(body);
    if (graphs.count < kMany) return;
    b.warning("W0105", header,
              fmt::format("each round of this loop computes {} tensors by graphs of one expression", graphs.count))
        .note("a `@jit` function that does the round computes them together, in fewer passes over memory");
}

}  // namespace tsr::sema
