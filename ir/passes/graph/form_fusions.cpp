#include "ir/passes/graph/form_fusions.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "ir/build/builder.h"
#include "ir/build/clone.h"
#include "ir/build/dim_code.h"
#include "ir/ops/bound_dim.h"
#include "ir/ops/effects.h"
#include "ir/ops/handle.h"
#include "ir/ops/host.h"
#include "ir/passes/graph/axis_map.h"
#include "ir/passes/graph/fused_function.h"
#include "ir/passes/graph/fusions.h"
#include "ir/passes/graph/packed_results.h"

namespace tsr::ir {

namespace {

class FusionFormer {
public:
    FusionFormer(const Function& graph, const std::set<std::string>& taken, const FusionOrders& orders)
        : graph_(graph),
          orders_(orders),
          uses_(graph.value_count()),
          taken_(taken),
          entry_symbols_(bound_by_parameters(graph)) {
        for_each_op(graph, graph.body, [&](OpId id) {
            for (ValueId v : graph.op(id).operands) uses_[v.index].push_back(id);
        });
    }

    FormedFusions run() {
        host_ = empty_host_of(graph_);
        for (size_t i = 0; i < graph_.params().size(); ++i) values_[graph_.params()[i]] = host_.params()[i];
        block(graph_.body, host_.body);
        return {std::move(host_), std::move(fused_), std::move(refused_)};
    }

private:
    // One region of the graph and the fusions in it.
    struct Block {
        RegionId from, to;
        Fusions fusions;
        std::set<OpId> done;
        std::map<size_t, std::string> called;  // the fused functions of fusions
    };

    void block(RegionId from, RegionId to) {
        Block b{.from = from, .to = to, .fusions = choose_fusions(graph_, from, orders_), .done = {}, .called = {}};
        refused_.insert(refused_.end(), b.fusions.refused.begin(), b.fusions.refused.end());
        // What is not pure keeps its order, and what gives extents their values; the rest is made where it is needed.
        for (OpId id : graph_.region(from).ops) {
            const bool stays = !is_pure(graph_.op(id).kind) || BoundDimOp::is_one(graph_.op(id));
            if (stays && !b.fusions.of.contains(id)) make(b, id);
        }
    }

    // Not by `Cloner`: operations are made in the order in which they are needed, and fusions of them become calls.
    void make(Block& b, OpId id) {
        if (!b.done.insert(id).second) return;
        if (const auto in = b.fusions.of.find(id); in != b.fusions.of.end()) return call(b, in->second);
        const Op& op = graph_.op(id);
        need_all(b, id);
        if (op.kind == OpKind::launch) return launch(b, id);
        Values operands;
        for (ValueId v : op.operands) operands.push_back(values_.at(v));
        if (op.kind == OpKind::reshape) return keep(op.results[0], view_in_shape(b, op, operands.front()));
        if (op.kind == OpKind::yield && b.from == graph_.body) own_results(b, operands);
        std::vector<Type> results;
        for (ValueId v : op.results) results.push_back(graph_.type(v));
        const OpId made = host_.add_op(op.kind, op.place, std::move(operands), results, op.attrs);
        host_.append(b.to, made);
        for (size_t i = 0; i < op.results.size(); ++i) keep(op.results[i], host_.op(made).results[i]);
        if (op.kind == OpKind::call) {
            host_calls_.insert(made);
            bind_extents(b, made);
        }
        for (RegionId below : op.regions) {
            const RegionId region = host_.add_region(made);
            for (ValueId arg : graph_.region(below).args)
                values_[arg] = host_.add_arg(region, graph_.type(arg), graph_.value(arg).name);
            block(below, region);
        }
    }

    // Extents that only the function of the host knew have their values from here on.
    void bind_extents(const Block& b, OpId call) {
        Builder builder = Builder::at_end(host_, b.to);
        builder.set_place(host_.op(call).place);
        for (const ValueId v : Values(host_.op(call).results)) {
            const Type type = host_.type(v);
            if (type.kind != TypeKind::tensor) continue;
            for (size_t axis = 0; axis < type.rank(); ++axis) {
                const auto symbol = type.shape[axis].symbol_name();
                const bool own = symbol && std::ranges::find(host_.symbols, *symbol) != host_.symbols.end();
                if (!own || entry_symbols_.contains(*symbol)) continue;
                const ValueId extent = builder.shape_of(v, static_cast<int64_t>(axis));
                builder.value(OpKind::dim, {extent}, {{Attr::dim, type.shape[axis]}});
            }
        }
    }

    // The tensor is there already: a view, where it is dense.
    ValueId view_in_shape(const Block& b, const Op& op, ValueId tensor) {
        Builder builder = Builder::at_end(host_, b.to);
        builder.set_place(op.place);
        const Type& type = graph_.type(op.results[0]);
        if (type.is_scalar()) return host_.op(builder.host("item", {tensor}, {type})).results[0];
        Values operands{tensor};
        for (const Dim& extent : type.shape) operands.push_back(builder.dim(extent));
        const ValueId view = host_.op(builder.host("reshape", std::move(operands), {type})).results[0];
        views_[view] = holder(tensor);
        return view;
    }
    // The value whose memory it is.
    ValueId holder(ValueId v) const {
        const auto found = views_.find(v);
        return found == views_.end() ? v : found->second;
    }

    void keep(ValueId from, ValueId to) {
        values_[from] = to;
        host_.value(to).name = graph_.value(from).name;
    }

    void need(Block& b, ValueId v) {
        const OpId from = graph_.value(v).op;
        if (from.valid() && graph_.op(from).parent == b.from) make(b, from);
    }
    // What a fusion reads through movements. Those themselves are made again in it.
    void need_source(Block& b, const AxisMap& source) {
        const OpId from = graph_.value(source.base).op;
        if (!from.valid() || !moves_elements(graph_, from)) need(b, source.base);
        for (const Start& start : source.starts) {
            for (ValueId v : start.scalars) need(b, v);
        }
    }
    void need_all(Block& b, OpId id) {
        for (ValueId v : graph_.op(id).operands) need(b, v);
        for (RegionId below : graph_.op(id).regions) {
            for_each_op(graph_, below, [&](OpId inner) {
                const bool takes_whole = takes_whole_tensors(graph_.op(inner).kind) || reshapes(graph_, inner);
                for (ValueId v : graph_.op(inner).operands) {
                    // A fusion below reads through movements that stand here.
                    const OpId from = graph_.value(v).op;
                    const bool moves = from.valid() && moves_elements(graph_, from) && !b.fusions.of.contains(from);
                    if (!moves || takes_whole) need(b, v);
                    need_source(b, through_movements(graph_, v));
                }
            });
        }
    }

    // A result is nobody else's memory: parameters, and what is given twice, are copied. What comes out of a condition
    // or loop, or of a function of the host, may be either, which is known when the program runs.
    void own_results(Block& b, Values& results) {
        std::set<ValueId> given;
        for (ValueId& v : results) {
            const bool tensor = host_.type(v).kind == TypeKind::tensor;
            const bool parameter = host_.value(holder(v)).region == host_.body;
            const OpId from = host_.value(holder(v)).op;
            const bool chosen = from.valid() && (!host_.op(from).regions.empty() || host_calls_.contains(from));
            const bool once = !parameter && given.insert(holder(v)).second;
            if (!tensor || (once && !chosen)) continue;
            Builder builder = Builder::at_end(host_, b.to);
            builder.set_place(host_.place);
            const OpId copy = builder.host(once ? "own" : "copy", {v}, {host_.type(v)});
            v = host_.op(copy).results[0];
        }
    }

    // ---- launches ----
    void launch(Block& b, OpId id) {
        const LaunchOp op(graph_, id);
        Builder builder = Builder::at_end(host_, b.to);
        builder.set_place(op.op().place);
        const auto entry = [&](const char* name, ValueId v) {
            return host_.op(builder.host(name, {v}, {host_.type(v)})).results[0];
        };
        const std::vector<int64_t> written = op.written();
        Values operands;
        for (ValueId v : op.op().operands) operands.push_back(values_.at(v));
        for (size_t i = 0; i < op.arguments().size(); ++i) {
            if (graph_.type(op.arguments()[i]).kind != TypeKind::tensor) continue;
            const bool writes = std::ranges::find(written, static_cast<int64_t>(i)) != written.end();
            const char* form = !writes ? "contiguous" : dies_in(op.arguments()[i], id) ? "own" : "copy";
            operands[i] = entry(form, operands[i]);
        }
        std::vector<Type> results;
        for (ValueId v : op.results().subspan(written.size())) results.push_back(graph_.type(v));
        Attrs attrs = op.op().attrs;
        attrs.erase(Attr::written);
        const Values given = operands;
        const OpId made = builder.emit(OpKind::launch, std::move(operands), std::move(attrs), results);
        for (size_t i = 0; i < op.op().results.size(); ++i) {
            const bool tensor = i < written.size();
            keep(op.op().results[i], tensor ? given[static_cast<size_t>(written[i])] : host_.op(made).results[0]);
        }
    }

    // Whether the operation is the only use of the value, and no loop stands between the two.
    bool dies_in(ValueId v, OpId user) const {
        if (uses_[v.index].size() != 1) return false;
        const Value& value = graph_.value(v);
        if (!value.op.valid() && value.region == graph_.body) return false;  // a parameter is the caller's
        const RegionId home = value.op.valid() ? graph_.op(value.op).parent : value.region;
        OpId at = user;
        while (graph_.op(at).parent != home) {
            at = graph_.region(graph_.op(at).parent).parent;
            if (graph_.op(at).kind != OpKind::if_) return false;
        }
        // What a condition of a loop is given, its rounds are given, too.
        const OpId around = graph_.region(home).parent;
        const bool test =
            around.valid() && graph_.op(around).kind == OpKind::while_ && graph_.op(around).regions[0] == home;
        return value.op.valid() || !test;
    }

    // ---- fusions ----
    // Whether something beside the fusion reads the value through a movement that stands in it.
    bool read_through(const Block& b, size_t number, ValueId v) const {
        return std::ranges::any_of(uses_[v.index], [&](OpId user) {
            const auto in = b.fusions.of.find(user);
            if (in == b.fusions.of.end() || in->second != number)
                return computes_tensors(graph_, user) || gathers_elements(graph_, user) || moves_elements(graph_, user);
            return moves_elements(graph_, user) && read_through(b, number, graph_.op(user).results[0]);
        });
    }

    // Whether something beside the fusion uses the value, be it through movements.
    bool leaves(const Block& b, size_t number, ValueId v) const {
        return std::ranges::any_of(uses_[v.index], [&](OpId user) {
            const auto in = b.fusions.of.find(user);
            if (in != b.fusions.of.end() && in->second == number)
                return moves_elements(graph_, user) && read_through(b, number, graph_.op(user).results[0]);
            if (in != b.fusions.of.end()) return true;
            if (!moves_elements(graph_, user)) return true;
            return leaves(b, number, graph_.op(user).results[0]);
        });
    }

    void call(Block& b, size_t number) {
        const auto [called, is_new] = b.called.emplace(number, "");
        if (!is_new) return;
        const Fusion& fusion = b.fusions.all[number];
        std::vector<ValueId> outputs;
        for (OpId id : fusion.ops) {
            b.done.insert(id);
            for (const AxisMap& source : sources_of(graph_, id)) {
                const OpId from = graph_.value(source.base).op;
                const auto in = from.valid() ? b.fusions.of.find(from) : b.fusions.of.end();
                if (in != b.fusions.of.end() && in->second == number) continue;
                takes_whole_tensors(graph_.op(id).kind) ? need(b, source.base) : need_source(b, source);
            }
            const ValueId result = graph_.op(id).results[0];
            if (leaves(b, number, result)) outputs.push_back(result);
        }
        FusedFunction fused = fused_function(graph_, fusion, outputs);
        give_codes(fused.function);
        fused.function.name = fresh_name();
        // Also where a block begins of which, in the end, no element is read: of a scalar that is repeated.
        for (ValueId v : fused.inputs) need(b, v);
        called->second = fused.function.name;
        Builder builder = Builder::at_end(host_, b.to);
        builder.set_place(fused.function.place);
        Values arguments;
        for (ValueId v : fused.inputs) arguments.push_back(values_.at(v));
        for (const Dim& dim : fused.dimensions) arguments.push_back(builder.dim(dim));
        std::vector<Type> results;
        for (size_t i = 0; i < outputs.size(); ++i) {
            results.push_back(graph_.type(outputs[i]));
            results.back().elem = fused.function.results[i].elem;
        }
        const OpId made =
            builder.emit(OpKind::call, std::move(arguments), {{Attr::callee, fused.function.name}}, results);
        fused_.push_back(
            {std::move(fused.function), fusion.ops, std::move(fused.inputs), outputs, stands_apart(b, number)});
        for (size_t i = 0; i < outputs.size(); ++i)
            keep(outputs[i], packed(builder, outputs[i], host_.op(made).results[i]));
    }

    // The value of the graph, of which a fusion gave the codes where its type is packed.
    ValueId packed(Builder& builder, ValueId v, ValueId given) {
        const Type& type = graph_.type(v);
        if (host_.type(given).elem == type.elem) return given;
        if (type.is_scalar()) return builder.bitcast(given, type.elem);
        Function packing = packing_function(graph_, v);
        packing.name = fresh_name();
        const OpId made = builder.emit(OpKind::call, {given}, {{Attr::callee, packing.name}}, {type});
        fused_.push_back({std::move(packing), {graph_.value(v).op}, {}, {v}, {}});
        return host_.op(made).results[0];
    }

    std::string fresh_name() {
        std::string name;
        do {
            name = graph_.name + "." + std::to_string(named_++);
        } while (taken_.contains(name));
        return name;
    }

    // Of each fusion that it takes values of, the first operation that does.
    static std::vector<FormedFusions::Fused::Apart> stands_apart(const Block& b, size_t number) {
        std::vector<FormedFusions::Fused::Apart> all;
        std::set<size_t> told;
        for (const Apart& apart : b.fusions.apart) {
            if (b.fusions.of.at(apart.op) == number && told.insert(apart.from).second)
                all.push_back({b.called.at(apart.from), apart.op, apart.why, apart.must});
        }
        return all;
    }

    const Function& graph_;
    const FusionOrders& orders_;
    std::vector<std::vector<OpId>> uses_;
    Function host_;
    std::vector<FormedFusions::Fused> fused_;
    std::vector<RefusedOrder> refused_;
    const std::set<std::string>& taken_;
    const std::set<std::string> entry_symbols_;
    size_t named_ = 0;
    std::unordered_map<ValueId, ValueId> values_;
    std::set<OpId> host_calls_;                   // of functions that the program has on the host
    std::unordered_map<ValueId, ValueId> views_;  // of the host function: of whose memory
};

}  // namespace

FormedFusions form_fusions(const Function& graph, const std::set<std::string>& taken, const FusionOrders& orders) {
    return FusionFormer(graph, taken, orders).run();
}

}  // namespace tsr::ir
