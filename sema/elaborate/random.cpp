#include "sema/elaborate/random.h"

#include <set>

#include "ir/passes/host/random_keys.h"

namespace tsr::elaborate {

using ir::OpKind;
using ir::ValueId;

namespace {

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

}  // namespace tsr::elaborate
