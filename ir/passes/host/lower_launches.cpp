#include "ir/passes/host/lower_launches.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "ir/build/clone.h"
#include "ir/build/dim_code.h"
#include "ir/ops/host.h"
#include "ir/passes/tile/walk.h"

namespace tsr::ir {

namespace {

constexpr int64_t kFlatGroup = 128;  // tiles that one explicit group of a flat kernel stands for

class Lowering {
public:
    // `kernels`: of a tuned kernel its points, of any other the kernel.
    Lowering(Function& host, OpId launch, std::vector<const Function*> kernels, Diagnostics& diagnostics)
        : host_(host),
          launch_(launch),
          kernels_(std::move(kernels)),
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
        Values totals;
        for (const Function* kernel : kernels_) {
            if (!add_counts(*kernel, totals)) return false;
        }
        std::vector<std::string> names;
        Values operands = arguments_;
        for (const std::string& symbol : kernels_[0]->symbols) {
            names.push_back(symbol);
            operands.push_back(symbols_.at(symbol));
        }
        operands.insert(operands.end(), totals.begin(), totals.end());
        Op& op = host_.op(launch_);
        op.operands = operands;
        op.attrs.erase(Attr::count);
        if (!names.empty()) op.attrs.set(Attr::names, names);
        op.attrs.set_flag(Attr::lowered);
        return true;
    }

private:
    // Groups along x, y, z, and their total.
    bool add_counts(const Function& kernel, Values& totals) {
        Values counts;
        if (!groups_.empty()) {
            counts = explicit_counts(kernel);
        } else if (kernel.kernel.launch.valid()) {
            counts = kernel_counts(kernel);
        } else {
            diagnostics_
                .error("E0459", host_.span_of(launch_),
                       fmt::format("how many tiles `{}` runs must be said here: `{}[groups](…)`", kernel.name,
                                   kernel.name))
                .label(kernel.span(),
                       "no guard stands around all its writes, and no single `mut` tensor gives a number");
            return false;
        }
        while (counts.size() < 3) counts.push_back(builder_.index(1));
        ValueId total = counts[0];
        for (size_t i = 1; i < counts.size(); ++i) total = builder_.mul(total, counts[i]);
        totals.insert(totals.end(), counts.begin(), counts.end());
        totals.push_back(total);
        return true;
    }

    ValueId at_least_zero(ValueId count) {
        return builder_.maximum(builder_.cast(count, DType::index), builder_.index(0));
    }

    Values explicit_counts(const Function& kernel) {
        Values counts;
        for (ValueId group : groups_) counts.push_back(at_least_zero(group));
        if (!kernel.kernel.flat && !kernel.kernel.elements) return counts;
        ValueId total = counts[0];
        for (size_t i = 1; i < counts.size(); ++i) total = builder_.mul(total, counts[i]);
        if (kernel.kernel.flat) return {builder_.mul(total, builder_.index(kFlatGroup))};
        // All elements are done by however many groups there are; by none nothing is.
        ValueId any = builder_.gt(total, builder_.index(0));
        return {builder_.select(any, kernel_counts(kernel)[0], builder_.index(0))};
    }

    // The kernel's launch region over the arguments of this call.
    Values kernel_counts(const Function& kernel) {
        ValueMap values;
        for (size_t i = 0; i < kernel.params().size(); ++i) values[kernel.params()[i]] = arguments_[i];
        Cloner cloner(kernel, host_, values);
        cloner.place = [&](PlaceId) { return builder_.place(); };
        cloner.replaces = [&](Builder& at, OpId id) {
            const Op& op = kernel.op(id);
            if (op.kind != OpKind::dim) return false;
            values[op.results[0]] =
                dim_code(op.attrs.dim(Attr::dim), at, [&](const std::string& name) { return symbols_.at(name); });
            return true;
        };
        Values counts = cloner.contents(builder_, kernel.kernel.launch);
        for (ValueId& count : counts) count = at_least_zero(count);
        return counts;
    }

    Function& host_;
    OpId launch_;
    std::vector<const Function*> kernels_;
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
        std::vector<const Function*> kernels;
        for (const std::string& point : LaunchOp(host, id).points()) kernels.push_back(context.module.find(point));
        const bool known = std::ranges::find(kernels, nullptr) == kernels.end();
        if (known) good &= Lowering(host, id, std::move(kernels), context.diagnostics).run();
    }
    return good;
}

}  // namespace tsr::ir
