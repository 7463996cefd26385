// Random built-ins of the host.
#include "sema/elaborate/arguments.h"
#include "sema/elaborate/builtins.h"
#include "sema/elaborate/host.h"
#include "sema/elaborate/host_tensors.h"
#include "sema/elaborate/random.h"
#include "sema/elaborate/recursion.h"
#include "sema/elaborate/types.h"

namespace tsr::elaborate {

using ir::Attr;
using ir::ValueId;
using sema::Builtin;
using sema::CallInfo;

namespace {

struct RandomRow {
    Builtin builtin;
    const char* entry;
    int shape;              // which argument is the shape; -1: none
    std::vector<int> ints;  // arguments behind the shape
    int real;               // a float behind the shape; -1: none
    int seed;
};

const RandomRow* row_of(Builtin builtin) {
    static const std::vector<RandomRow> rows{
        {Builtin::rand, "rand", 0, {}, -1, 2},
        {Builtin::randn, "randn", 0, {}, -1, 2},
        {Builtin::randint, "randint", 2, {0, 1}, -1, 4},
        {Builtin::bernoulli, "bernoulli", 1, {}, 0, 2},
        {Builtin::permutation, "permutation", -1, {0}, -1, 2},
    };
    for (const RandomRow& row : rows) {
        if (row.builtin == builtin) return &row;
    }
    return nullptr;
}

}  // namespace

std::optional<Val> random_builtin(Body& b, const ast::Expr& e, const CallInfo& info) {
    const RandomRow* row = row_of(info.builtin);
    if (!row) return std::nullopt;
    const auto given = [&](int at) { return at < 0 ? nullptr : argument(b, info, static_cast<size_t>(at)); };
    const sema::Type& type = b.info(e).type;
    std::vector<ValueId> operands;
    if (const ast::Expr* shape = given(row->shape)) operands = shape_values(b, expression(b, *shape));
    for (const int at : row->ints) operands.push_back(b.scalar(expression(b, *given(at)), DType::i64));
    if (row->real >= 0) operands.push_back(b.scalar(expression(b, *given(row->real)), DType::f64));
    ir::Attrs attrs{{Attr::type, type.elem()}, {Attr::count, random_place(b, e)}};
    if (const ast::Expr* seed = given(row->seed)) {
        operands.push_back(b.scalar(expression(b, *seed), DType::i64));
        attrs.set_flag(Attr::seeded);
    }
    if (!type.is_scalar()) return Val::ssa(host(b, row->entry, std::move(operands), ir_type(type), std::move(attrs)));
    const ValueId number =
        host(b, row->entry, std::move(operands), ir::Type::tensor(type.elem(), {}, false), std::move(attrs));
    return Val::ssa(host(b, "item", {number}, ir::Type::scalar(type.elem())), type.elem());
}

}  // namespace tsr::elaborate
