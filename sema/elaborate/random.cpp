#include "sema/elaborate/random.h"

#include <set>

#include "ir/passes/host/random_keys.h"
#include "sema/elaborate/calls.h"
#include "sema/elaborate/expressions.h"
#include "sema/elaborate/host.h"
#include "sema/elaborate/random.h"
#include "sema/elaborate/types.h"

namespace tsr::elaborate {

using ir::Attr;
using ir::OpKind;
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
        {Builtin::rand, "rand", 0, {}, -1, 2},           {Builtin::randn, "randn", 0, {}, -1, 2},
        {Builtin::randint, "randint", 2, {0, 1}, -1, 4}, {Builtin::poisson, "poisson", 1, {}, 0, 3},
        {Builtin::bernoulli, "bernoulli", 1, {}, 0, 2},  {Builtin::permutation, "permutation", -1, {0}, -1, 2},
    };
    for (const RandomRow& row : rows) {
        if (row.builtin == builtin) return &row;
    }
    return nullptr;
}

// The number of an operation among all random ones of the program, in the order of the text, from 1: other text may
// change without changing it.
int64_t site_of(const sema::Program& program, sema::ModuleId module, const ast::Expr& e) {
    std::set<std::pair<size_t, size_t>> sites;
    for (const sema::Instance& instance : program.instances) {
        for (const auto& [expr, call] : instance.calls) {
            if (call.kind == sema::CallKind::builtin && row_of(call.builtin)) {
                sites.emplace(instance.module.index, expr.index);
            }
        }
    }
    const auto at = sites.find({module.index, e.id.index});
    return std::distance(sites.begin(), at) + 1;
}

// Above the numbers of the operations: one for each expression that names storage which is rounded to by chance.
constexpr int64_t kStores = 0x40000000;
constexpr int64_t kReturns = 0x60000000;

ValueId given_key(Body& b, const std::string& parameter) {
    const ir::Type type = ir::Type::scalar(DType::u64);
    if (!b.in_kernel()) return b.emit.value(OpKind::host, {}, type, *ir::key_source(parameter));
    ir::Function& kernel = b.function();
    for (const ValueId known : kernel.params()) {
        if (kernel.value(known).name == parameter) return known;
    }
    return kernel.add_arg(kernel.body, type, parameter);
}

}  // namespace

int64_t random_site(Body& b, const ast::Expr& written) {
    std::set<std::pair<size_t, size_t>> sites;
    for (const sema::Instance& instance : b.program.instances) {
        for (const auto& [expr, info] : instance.exprs) {
            if (info.type.policy().round == sema::Rounding::stochastic)
                sites.emplace(instance.module.index, expr.index);
        }
    }
    const auto found = sites.find({b.instance().module.index, written.id.index});
    // What is returned takes its policy from the header: one place for a function.
    if (found == sites.end()) return kReturns + static_cast<int64_t>(b.instance().function.index);
    return kStores + std::distance(sites.begin(), found);
}

RandomKey random_key(Body& b, const ast::Expr& written) {
    const int64_t site = random_site(b, written);
    const ValueId seed = given_key(b, ir::seed_parameter());
    return {seed, given_key(b, ir::stream_parameter(site))};
}

std::vector<ValueId> random_arguments(Body& b, const ir::Function& kernel) {
    std::vector<ValueId> keys;
    for (const ValueId param : kernel.params()) {
        const auto source = ir::key_source(kernel.value(param).name);
        if (source) keys.push_back(b.emit.value(OpKind::host, {}, kernel.type(param), *source));
    }
    return keys;
}

std::optional<Val> random_builtin(Body& b, const ast::Expr& e, const CallInfo& info) {
    const RandomRow* row = row_of(info.builtin);
    if (!row) return std::nullopt;
    const auto given = [&](int at) { return at < 0 ? nullptr : argument(info, static_cast<size_t>(at)); };
    const sema::Type& type = b.info(e).type;
    std::vector<ValueId> operands;
    if (const ast::Expr* shape = given(row->shape)) operands = shape_values(b, expression(b, *shape));
    for (const int at : row->ints) operands.push_back(b.scalar(expression(b, *given(at)), DType::i64));
    if (row->real >= 0) operands.push_back(b.scalar(expression(b, *given(row->real)), DType::f64));
    ir::Attrs attrs{{Attr::type, type.elem()}, {Attr::count, site_of(b.program, b.instance().module, e)}};
    if (const ast::Expr* seed = given(row->seed)) {
        operands.push_back(b.scalar(expression(b, *seed), DType::i64));
        attrs.set(Attr::mode, std::string("seed"));
    }
    if (!type.is_scalar()) return Val::ssa(host(b, row->entry, std::move(operands), ir_type(type), std::move(attrs)));
    const ValueId number =
        host(b, row->entry, std::move(operands), ir::Type::tensor(type.elem(), {}, false), std::move(attrs));
    return Val::ssa(host(b, "item", {number}, ir::Type::scalar(type.elem())), type.elem());
}

}  // namespace tsr::elaborate
