#include "ir/passes/host/lower_launches.h"

#include <map>
#include <unordered_map>

#include <fmt/format.h>

#include "ir/core/builder.h"
#include "ir/ops/host.h"
#include "ir/passes/tile/walk.h"

namespace tsr::ir {

namespace {

constexpr int64_t kFlatGroup = 128;  // tiles that one explicit group of a flat kernel stands for

class Lowering {
public:
    Lowering(Function& host, OpId launch, const Function& kernel, Diagnostics& diagnostics)
        : host_(host),
          launch_(launch),
          kernel_(kernel),
          diagnostics_(diagnostics),
          builder_(Builder::at(host, launch)) {
        LaunchOp op(host, launch);
        arguments_.assign(op.arguments().begin(), op.arguments().end());
        groups_.assign(op.groups().begin(), op.groups().end());
        const Attrs& attrs = host.op(launch).attrs;
        if (attrs.has(Attr::names)) {
            const auto& names = attrs.strings(Attr::names);
            for (size_t i = 0; i < names.size(); ++i) symbols_[names[i]] = op.symbols()[i];
        }
    }

    bool run() {
        Values counts;
        if (!groups_.empty()) {
            counts = explicit_counts();
        } else if (kernel_.kernel.launch.valid()) {
            counts = kernel_counts();
        } else {
            diagnostics_
                .error("E0459", host_.span_of(launch_),
                       fmt::format("how many tiles `{}` runs must be said here: `{}[groups](…)`", kernel_.name,
                                   kernel_.name))
                .label(kernel_.span(),
                       "no guard stands around all its writes, and no single `mut` tensor gives a number");
            return false;
        }
        while (counts.size() < 3) counts.push_back(builder_.index(1));
        ValueId total = counts[0];
        for (size_t i = 1; i < counts.size(); ++i) total = builder_.mul(total, counts[i]);
        std::vector<std::string> names;
        Values operands = arguments_;
        for (const std::string& symbol : kernel_.symbols) {
            names.push_back(symbol);
            operands.push_back(symbols_.at(symbol));
        }
        operands.insert(operands.end(), counts.begin(), counts.end());
        operands.push_back(total);
        Op& op = host_.op(launch_);
        op.operands = operands;
        op.attrs.erase(Attr::count);
        if (!names.empty()) op.attrs.set(Attr::names, names);
        op.attrs.set(Attr::mode, std::string("total"));
        return true;
    }

private:
    ValueId at_least_zero(ValueId count) {
        return builder_.maximum(builder_.cast(count, DType::index), builder_.index(0));
    }

    Values explicit_counts() {
        Values counts;
        for (ValueId group : groups_) counts.push_back(at_least_zero(group));
        if (!kernel_.kernel.flat && !kernel_.kernel.elements) return counts;
        ValueId total = counts[0];
        for (size_t i = 1; i < counts.size(); ++i) total = builder_.mul(total, counts[i]);
        if (kernel_.kernel.flat) return {builder_.mul(total, builder_.index(kFlatGroup))};
        // All elements are done by however many groups there are; by none nothing is.
        ValueId any = builder_.gt(total, builder_.index(0));
        return {builder_.select(any, kernel_counts()[0], builder_.index(0))};
    }

    // The kernel's launch region over the arguments of this call.
    Values kernel_counts() {
        std::unordered_map<ValueId, ValueId> values;
        for (size_t i = 0; i < kernel_.params().size(); ++i) values[kernel_.params()[i]] = arguments_[i];
        Values counts;
        for (OpId id : kernel_.region(kernel_.kernel.launch).ops) {
            const Op& op = kernel_.op(id);
            Values operands;
            for (ValueId v : op.operands) operands.push_back(values.at(v));
            if (op.kind == OpKind::yield) {
                for (ValueId count : operands) counts.push_back(at_least_zero(count));
            } else if (op.kind == OpKind::dim) {
                values[op.results[0]] = dimension(op.attrs.dim(Attr::dim));
            } else {
                values[op.results[0]] = builder_.value(op.kind, operands, op.attrs);
            }
        }
        return counts;
    }

    ValueId dimension(const Dim& dim) {
        ValueId sum = builder_.index(0);
        for (const Dim::Term& term : dim.terms()) {
            ValueId product = builder_.index(term.coefficient);
            for (const Dim::Atom& atom : term.factors) {
                ValueId factor = atom.kind == Dim::Atom::Kind::symbol
                                     ? symbols_.at(atom.name)
                                     : builder_.floordiv(dimension(*atom.numerator), dimension(*atom.denominator));
                product = builder_.mul(product, factor);
            }
            sum = builder_.add(sum, product);
        }
        return sum;
    }

    Function& host_;
    OpId launch_;
    const Function& kernel_;
    Diagnostics& diagnostics_;
    Builder builder_;
    Values arguments_;
    Values groups_;
    std::map<std::string, ValueId> symbols_;
};

}  // namespace

bool lower_launches(Function& host, PassContext& context) {
    std::vector<OpId> launches;
    walk(host, host.body, [&](OpId id) {
        if (host.op(id).kind == OpKind::launch && !LaunchOp(host, id).lowered()) launches.push_back(id);
    });
    bool good = true;
    for (OpId id : launches) {
        const Function* kernel = context.module.find(LaunchOp(host, id).callee());
        if (kernel) good &= Lowering(host, id, *kernel, context.diagnostics).run();
    }
    return good;
}

}  // namespace tsr::ir
