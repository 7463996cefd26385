#include "ir/passes/graph/fused_call.h"

#include <functional>
#include <map>
#include <utility>

#include "ir/build/dim_code.h"
#include "ir/ops/control.h"
#include "ir/ops/handle.h"

namespace tsr::ir {

namespace {

class FusedCallLowering {
public:
    FusedCallLowering(Function& host, OpId call, const FusedCode& code)
        : host_(host), call_(call), code_(code), builder_(Builder::at(host, call)) {}

    void run() {
        bind_symbols();
        const Function& fused = code_.fused;
        const ValueSpan yields = yielded(fused, fused.body);
        Values results;
        for (ValueId v : yields) results.push_back(allocate(fused.type(v)));
        if (code_.alone) {
            by_steps(*code_.alone, results);
        } else if (!code_.totals.empty()) {
            by_chunks(results);
        } else if (code_.short_rows) {
            const Launch lanes = prepared(*code_.short_rows, shaped_results(*code_.short_rows, results));
            const Launch groups = prepared(code_.kernel, shaped_results(code_.kernel, results));
            ValueId shortest = value_of(code_.rows.front());
            for (size_t i = 1; i < code_.rows.size(); ++i)
                shortest = builder_.minimum(shortest, value_of(code_.rows[i]));
            builder_.if_(
                builder_.lt(shortest, builder_.index(kShortRow)), [&](Builder& body) { return launch(body, lanes); },
                [&](Builder& body) { return launch(body, groups); });
        } else {
            launch(builder_, prepared(code_.kernel, shaped_results(code_.kernel, results)));
        }
        std::vector<ValueId> to(host_.value_count());
        for (size_t i = 0; i < yields.size(); ++i) {
            const Type& type = fused.type(yields[i]);
            const ValueId given =
                type.is_scalar() ? one(builder_.host("item", {results[i]}, {Type::scalar(type.elem)})) : results[i];
            to.resize(host_.value_count());
            to[host_.op(call_).results[i].index] = given;
            const Value& was = host_.value(host_.op(call_).results[i]);
            host_.value(given).name = was.name;
            host_.value(given).type = was.type;  // in the words that loops around have for it
        }
        to.resize(host_.value_count());
        host_.replace_uses(to);
        host_.remove(call_);
    }

private:
    // ---- dimensions ----
    struct Symbol {
        ValueId value;
        Dim dim;  // in the host function's own symbols
    };

    // From the arguments' shapes, and from arguments that are dimensions.
    void bind_symbols() {
        const Function& fused = code_.fused;
        for (size_t i = 0; i < fused.params().size(); ++i) {
            const Value& param = fused.value(fused.params()[i]);
            const ValueId argument = host_.op(call_).operands[i];
            if (param.role.kind == ParamRole::Kind::dimension) {
                const std::string& symbol = fused.symbols[static_cast<size_t>(param.role.number)];
                const auto known = defined_by(host_, argument, OpKind::dim);
                symbols_[symbol] = {argument, known ? DimOp(host_, *known).dim() : Dim::symbol(symbol)};
            }
            for (size_t axis = 0; axis < param.type.rank(); ++axis) {
                const auto symbol = param.type.shape[axis].symbol_name();
                if (!symbol || symbols_.contains(*symbol)) continue;
                const Dim here = host_.type(argument).shape[axis];
                symbols_[*symbol] = {builder_.shape_of(argument, static_cast<int64_t>(axis)), here};
            }
        }
    }

    ValueId value_of(const Dim& dim) {
        return dim_code(dim, builder_, [&](const std::string& symbol) { return symbols_.at(symbol).value; });
    }

    Values extents_of(const std::vector<Dim>& shape) {
        Values extents;
        for (const Dim& extent : shape) extents.push_back(value_of(extent));
        return extents;
    }

    // ---- tensors ----
    Type tensor_here(const Type& like, std::vector<Dim> shape) const {
        for (Dim& extent : shape) {
            extent = extent.substitute([&](const std::string& name) { return std::optional(symbols_.at(name).dim); });
        }
        return Type::tensor(like.elem, std::move(shape), true, like.policy);
    }
    ValueId one(OpId op) const { return host_.op(op).results[0]; }

    ValueId empty(const Type& like, const std::vector<Dim>& shape) {
        return one(builder_.host("empty", extents_of(shape), {tensor_here(like, shape)}, {{Attr::type, like.elem}}));
    }
    ValueId allocate(const Type& type) {
        return empty(type, type.is_scalar() ? std::vector<Dim>{Dim::constant(1)} : type.shape);
    }

    // The same elements in the shape that a kernel takes. `from`: its shape in the fused function.
    ValueId shaped(ValueId tensor, const std::vector<Dim>& from, const std::vector<Dim>& to) {
        if (from == to) return tensor;
        Values operands = extents_of(to);
        operands.insert(operands.begin(), tensor);
        const Type type = tensor_here(host_.type(tensor), to);
        return one(builder_.host("reshape", std::move(operands), {type}));
    }

    // ---- launches ----
    struct Launch {
        std::string kernel;
        Values operands;
        std::vector<std::string> symbols;
    };

    void add_symbols(Launch& launch, const FusedKernel& kernel) {
        launch.kernel = kernel.kernel.name;
        launch.symbols = kernel.kernel.symbols;
        for (const Dim& symbol : kernel.symbols) launch.operands.push_back(value_of(symbol));
    }

    // The results in the shapes that the kernel takes; those that chunks give parts of as they are.
    Values shaped_results(const FusedKernel& kernel, const Values& results) {
        const Function& fused = code_.fused;
        const size_t inputs = kernel.shapes.size() - results.size();
        Values shapes;
        for (size_t i = 0; i < results.size(); ++i) {
            const Type& type = fused.type(yielded(fused, fused.body)[i]);
            const std::vector<Dim> from = type.is_scalar() ? std::vector<Dim>{Dim::constant(1)} : type.shape;
            const bool partial = !code_.totals.empty() && !code_.totals[i].shapes.empty();
            shapes.push_back(partial ? results[i] : shaped(results[i], from, kernel.shapes[inputs + i]));
        }
        return shapes;
    }

    Launch prepared(const FusedKernel& kernel, const Values& shaped_results) {
        const Function& fused = code_.fused;
        Launch launch;
        size_t next = 0;
        for (size_t i = 0; i < fused.params().size(); ++i) {
            const Value& param = fused.value(fused.params()[i]);
            if (param.role.kind == ParamRole::Kind::dimension) continue;
            ValueId argument = host_.op(call_).operands[i];
            if (!param.type.is_scalar()) {
                const Type dense = host_.type(argument);
                argument = one(builder_.host("contiguous", {argument}, {dense}));
                argument = shaped(argument, param.type.shape, kernel.shapes[next]);
            }
            launch.operands.push_back(argument);
            ++next;
        }
        launch.operands.insert(launch.operands.end(), shaped_results.begin(), shaped_results.end());
        add_symbols(launch, kernel);
        return launch;
    }

    static Values launch(Builder& where, const Launch& launch) {
        Attrs attrs{{Attr::callee, launch.kernel}};
        if (!launch.symbols.empty()) attrs.set(Attr::names, launch.symbols);
        where.emit(OpKind::launch, launch.operands, std::move(attrs), {});
        return {};
    }

    // Partial results of each chunk, then one result of those.
    void by_chunks(Values& results) {
        const Function& fused = code_.fused;
        const size_t inputs = code_.kernel.shapes.size() - results.size();
        Values targets = shaped_results(code_.kernel, results);
        for (size_t i = 0; i < results.size(); ++i) {
            if (code_.totals[i].shapes.empty()) continue;  // a result along the axis
            targets[i] = empty(fused.type(yielded(fused, fused.body)[i]), code_.kernel.shapes[inputs + i]);
        }
        launch(builder_, prepared(code_.kernel, targets));
        for (size_t i = 0; i < results.size(); ++i) {
            const FusedKernel& total = code_.totals[i];
            if (total.shapes.empty()) continue;
            Launch sum{
                .kernel = total.kernel.name, .operands = {targets[i], results[i]}, .symbols = total.kernel.symbols};
            // Its only symbol is the number of chunks.
            for (size_t k = 0; k < sum.symbols.size(); ++k) sum.operands.push_back(builder_.shape_of(targets[i], 0));
            launch(builder_, sum);
        }
    }

    // ---- operations that stand alone ----
    std::vector<Launch> prepared_steps(const KernelSteps& steps, const Values& results) {
        const Function& fused = code_.fused;
        struct Given {
            ValueId tensor;
            std::vector<Dim> shape;
        };
        std::vector<Given> all;
        for (size_t i = 0; i < fused.params().size(); ++i) {
            const Value& param = fused.value(fused.params()[i]);
            if (param.role.kind == ParamRole::Kind::dimension) continue;
            const ValueId argument = host_.op(call_).operands[i];
            const Type type = host_.type(argument);
            all.push_back({one(builder_.host("contiguous", {argument}, {type})), param.type.shape});
        }
        for (size_t i = 0; i < results.size(); ++i) {
            const Type& type = fused.type(yielded(fused, fused.body)[i]);
            all.push_back({results[i], type.is_scalar() ? std::vector<Dim>{Dim::constant(1)} : type.shape});
        }
        for (const Type& type : steps.temporaries) all.push_back({empty(type, type.shape), type.shape});
        std::vector<Launch> launches;
        for (const KernelStep& step : steps.steps) {
            const FusedKernel& kernel = steps.kernels[step.kernel];
            Launch launch;
            for (size_t i = 0; i < step.tensors.size(); ++i) {
                const Given& given = all[step.tensors[i]];
                launch.operands.push_back(shaped(given.tensor, given.shape, kernel.shapes[i]));
            }
            for (int64_t number : step.numbers) launch.operands.push_back(builder_.index(number));
            add_symbols(launch, kernel);
            launches.push_back(std::move(launch));
        }
        return launches;
    }

    void by_steps(const StepCode& code, const Values& results) {
        if (code.not_empty && !code.not_empty->constant_value()) {
            builder_.assert_(builder_.gt(value_of(*code.not_empty), builder_.index(0)),
                             "an axis without elements has none that is the greatest or the least");
        }
        if (code.enough && !code.enough->constant_value()) {
            const ValueId count = builder_.index(code.count), length = value_of(*code.enough);
            builder_.emit(OpKind::assert_, {builder_.ge(length, count), length, count},
                          {{Attr::text, std::string("an axis of {} elements has no first {}")}});
        }
        if (!code.short_steps) {
            by_machine(code, results);
            return;
        }
        builder_.if_(
            builder_.lt(value_of(code.row), builder_.index(kShortRow)),
            [&](Builder& body) { return inside(body, [&] { launch_steps(*code.short_steps, results); }); },
            [&](Builder& body) { return inside(body, [&] { by_machine(code, results); }); });
    }

    void launch_steps(const KernelSteps& steps, const Values& results) {
        for (const Launch& each : prepared_steps(steps, results)) launch(builder_, each);
    }

    // What is made for GPUs, where the program runs on one.
    void by_machine(const StepCode& code, const Values& results) {
        if (code.on_gpu.empty()) {
            launch_steps(code.steps, results);
            return;
        }
        const ValueId given = host_.op(call_).operands.front();
        const ValueId dense = one(builder_.host("contiguous", {given}, {host_.type(given)}));
        const std::string& kernel = code.on_gpu.back().steps.kernels.front().kernel.name;
        const OpId asked = builder_.host("on_gpu", {dense}, {Type::scalar(DType::boolean)}, {{Attr::text, kernel}});
        const ValueId fits = builder_.le(value_of(code.row), builder_.index(code.on_gpu.back().longest));
        builder_.if_(
            builder_.bit_and(one(asked), fits),
            [&](Builder& body) { return inside(body, [&] { by_length(code, results, 0); }); },
            [&](Builder& body) { return inside(body, [&] { launch_steps(code.steps, results); }); });
    }

    void by_length(const StepCode& code, const Values& results, size_t first) {
        const StepCode::OnGpu& here = code.on_gpu[first];
        if (first + 1 == code.on_gpu.size()) {
            launch_steps(here.steps, results);
            return;
        }
        builder_.if_(
            builder_.le(value_of(code.row), builder_.index(here.longest)),
            [&](Builder& body) { return inside(body, [&] { launch_steps(here.steps, results); }); },
            [&](Builder& body) { return inside(body, [&] { by_length(code, results, first + 1); }); });
    }

    // What is built meanwhile stands in this region.
    Values inside(const Builder& region, const std::function<void()>& build) {
        const RegionId outer = std::exchange(inside_, region.region());
        builder_.to_end_of(inside_);
        build();
        inside_ = outer;
        outer.valid() ? builder_.to_end_of(outer) : builder_.before(call_);
        return {};
    }

    Function& host_;
    OpId call_;
    const FusedCode& code_;
    Builder builder_;
    RegionId inside_;  // of a branch that it is in
    std::map<std::string, Symbol> symbols_;
};

}  // namespace

void lower_fused_call(Function& host, OpId call, const FusedCode& code) { FusedCallLowering(host, call, code).run(); }

}  // namespace tsr::ir
