#include "ir/passes/host/add_launchers.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ir/build/builder.h"
#include "ir/build/dim_code.h"
#include "ir/ops/host.h"
#include "ir/passes/host/random_keys.h"

namespace tsr::ir {

namespace {

// Every symbol stands in a shape or is a parameter: entering the function binds it.
bool binds_itself(const Function& launcher) {
    const std::set<std::string> bound = bound_by_parameters(launcher);
    return std::ranges::all_of(launcher.symbols, [&](const std::string& s) { return bound.contains(s); });
}

class Launcher {
public:
    Launcher(Module& module, const LaunchedKernel& launched, Function& out)
        : module_(module), launched_(launched), out_(out), builder_(Builder::at_end(out, out.body)) {
        builder_.set_place(out.place);
    }

    void body() {
        arguments();
        for (size_t i = 0; i < launched_.dimensions.size(); ++i) check_listed(i);
        const Values results = choose(builder_, 0);
        builder_.yield(results);
    }

private:
    ValueId host(Builder& b, Values operands, const Attrs& attrs, const Type& type) const {
        return out_.op(b.emit(OpKind::host, std::move(operands), attrs, {type})).results.front();
    }

    // Kernels take dense tensors: another view is copied, which for `mut` is an error.
    void arguments() {
        for (ValueId param : out_.params()) {
            const Type type = out_.type(param);
            if (type.kind != TypeKind::tensor) {
                arguments_.push_back(param);
                continue;
            }
            const Attrs attrs{{Attr::callee, std::string("kernel_argument")},
                              {Attr::count, static_cast<int64_t>(type.mut)},
                              {Attr::names, std::vector<std::string>{launched_.name, out_.value(param).name}}};
            arguments_.push_back(host(builder_, {param}, attrs, type));
        }
    }

    ValueId extent(Builder& b, size_t dimension) const {
        return b.dim(Dim::symbol(launched_.dimensions[dimension].symbol));
    }

    // The arguments' extents must be among the values of the space.
    void check_listed(size_t dimension) {
        std::set<int64_t> listed;
        for (const LaunchedKernel::Choice& choice : launched_.choices) listed.insert(choice.extents[dimension]);
        ValueId missing = builder_.boolean(true);
        for (const int64_t value : listed)
            missing = builder_.bit_and(missing, builder_.ne(extent(builder_, dimension), builder_.index(value)));
        const auto& [symbol, parameter] = launched_.dimensions[dimension];
        const std::string wanted = fmt::format("one of {} = {}", symbol, fmt::join(listed, ", "));
        builder_.if_(missing, [&](Builder& b) {
            b.emit(OpKind::host, {extent(b, dimension), b.index(0)},
                   {{Attr::callee, std::string("shape_failed")},
                    {Attr::names, std::vector<std::string>{launched_.name, parameter, wanted, "", ""}}},
                   {});
            return Values{};
        });
    }

    // The choices from `first` on; the last one stands without a question where nothing can be asked.
    Values choose(Builder& b, size_t first) {
        if (launched_.dimensions.empty()) return launch(b, launched_.choices[first]);
        const LaunchedKernel::Choice& choice = launched_.choices[first];
        ValueId same = b.boolean(true);
        for (size_t i = 0; i < choice.extents.size(); ++i)
            same = b.bit_and(same, b.eq(extent(b, i), b.index(choice.extents[i])));
        const OpId branch = b.if_(
            same, [&](Builder& then) { return launch(then, choice); },
            [&](Builder& otherwise) {
                if (first + 1 < launched_.choices.size()) return choose(otherwise, first + 1);
                return refuse(otherwise);
            });
        return out_.op(branch).results;
    }

    // Each extent is listed, but what they choose together does not fit.
    Values refuse(Builder& b) {
        const std::string said = "kernel " + launched_.name + ": no point of its tuning space fits these dimensions";
        b.emit(OpKind::host, {}, {{Attr::callee, std::string("fail")}, {Attr::text, said}}, {});
        Values none;
        for (const Type& type : out_.results) none.push_back(b.constant(0, type.elem));
        return none;
    }

    Values launch(Builder& b, const LaunchedKernel::Choice& choice) {
        const Function& kernel = *module_.find(choice.kernels.front());
        Values operands = arguments_;
        for (ValueId param : kernel.params()) {
            if (const auto source = key_source(kernel.value(param).role))
                operands.push_back(host(b, {}, *source, kernel.type(param)));
        }
        for (const std::string& symbol : kernel.symbols) operands.push_back(b.dim(Dim::symbol(symbol)));
        Attrs attrs{{Attr::callee, kernel.name}, {Attr::count, int64_t{0}}};
        if (!kernel.symbols.empty()) attrs.set(Attr::names, kernel.symbols);
        const OpId launch = b.emit(OpKind::launch, operands, attrs, kernel.results);
        LaunchOp::set_points(out_.op(launch), choice.kernels);
        return out_.op(launch).results;
    }

    Module& module_;
    const LaunchedKernel& launched_;
    Function& out_;
    Builder builder_;
    Values arguments_;
};

}  // namespace

std::string launcher_name(const LaunchedKernel& kernel) { return "launch " + kernel.choices.front().kernels.front(); }

bool add_launcher(Module& module, const LaunchedKernel& launched) {
    const Function& kernel = *module.find(launched.choices.front().kernels.front());
    Function out;
    out.name = launcher_name(launched);
    out.level = Level::host;
    out.place = out.add_place({kernel.span(), {}});
    out.symbols = kernel.symbols;
    for (const LaunchedKernel::Dimension& dimension : launched.dimensions) out.symbols.push_back(dimension.symbol);
    out.results = kernel.results;
    for (size_t i = 0; i < launched.params.size(); ++i) {
        const Value& param = kernel.value(kernel.params()[i]);
        const ValueId own = out.add_arg(out.body, launched.params[i], param.name);
        out.value(own).role = param.role;
    }
    if (!kernel.kernel.launch.valid() || !binds_itself(out)) return false;
    Launcher(module, launched, out).body();
    module.functions.push_back(std::move(out));
    return true;
}

}  // namespace tsr::ir
