#include "ir/passes/graph/fused_call.h"

#include <functional>
#include <map>
#include <span>
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
            ValueId shortest = value_of(code_.rows.front());
            for (size_t i = 1; i < code_.rows.size(); ++i)
                shortest = builder_.minimum(shortest, value_of(code_.rows[i]));
            builder_.if_(
                builder_.lt(shortest, builder_.index(kShortRow)),
                [&](Builder& body) { return inside(body, [&] { launch_kernel(*code_.short_rows, results); }); },
                [&](Builder& body) { return inside(body, [&] { rows(results); }); });
        } else {
            rows(results);
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
            const bool partial = !code_.totals.empty() && is_partial(i);
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

    // One chunk gives the results themselves, more give partial results.
    void by_chunks(const Values& results) {
        const auto known = code_.row.constant_value();
        if (known && *known > 0 && *known <= kChunk) return by_one_chunk(results);
        if (known) return by_many_chunks(results);
        const ValueId length = value_of(code_.row);
        const ValueId is_one =
            builder_.bit_and(builder_.gt(length, builder_.index(0)), builder_.le(length, builder_.index(kChunk)));
        builder_.if_(
            is_one, [&](Builder& body) { return inside(body, [&] { by_one_chunk(results); }); },
            [&](Builder& body) { return inside(body, [&] { by_many_chunks(results); }); });
    }

    // Whether the chunks give parts of this result; otherwise it lies along the axis.
    [[nodiscard]] bool is_partial(size_t result) const { return !code_.totals[result].shapes.empty(); }

    void by_one_chunk(const Values& results) {
        const size_t inputs = code_.kernel.shapes.size() - results.size();
        Values targets = shaped_results(code_.kernel, results);
        for (size_t i = 0; i < results.size(); ++i) {
            if (is_partial(i)) targets[i] = shaped(results[i], {Dim::constant(1)}, code_.kernel.shapes[inputs + i]);
        }
        by_machine(targets);
    }

    // Partial results of each chunk, then one result of those.
    void by_many_chunks(const Values& results) {
        const Function& fused = code_.fused;
        const size_t inputs = code_.kernel.shapes.size() - results.size();
        Values targets = shaped_results(code_.kernel, results);
        for (size_t i = 0; i < results.size(); ++i) {
            if (is_partial(i))
                targets[i] = empty(fused.type(yielded(fused, fused.body)[i]), code_.kernel.shapes[inputs + i]);
        }
        by_machine(targets);
        for (size_t i = 0; i < results.size(); ++i) {
            if (!is_partial(i)) continue;
            const FusedKernel& total = code_.totals[i];
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

    void by_machine(const StepCode& code, const Values& results) {
        std::vector<OfLength> on_gpu;
        for (const StepCode::OnGpu& each : code.on_gpu) {
            on_gpu.push_back(
                {each.longest, each.steps.kernels.front().kernel.name, [&] { launch_steps(each.steps, results); }});
        }
        by_machine(code.row, on_gpu, {results.front()}, [&] { launch_steps(code.steps, results); });
    }

    // ---- by machine ----
    // What does rows of no more than so many elements.
    struct OfLength {
        int64_t longest;
        std::string kernel;
        std::function<void()> launch;
    };

    void rows(const Values& results) { by_machine(shaped_results(code_.kernel, results)); }

    // The results in the shapes that the kernels take, which are the same on all machines.
    void by_machine(const Values& shaped) {
        std::vector<OfLength> on_gpu;
        for (const FusedCode::OnGpu& each : code_.on_gpu) {
            on_gpu.push_back(
                {each.longest, each.kernel.kernel.name, [&] { launch(builder_, prepared(each.kernel, shaped)); }});
        }
        by_machine(code_.row, on_gpu, shaped, [&] { launch(builder_, prepared(code_.kernel, shaped)); });
    }

    void launch_kernel(const FusedKernel& kernel, const Values& results) {
        launch(builder_, prepared(kernel, shaped_results(kernel, results)));
    }

    // What is made for GPUs, where the program runs on one that can have all tensors: the longest rows have code there
    // if any have.
    void by_machine(const Dim& row, const std::vector<OfLength>& on_gpu, const Values& results,
                    const std::function<void()>& anywhere) {
        if (on_gpu.empty()) return anywhere();
        ValueId asked;
        const auto ask = [&](ValueId tensor) {
            const OpId op =
                builder_.host("on_gpu", {tensor}, {Type::scalar(DType::boolean)}, {{Attr::text, on_gpu.back().kernel}});
            asked = asked.valid() ? builder_.bit_and(asked, one(op)) : one(op);
        };
        for (const ValueId argument : host_.op(call_).operands) {
            if (host_.type(argument).kind != TypeKind::tensor) continue;
            ask(one(builder_.host("contiguous", {argument}, {host_.type(argument)})));
        }
        for (const ValueId result : results) ask(result);
        const int64_t longest = on_gpu.back().longest;
        if (row.constant_value().value_or(kAnyLength) > longest) asked = builder_.bit_and(asked, fits(row, longest));
        builder_.if_(
            asked, [&](Builder& body) { return inside(body, [&] { by_length(row, on_gpu); }); },
            [&](Builder& body) { return inside(body, anywhere); });
    }

    ValueId fits(const Dim& row, int64_t longest) { return builder_.le(value_of(row), builder_.index(longest)); }

    void by_length(const Dim& row, std::span<const OfLength> all) {
        if (all.size() == 1) return all.front().launch();
        builder_.if_(
            fits(row, all.front().longest), [&](Builder& body) { return inside(body, all.front().launch); },
            [&](Builder& body) { return inside(body, [&] { by_length(row, all.subspan(1)); }); });
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
