#include "ir/passes/graph/fused_function.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "ir/passes/graph/axis_map.h"

namespace tsr::ir {

namespace {

class FusedFunctionMaker {
public:
    FusedFunctionMaker(const Function& graph, const Fusion& fusion) : graph_(graph), fusion_(fusion) {
        made_.function.level = Level::graph;
        made_.function.share_places(graph);
        made_.function.place = graph.op(fusion.ops.front()).place;
        members_.insert(fusion.ops.begin(), fusion.ops.end());
    }

    FusedFunction run(const std::vector<ValueId>& outputs) {
        for (OpId id : fusion_.ops) {
            for (ValueId v : graph_.op(id).operands) find_inputs(v, takes_whole_tensors(graph_.op(id).kind));
        }
        // Tensors first: their extents name the symbols.
        std::ranges::stable_partition(made_.inputs, [&](ValueId v) { return !graph_.type(v).is_scalar(); });
        for (ValueId v : made_.inputs) add_parameter(v);
        Function& fn = made_.function;
        for (OpId id : fusion_.ops) copy(graph_.op(id).results[0]);
        std::vector<ValueId> yields;
        for (ValueId v : outputs) {
            yields.push_back(in_whole_bytes(values_.at(v), takes_whole_tensors(graph_.op(graph_.value(v).op).kind)));
            fn.results.push_back(fn.type(yields.back()));
        }
        for (size_t i = 0; i < made_.dimensions.size(); ++i) {
            const ValueId arg = fn.add_arg(fn.body, Type::scalar(DType::index));
            fn.value(arg).role = {.kind = ParamRole::Kind::dimension, .number = extra_symbols_[i]};
        }
        fn.append(fn.body, fn.add_op(OpKind::yield, fn.place, std::move(yields), {}));
        return std::move(made_);
    }

private:
    bool is_inside(ValueId v) const {
        const OpId op = graph_.value(v).op;
        if (!op.valid()) return false;
        return members_.contains(op) || moves_elements(graph_, op) || graph_.op(op).kind == OpKind::constant;
    }

    // `whole`: it is taken as a tensor, and not read through movements.
    void find_inputs(ValueId v, bool whole) {
        if (!seen_.insert(v).second) return;
        if (whole || !is_inside(v)) {
            made_.inputs.push_back(v);
            return;
        }
        for (ValueId operand : graph_.op(graph_.value(v).op).operands) find_inputs(operand, false);
    }

    void add_parameter(ValueId v) {
        Type type = graph_.type(v);
        type.mut = false;
        for (Dim& extent : type.shape) extent = named(extent);
        values_[v] = made_.function.add_arg(made_.function.body, std::move(type), graph_.value(v).name);
    }

    std::string fresh_symbol() const { return "d" + std::to_string(made_.function.symbols.size()); }

    // The symbol that stands for an extent of the graph.
    Dim named(const Dim& extent) {
        if (extent.constant_value()) return extent;
        const auto [found, is_new] = names_.try_emplace(extent.text(), fresh_symbol());
        if (is_new) made_.function.symbols.push_back(found->second);
        return Dim::symbol(found->second);
    }
    // The same, also where no parameter has it.
    Dim extent_in(const Dim& extent) {
        const size_t known = made_.function.symbols.size();
        Dim dim = named(extent);
        if (made_.function.symbols.size() > known) {
            made_.dimensions.push_back(extent);
            extra_symbols_.push_back(static_cast<int64_t>(known));
        }
        return dim;
    }

    // Not by `Cloner`: an extent as a whole becomes a symbol here, not the symbols in it.
    ValueId copy(ValueId v) {
        if (const auto found = values_.find(v); found != values_.end()) return found->second;
        Function& fn = made_.function;
        const OpId from = graph_.value(v).op;
        const Op& op = graph_.op(from);
        std::vector<ValueId> operands;
        for (ValueId operand : op.operands) operands.push_back(copy(operand));
        Attrs attrs = op.attrs;
        if (attrs.has(Attr::shape)) {
            std::vector<Dim> shape = attrs.dims(Attr::shape);
            for (Dim& extent : shape) extent = extent_in(extent);
            attrs.set(Attr::shape, std::move(shape));
        }
        Type type = graph_.type(v);
        for (Dim& extent : type.shape) extent = extent_in(extent);
        const OpId made = fn.add_op(op.kind, op.place, std::move(operands), {std::move(type)}, std::move(attrs));
        fn.append(fn.body, made);
        return values_[v] = fn.op(made).results[0];
    }

    // A kernel does not write elements that share a byte: it gives them in a type that holds each exactly.
    ValueId in_whole_bytes(ValueId v, bool alone) {
        Function& fn = made_.function;
        Type type = fn.type(v);
        if (alone || !is_packed(type.elem) || type.is_scalar()) return v;
        type.elem = type.elem == DType::i4 ? DType::i8 : DType::fp8_e4m3;
        const OpId made = fn.add_op(OpKind::cast, fn.op(fn.value(v).op).place, {v}, {type}, {{Attr::type, type.elem}});
        fn.append(fn.body, made);
        return fn.op(made).results[0];
    }

    const Function& graph_;
    const Fusion& fusion_;
    FusedFunction made_;
    std::set<OpId> members_;
    std::set<ValueId> seen_;
    std::map<std::string, std::string> names_;  // extents of the graph, by text: their symbols
    std::vector<int64_t> extra_symbols_;
    std::unordered_map<ValueId, ValueId> values_;
};

}  // namespace

FusedFunction fused_function(const Function& graph, const Fusion& fusion, const std::vector<ValueId>& outputs) {
    return FusedFunctionMaker(graph, fusion).run(outputs);
}

}  // namespace tsr::ir
