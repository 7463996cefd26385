#include "ir/passes/host/add_launchers.h"

#include <algorithm>
#include <unordered_set>

#include "ir/core/builder.h"
#include "ir/ops/host.h"
#include "ir/passes/host/random_keys.h"

namespace tsr::ir {

namespace {

void add_symbols(const Dim& dim, std::unordered_set<std::string>& into) {
    if (const auto name = dim.symbol_name()) into.insert(*name);
    for (const Dim::Term& term : dim.terms()) {
        for (const Dim::Atom& atom : term.factors) {
            if (atom.kind == Dim::Atom::Kind::symbol) {
                into.insert(atom.name);
                continue;
            }
            add_symbols(*atom.numerator, into);
            add_symbols(*atom.denominator, into);
        }
    }
}

// Every symbol stands in a shape or is a parameter: entering the function binds it.
bool binds_itself(const Function& kernel) {
    std::unordered_set<std::string> bound;
    for (ValueId param : kernel.params()) {
        bound.insert(kernel.value(param).name);
        for (const Dim& dim : kernel.type(param).shape) add_symbols(dim, bound);
    }
    return std::ranges::all_of(kernel.symbols, [&](const std::string& s) { return bound.contains(s); });
}

}  // namespace

std::string launcher_name(const std::string& kernel) { return "launch " + kernel; }

bool add_launcher(Module& module, const std::vector<std::string>& points) {
    const std::string& name = points.front();
    const Function& kernel = *module.find(name);
    if (!kernel.kernel.launch.valid() || !binds_itself(kernel)) return false;
    Function out;
    out.name = launcher_name(name);
    out.level = Level::host;
    out.place = out.add_place({kernel.span(), {}});
    out.symbols = kernel.symbols;
    out.results = kernel.results;
    Values params;
    for (ValueId param : kernel.params()) {
        const std::string& given = kernel.value(param).name;
        if (!key_source(given)) params.push_back(out.add_arg(out.body, kernel.type(param), given));
    }
    Builder builder = Builder::at_end(out, out.body);
    builder.set_place(out.place);
    Values operands;
    for (ValueId param : params) {
        const Type type = out.type(param);
        if (type.kind != TypeKind::tensor) {
            operands.push_back(param);
            continue;
        }
        // Kernels take dense tensors: another view is copied, which for `mut` is an error.
        const OpId dense = builder.emit(OpKind::host, {param},
                                        {{Attr::callee, std::string("kernel_argument")},
                                         {Attr::count, static_cast<int64_t>(type.mut)},
                                         {Attr::names, std::vector<std::string>{name, out.value(param).name}}},
                                        {type});
        operands.push_back(out.op(dense).results.front());
    }
    for (ValueId param : kernel.params()) {
        const auto source = key_source(kernel.value(param).name);
        if (!source) continue;
        const OpId key = builder.emit(OpKind::host, {}, *source, {kernel.type(param)});
        operands.push_back(out.op(key).results.front());
    }
    for (const std::string& symbol : kernel.symbols) operands.push_back(builder.dim(Dim::symbol(symbol)));
    Attrs attrs{{Attr::callee, name}, {Attr::count, int64_t{0}}};
    if (!kernel.symbols.empty()) attrs.set(Attr::names, kernel.symbols);
    const OpId launch = builder.emit(OpKind::launch, operands, attrs, kernel.results);
    LaunchOp::set_points(out.op(launch), points);
    builder.yield(out.op(launch).results);
    module.functions.push_back(std::move(out));
    return true;
}

}  // namespace tsr::ir
