#include "sema/elaborate/random.h"

#include <set>

#include "ir/passes/host/random_keys.h"
#include "sema/elaborate/recursion.h"

namespace tsr::elaborate {

using ir::OpKind;
using ir::ValueId;

namespace {

// Above the numbers of the operations: one for each expression that names storage which is rounded to by chance.
constexpr int64_t kStores = 0x40000000;
constexpr int64_t kReturns = 0x60000000;

std::string_view parameter_name(const ir::ParamRole& role) {
    return role.kind == ir::ParamRole::Kind::seed ? "random.seed" : "random.stream";
}

bool is_random(sema::Builtin function) {
    switch (function) {
        case sema::Builtin::rand:
        case sema::Builtin::randn:
        case sema::Builtin::randint:
        case sema::Builtin::bernoulli:
        case sema::Builtin::permutation:
            return true;
        default:
            return false;
    }
}

ValueId given_key(Body& b, const ir::ParamRole& role) {
    const ir::Type type = ir::Type::scalar(DType::u64);
    if (!b.rules().in_group) return b.emit.given(OpKind::host, {}, type, *ir::key_source(role));
    ir::Function& kernel = b.function();
    for (const ValueId known : kernel.params()) {
        if (kernel.value(known).role == role) return known;
    }
    const ValueId key = kernel.add_arg(kernel.body, type, std::string(parameter_name(role)));
    kernel.value(key).role = role;
    return key;
}

}  // namespace

int64_t random_place(Body& b, const ast::Expr& e) {
    std::set<std::pair<size_t, size_t>> places;
    for (const sema::Instance& instance : b.program.instances) {
        for (const auto& [expr, call] : instance.calls) {
            if (call.kind == sema::CallKind::builtin && is_random(call.builtin))
                places.emplace(instance.module.index, expr.index);
        }
    }
    return std::distance(places.begin(), places.find({b.instance().module.index, e.id.index})) + 1;
}

RandomKey operation_key(Body& b, const ast::Expr& e, const ast::Expr* seed) {
    const ir::Type type = ir::Type::scalar(DType::u64);
    const auto entry = [&](const ir::ParamRole& role) {
        return b.emit.given(OpKind::host, {}, type, *ir::key_source(role));
    };
    const ValueId given = seed ? b.emit.cast(b.scalar(expression(b, *seed), DType::i64), DType::u64)
                               : entry({.kind = ir::ParamRole::Kind::seed});
    return {given, entry({.kind = ir::ParamRole::Kind::stream, .number = random_place(b, e)})};
}

int64_t random_site(Body& b, const ast::Expr& written) {
    std::set<std::pair<size_t, size_t>> sites;
    for (const sema::Instance& instance : b.program.instances) {
        for (const auto& [expr, info] : instance.exprs) {
            if (info.type.policy().round == Rounding::stochastic) sites.emplace(instance.module.index, expr.index);
        }
    }
    const auto found = sites.find({b.instance().module.index, written.id.index});
    // What is returned takes its policy from the header: one place for a function.
    if (found == sites.end()) return kReturns + static_cast<int64_t>(b.instance().function.index);
    return kStores + std::distance(sites.begin(), found);
}

RandomKey random_key(Body& b, const ast::Expr& written) {
    const int64_t site = random_site(b, written);
    const ValueId seed = given_key(b, {.kind = ir::ParamRole::Kind::seed});
    return {seed, given_key(b, {.kind = ir::ParamRole::Kind::stream, .number = site})};
}

std::vector<ValueId> random_arguments(Body& b, const ir::Function& kernel) {
    std::vector<ValueId> keys;
    for (const ValueId param : kernel.params()) {
        const auto source = ir::key_source(kernel.value(param).role);
        if (source) keys.push_back(b.emit.given(OpKind::host, {}, kernel.type(param), *source));
    }
    return keys;
}

}  // namespace tsr::elaborate
