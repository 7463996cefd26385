#include "ir/verify/verify_rules.h"

#include <algorithm>

#include <fmt/format.h>

#include "ir/core/spell.h"
#include "ir/ops/control.h"
#include "ir/ops/graph.h"
#include "ir/ops/host.h"
#include "ir/ops/memory.h"
#include "ir/ops/record.h"
#include "ir/ops/target.h"
#include "ir/ops/tile.h"

namespace tsr::ir {

namespace {

using Messages = std::vector<std::string>;

std::vector<Type> types_of(const Function& fn, ValueSpan values) {
    std::vector<Type> types;
    for (ValueId v : values) types.push_back(fn.type(v));
    return types;
}

std::string listed(const std::vector<Type>& types) {
    std::string text = "(";
    for (const Type& type : types) text += (text.size() == 1 ? "" : ", ") + type.text();
    return text + ")";
}

void want_types(const std::vector<Type>& found, const std::vector<Type>& needed, std::string_view what, Messages& out) {
    bool all = found.size() == needed.size();
    for (size_t i = 0; all && i < found.size(); ++i) all = fits(found[i], needed[i]);
    if (!all) out.push_back(fmt::format("{} {}, needs {}", what, listed(found), listed(needed)));
}

void check_region(const Function& fn, RegionId region, const std::vector<Type>& args, const std::vector<Type>& yields,
                  Messages& out) {
    const std::vector<Type> found = types_of(fn, fn.region(region).args);
    if (found != args) out.push_back(fmt::format("a region takes {}, needs {}", listed(found), listed(args)));
    want_types(types_of(fn, yielded(fn, region)), yields, "a region yields", out);
}

void check_lanes(const Function& fn, LanesOp op, Messages& out) {
    if (op.op().operands.empty() || op.op().operands.size() % 3 != 0) {
        return out.push_back("needs lower, upper and step per axis");
    }
    std::vector<Type> args;
    for (size_t axis = 0; axis < op.axes(); ++axis) args.push_back(fn.type(op.lower(axis)));
    const std::vector<Type> yields = types_of(fn, op.yields());
    check_region(fn, op.body(), args, yields, out);
    for (ValueId bound : op.op().operands) {
        const Type& type = fn.type(bound);
        if (!type.is_scalar() || !is_integer(type.elem)) out.push_back("a bound is " + type.text());
    }
    std::vector<Type> results;
    for (const Type& type : yields) {
        if (!type.is_scalar() && !type.is_vector()) out.push_back("a lane yields " + type.text());
        results.push_back(Type::lane_array(type.elem, type.width));
    }
    want_types(types_of(fn, op.results()), results, "gives", out);
    if (op.over() != LanesOver::tiles && !results.empty()) out.push_back("only lanes over tiles yield values");
    if (op.over() == LanesOver::tiles && op.axes() != 1) out.push_back("lanes over tiles have one axis");
}

// A launch of values gives a tensor for each argument that its kernel writes.
void check_written(const Function& fn, LaunchOp launch, Messages& out) {
    const std::vector<int64_t> written = launch.written();
    if (fn.level != Level::graph) {
        if (!written.empty()) out.push_back("writes its arguments themselves: only in a graph it gives new values");
        return;
    }
    for (size_t i = 0; i < written.size(); ++i) {
        const auto number = static_cast<size_t>(written[i]);
        if (written[i] < 0 || number >= launch.arguments().size() || i >= launch.op().results.size()) {
            return out.push_back("names a written argument that is not there, or gives no tensor for it");
        }
        const Type& from = fn.type(launch.arguments()[number]);
        const Type& to = fn.type(launch.op().results[i]);
        if (from.kind != TypeKind::tensor || from.elem != to.elem || !(from.shape == to.shape))
            out.push_back(fmt::format("gives {} for the written {}", to.text(), from.text()));
    }
}

// One case per operation with regions, and what no `infer` sees.
void check_regions(const Function& fn, OpId id, Messages& out) {
    const Op& op = fn.op(id);
    if (op.kind == OpKind::for_) {
        ForOp loop(fn, id);
        const std::vector<Type> carried = types_of(fn, loop.inits());
        std::vector<Type> args = carried;
        args.insert(args.begin(), fn.type(loop.lower()));
        check_region(fn, loop.body(), args, carried, out);
    } else if (op.kind == OpKind::while_) {
        WhileOp loop(fn, id);
        const std::vector<Type> carried = types_of(fn, loop.inits());
        check_region(fn, loop.test(), carried, {Type::scalar(DType::boolean)}, out);
        check_region(fn, loop.body(), carried, carried, out);
    } else if (op.kind == OpKind::if_) {
        IfOp branch(fn, id);
        if (!fn.type(branch.condition()).is_bool())
            out.push_back("the condition is " + fn.type(branch.condition()).text());
        const std::vector<Type> results = types_of(fn, branch.results());
        check_region(fn, branch.then(), {}, results, out);
        check_region(fn, branch.otherwise(), {}, results, out);
    } else if (op.kind == OpKind::grid) {
        GridOp nest(fn, id);
        std::vector<Type> args;
        for (size_t axis = 0; axis < nest.axes(); ++axis) args.push_back(fn.type(nest.lower(axis)));
        check_region(fn, nest.body(), args, {}, out);
    } else if (op.kind == OpKind::lanes) {
        check_lanes(fn, LanesOp(fn, id), out);
    } else if (op.kind == OpKind::launch) {
        LaunchOp launch(fn, id);
        const bool fit = launch.symbol_count() + launch.group_operands() <= op.operands.size();
        if (!fit || launch.group_operands() > LaunchOp::kGrid * launch.points().size())
            out.push_back("has fewer operands than groups and symbols");
        if (launch.points().empty() || launch.points().front() != launch.callee())
            out.push_back("the first point is the callee");
        check_written(fn, launch, out);
    } else if (op.kind == OpKind::for_active) {
        check_region(fn, ForActiveOp(fn, id).body(), {Type::scalar(DType::i32)}, {}, out);
    }
}

// The laws of the group's form: what may stand in `lanes`, and where `grid` and `lanes` may stand.
void check_nesting(const Function& fn, OpId id, const Surroundings& where, Messages& out) {
    const Op& op = fn.op(id);
    bool over_tiles = false;
    bool in_lanes = false;
    for (OpId around : where.around) {
        if (fn.op(around).kind != OpKind::lanes) continue;
        in_lanes = true;
        // What is around has not been checked yet.
        const AttrValue* over = fn.op(around).attrs.find(Attr::over);
        over_tiles = over_tiles || (over != nullptr && *over == AttrValue(static_cast<int64_t>(LanesOver::tiles)));
    }
    if (op.kind == OpKind::lane_read && !over_tiles) out.push_back("a lane array is read outside of lanes over tiles");
    if (in_lanes && (op.kind == OpKind::lanes || op.kind == OpKind::grid)) out.push_back("stands in a 'lanes' region");
    if (in_lanes && record(op.kind).has(Effect::collective)) out.push_back("all tiles do it together, not one lane");
    if (op.kind == OpKind::grid && !where.around.empty()) out.push_back("a grid loop stands inside of something");
    if (op.kind == OpKind::result && !where.around.empty()) out.push_back("stands inside of something");
}

void check_symbols(const Function& fn, const Dim& dim, Messages& out) {
    for (const std::string& symbol : dim.symbols()) {
        if (std::find(fn.symbols.begin(), fn.symbols.end(), symbol) != fn.symbols.end()) continue;
        out.push_back(fmt::format("the function has no dimension '{}'", symbol));
    }
}

const Function* callee_of(const Op& op, const Module& module) { return module.find(op.attrs.string(Attr::callee)); }

void check_arguments(const Function& fn, ValueSpan arguments, const Function& callee, Messages& out) {
    const std::vector<ValueId>& params = callee.params();
    if (arguments.size() != params.size()) {
        return out.push_back(
            fmt::format("gives {} arguments, @{} takes {}", arguments.size(), callee.name, params.size()));
    }
    for (size_t i = 0; i < params.size(); ++i) {
        const Type& from = fn.type(arguments[i]);
        const Type& to = callee.type(params[i]);
        // Shapes belong to two functions: what their symbols mean is checked on entry.
        const bool same = from.kind == to.kind && from.elem == to.elem && from.width == to.width &&
                          from.rank() == to.rank() && !policy_conflict(from.policy, to.policy);
        if (!same)
            out.push_back(fmt::format("argument {} is {}, @{} takes {}", i, from.text(), callee.name, to.text()));
    }
}

// Values of element operations and of those that graphs share with register tiles.
bool computes_on_tensors(const Function& fn, const Op& op) {
    if (!is_element(op.kind) && record(op.kind).axes == AxisRule::none) return false;
    for (size_t i = 0; i < op.operands.size(); ++i) {
        const Role* role = role_of(record(op.kind), i, op.operands.size());
        const bool value = role != nullptr && role->access == Access::value;
        if (value && fn.type(op.operands[i]).kind == TypeKind::tensor) return true;
    }
    return false;
}

}  // namespace

bool fits(const Type& from, const Type& to) {
    if (from.kind != to.kind || from.elem != to.elem || from.width != to.width || from.space != to.space) return false;
    if (from.rank() != to.rank() || policy_conflict(from.policy, to.policy)) return false;
    for (size_t i = 0; i < from.rank(); ++i) {
        if (compare(from.shape[i], to.shape[i]) == Equality::different) return false;
    }
    return true;
}

Messages check_types(const Function& fn, OpId id) {
    const Op& op = fn.op(id);
    Messages out;
    const std::vector<Type> operands = types_of(fn, op.operands);
    const Inferred inferred = infer(op.kind, operands, op.attrs);
    if (!inferred) return {inferred.message()};
    const std::vector<Type> results = types_of(fn, op.results);
    if (record(op.kind).results == ResultsFrom::infer && results != inferred.value().types) {
        out.push_back(fmt::format("gives {}, its record says {}", listed(results), listed(inferred.value().types)));
    }
    check_regions(fn, id, out);
    return out;
}

Messages check_standing(const Function& fn, OpId id, const Surroundings& where) {
    const Op& op = fn.op(id);
    const OpRecord& r = record(op.kind);
    Messages out;
    if (!r.levels.has(fn.level)) out.push_back(fmt::format("does not belong to level {}", name(fn.level)));
    if (fn.level != Level::graph && computes_on_tensors(fn, op)) out.push_back("computes on whole tensors");
    if (where.launch_region) {
        bool plain = r.pure() || op.kind == OpKind::yield;
        plain = plain && (is_element(op.kind) || fn.level != Level::tile || r.levels.has(Level::host));
        if (!plain) out.push_back("the launch region computes with parameters alone");
    }
    check_nesting(fn, id, where, out);
    if (op.kind == OpKind::dim) check_symbols(fn, DimOp(fn, id).dim(), out);
    for (size_t i = 0; i < op.operands.size(); ++i) {
        const Role* role = role_of(r, i, op.operands.size());
        const Type& type = fn.type(op.operands[i]);
        const bool writes = role != nullptr && (role->access == Access::writes || role->access == Access::reads_writes);
        if (writes && fn.level == Level::tile && type.kind == TypeKind::tensor && !type.mut) {
            out.push_back("writes a tensor that is not 'mut'");
        }
    }
    return out;
}

// What a derivative takes and gives beside what its function does has the types that the function's parameters and
// results say.
Messages check_derivative(const Function& fn, OpId id, const Module& module) {
    const DerivativeOp op(fn, id);
    const Function* callee = callee_of(op.op(), module);
    if (callee == nullptr) return {fmt::format("there is no function @{}", op.callee())};
    if (callee->level != Level::graph || callee->is_kernel) return {fmt::format("@{} is no graph", callee->name)};
    Messages out;
    const size_t count = callee->params().size();
    for (const int64_t number : op.wrt()) {
        if (number < 0 || static_cast<size_t>(number) >= count) {
            out.push_back(fmt::format("@{} has no parameter {}", callee->name, number));
        }
    }
    if (op.op().operands.size() < count || op.results().size() < callee->results.size()) {
        out.push_back(fmt::format("takes or gives less than @{}", callee->name));
    } else {
        check_arguments(fn, ValueSpan(op.op().operands).first(count), *callee, out);
    }
    return out;
}

Messages check_batch(const Function& fn, OpId id, const Module& module) {
    const BatchOp op(fn, id);
    const Function* callee = callee_of(op.op(), module);
    if (callee == nullptr) return {fmt::format("there is no function @{}", op.callee())};
    const size_t count = callee->params().size();
    if (callee->level != Level::graph || op.op().operands.size() != count || op.batched().size() != count ||
        op.results().size() != callee->results.size() || std::ranges::find(op.batched(), 1) == op.batched().end()) {
        return {fmt::format("is no batch of @{}", callee->name)};
    }
    return {};
}

Messages check_callee(const Function& fn, OpId id, const Module& module) {
    const Op& op = fn.op(id);
    if (op.kind == OpKind::vjp || op.kind == OpKind::jvp) return check_derivative(fn, id, module);
    if (op.kind == OpKind::batch) return check_batch(fn, id, module);
    if (op.kind != OpKind::call && op.kind != OpKind::launch) return {};
    if (CustomCallOp::is_stored(op)) return {};
    const Function* callee = callee_of(op, module);
    if (callee == nullptr) return {fmt::format("there is no function @{}", op.attrs.string(Attr::callee))};
    Messages out;
    if (callee->is_kernel != (op.kind == OpKind::launch)) {
        out.push_back("kernels are launched, other functions are called");
    }
    if (op.kind == OpKind::call) {
        check_arguments(fn, CallOp(fn, id).arguments(), *callee, out);
        std::vector<Type> results = types_of(fn, op.results);
        bool same = results.size() == callee->results.size();
        for (size_t i = 0; same && i < results.size(); ++i) {
            same = results[i].kind == callee->results[i].kind && results[i].elem == callee->results[i].elem &&
                   results[i].rank() == callee->results[i].rank();
        }
        if (!same)
            out.push_back(
                fmt::format("gives {}, @{} gives {}", listed(results), callee->name, listed(callee->results)));
        return out;
    }
    LaunchOp launch(fn, id);
    check_arguments(fn, launch.arguments(), *callee, out);
    if (op.results.size() > launch.written().size() + 1) out.push_back("a kernel gives one scalar at most");
    for (const std::string& point : launch.points()) {
        const Function* other = module.find(point);
        if (other == nullptr) {
            out.push_back(fmt::format("there is no function @{}", point));
        } else if (!other->is_kernel || other->symbols != callee->symbols) {
            out.push_back(fmt::format("@{} does not stand for @{}", point, callee->name));
        } else if (other != callee) {
            check_arguments(fn, launch.arguments(), *other, out);
        }
    }
    return out;
}

}  // namespace tsr::ir
