#include "ir/passes/graph/lower_fusions.h"

#include <deque>
#include <map>

#include <fmt/format.h>

#include "base/cancel.h"
#include "ir/build/builder.h"
#include "ir/ops/control.h"
#include "ir/ops/effects.h"
#include "ir/passes/graph/fused_call.h"
#include "ir/passes/graph/gathered_kernel.h"
#include "ir/passes/graph/held_rows.h"
#include "ir/passes/graph/indexed_code.h"
#include "ir/passes/graph/packed_results.h"
#include "ir/passes/graph/product_kernel.h"
#include "ir/text/print.h"

namespace tsr::ir {

namespace {

bool form_all(Module& module, const FusionObserver& observer, const GivenFusions& given, Diagnostics& diagnostics) {
    std::set<std::string> names;
    for (const Function& function : module.functions) names.insert(function.name);
    std::deque<Function> functions;
    std::deque<Function> fused;
    for (Function& function : module.functions) {
        if (function.level != Level::graph) {
            functions.push_back(std::move(function));
            continue;
        }
        stop_if_cancelled();
        GivenOrders orders(function, given, diagnostics);
        FormedFusions formed = form_fusions(function, names, orders.orders());
        orders.check(formed);
        if (observer) observer(function, formed);
        functions.push_back(std::move(formed.host));
        for (FormedFusions::Fused& one : formed.fused) fused.push_back(std::move(one.function));
    }
    for (Function& one : fused) functions.push_back(std::move(one));
    module.functions = std::move(functions);
    return true;
}

// Combines the partial results that a sum has of each chunk.
Function combining_parts(const Function& fused, ValueId sum) {
    const Op& reduce = fused.op(fused.value(sum).op);
    Function total;
    total.level = Level::graph;
    total.share_places(fused);
    total.place = reduce.place;
    total.symbols = {"d0"};
    const DType elem = fused.type(sum).elem;
    const ValueId parts = total.add_arg(total.body, Type::tensor(elem, {Dim::symbol("d0")}, false), "parts");
    Builder builder = Builder::at_end(total, total.body);
    builder.set_place(total.place);
    const ValueId all =
        builder.value(OpKind::reduce, {parts}, {{Attr::op, reduce.attrs.integer(Attr::op)}, {Attr::axis, int64_t{0}}});
    builder.yield({all});
    total.results = {total.type(all)};
    return total;
}

class FusionLowering {
public:
    FusionLowering(Module& module, const KernelObserver& observer) : module_(module), observer_(observer) {}

    void run() {
        std::deque<Function> functions;
        for (Function& function : module_.functions) {
            if (function.level == Level::graph) {
                add(std::move(function));
            } else {
                functions.push_back(std::move(function));
            }
        }
        for (Function& host : functions) {
            if (host.level == Level::host) lower_calls(host);
        }
        for (Function& kernel : kernels_) functions.push_back(std::move(kernel));
        module_.functions = std::move(functions);
    }

private:
    static std::vector<FusedKernel*> kernels_of(StepCode& code) {
        std::vector<FusedKernel*> all;
        for (FusedKernel& kernel : code.steps.kernels) all.push_back(&kernel);
        if (code.short_steps) {
            for (FusedKernel& kernel : code.short_steps->kernels) all.push_back(&kernel);
        }
        for (StepCode::OnGpu& other : code.on_gpu) {
            for (FusedKernel& kernel : other.steps.kernels) all.push_back(&kernel);
        }
        return all;
    }
    static std::vector<FusedKernel*> kernels_of(FusedCode& code) {
        if (code.alone) return kernels_of(*code.alone);
        std::vector<FusedKernel*> all{&code.kernel};
        if (code.short_rows) all.push_back(&*code.short_rows);
        for (FusedCode::OnGpu& other : code.on_gpu) all.push_back(&other.kernel);
        for (FusedKernel& total : code.totals) {
            if (!total.shapes.empty()) all.push_back(&total);
        }
        return all;
    }

    void add(Function fused) {
        stop_if_cancelled();
        const std::string name = std::exchange(fused.name, "fused");
        const auto [same, is_new] = code_of_text_.try_emplace(text_of_code(fused), codes_.size());
        if (is_new) {
            codes_.push_back(code_of(std::move(fused), name));
            for (FusedKernel* kernel : kernels_of(codes_.back())) add_kernel(kernel->kernel);
        }
        code_of_name_[name] = same->second;
        if (observer_) observer_(name, kernels_of(codes_[same->second]).front()->kernel.name);
    }

    // Launches then name the first kernel with that code.
    void add_kernel(Function& kernel) {
        const std::string name = std::exchange(kernel.name, "kernel");
        const auto [same, is_new] = kernel_of_text_.try_emplace(text_of_code(kernel), name);
        kernel.name = same->second;
        if (is_new) kernels_.push_back(kernel);
    }

    // What does rows where the program runs on a GPU.
    static std::vector<FusedCode::OnGpu> code_on_gpu(const Function& fused, const FusedAxes& axes, RowWork work,
                                                     const std::string& name) {
        std::vector<FusedCode::OnGpu> all;
        const auto add = [&](std::string_view what, RowTile tile, int64_t longest) {
            all.push_back({fused_kernel(fused, axes, work, tile), longest});
            all.back().kernel.kernel.name = fmt::format("{}.{}{}", name, what, tile.width);
        };
        if (work == RowWork::chunks) add("chunks", {}, kAnyLength);
        if (work == RowWork::group) {
            for (const RowsOnGpu& rows : rows_on_gpu(fused, axes))
                add(rows.tile.holds ? "held" : "long", rows.tile, rows.longest);
        }
        return all;
    }

    static FusedCode code_of(Function fused, const std::string& name) {
        FusedCode code;
        const auto named = [&](FusedKernel kernel, const std::string& suffix) {
            kernel.kernel.name = name + suffix;
            return kernel;
        };
        if (product_in(fused).valid()) {
            code.kernel = named(product_kernel(fused), "");
            code.fused = std::move(fused);
            return code;
        }
        const OpId alone = alone_in(fused);
        if (alone.valid() || packs_codes(fused)) {
            code.alone = alone.valid() ? indexed_code(fused, alone) : packing_code(fused);
            size_t number = 0;
            for (FusedKernel* kernel : kernels_of(*code.alone)) {
                kernel->kernel.name = number == 0 ? name : name + "." + std::to_string(number);
                ++number;
            }
            code.fused = std::move(fused);
            return code;
        }
        if (gathers(fused)) {
            code.kernel = named(gathered_kernel(fused), "");
            code.fused = std::move(fused);
            return code;
        }
        const FusedAxes axes = fused_axes(fused);
        const RowWork work = row_work(fused, axes);
        code.on_gpu = code_on_gpu(fused, axes, work, name);
        const RowTile tile{.width = code.on_gpu.empty() ? kRowTile : kRowTileOnCpu};
        code.kernel = named(fused_kernel(fused, axes, work, tile), "");
        if (axes.axis) code.row = axes.extents[*axes.axis];
        if (work == RowWork::chunks) {
            const ValueSpan results = yielded(fused, fused.body);
            for (size_t i = 0; i < results.size(); ++i) {
                code.totals.emplace_back();
                if (!combines(fused, fused.value(results[i]).op)) continue;
                const Function total = combining_parts(fused, results[i]);
                code.totals[i] = named(fused_kernel(total, fused_axes(total), RowWork::group),
                                       ".total" + (results.size() > 1 ? std::to_string(i) : std::string()));
            }
        } else if (work != RowWork::lane) {
            for (size_t axis : work == RowWork::block ? block_axes(fused, axes) : std::vector{*axes.axis}) {
                if (!axes.extents[axis].constant_value()) code.rows.push_back(axes.extents[axis]);
            }
            if (!code.rows.empty()) code.short_rows = named(fused_kernel(fused, axes, RowWork::lane), ".short");
        }
        code.fused = std::move(fused);
        return code;
    }

    void lower_calls(Function& host) {
        std::vector<OpId> calls;
        for_each_op(host, host.body, [&](OpId id) {
            if (host.op(id).kind == OpKind::call && code_of_name_.contains(CallOp(host, id).callee()))
                calls.push_back(id);
        });
        for (OpId call : calls) lower_fused_call(host, call, codes_[code_of_name_.at(CallOp(host, call).callee())]);
    }

    Module& module_;
    const KernelObserver& observer_;
    std::deque<FusedCode> codes_;
    std::deque<Function> kernels_;
    std::map<std::string, std::string> kernel_of_text_;  // its name
    std::map<std::string, size_t> code_of_text_, code_of_name_;
};

}  // namespace

ModulePass form_fusions_pass(FusionObserver observer, const GivenFusions& given) {
    return {"form_fusions", [observer = std::move(observer), given](Module& module, PassContext& context) {
                return form_all(module, observer, given, context.diagnostics);
            }};
}

ModulePass lower_fusions_pass(KernelObserver observer) {
    return {"lower_fusions", [observer = std::move(observer)](Module& module, PassContext&) {
                FusionLowering(module, observer).run();
                return true;
            }};
}

}  // namespace tsr::ir
