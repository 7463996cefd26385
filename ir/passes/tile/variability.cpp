#include "ir/passes/tile/variability.h"

#include <algorithm>

#include "ir/core/total.h"
#include "ir/ops/control.h"
#include "ir/ops/record.h"

namespace tsr::ir {

namespace {

// When the results of an operation differ between tiles.
enum class Varies : uint8_t {
    with_operands,  // it is a function of them
    always,         // each tile has its own
    never,          // one value for the whole group
    apart,          // what each tile finds is its own, where tiles do it apart or with operands of their own
    as_loop,
    as_while,
    as_branch,
};

constexpr Row<Varies> kVariability[]{
    {OpKind::constant, Varies::with_operands},
    {OpKind::yield, Varies::with_operands},
    {OpKind::for_, Varies::as_loop},
    {OpKind::while_, Varies::as_while},
    {OpKind::if_, Varies::as_branch},
    {OpKind::call, Varies::with_operands},
    {OpKind::dim, Varies::with_operands},
    {OpKind::print, Varies::with_operands},
    {OpKind::assert_, Varies::with_operands},

    {OpKind::read, Varies::with_operands},
    {OpKind::write, Varies::with_operands},
    {OpKind::read_vector, Varies::with_operands},
    {OpKind::write_vector, Varies::with_operands},
    {OpKind::vector_extract, Varies::with_operands},
    {OpKind::vector_build, Varies::with_operands},

    {OpKind::tile_id, Varies::always},
    {OpKind::lane_id, Varies::always},
    {OpKind::group_id, Varies::with_operands},
    {OpKind::group_size, Varies::with_operands},
    {OpKind::group_count, Varies::with_operands},
    {OpKind::buffer, Varies::with_operands},
    {OpKind::stage, Varies::with_operands},
    {OpKind::atomic, Varies::apart},
    {OpKind::copy_async, Varies::with_operands},
    {OpKind::commit, Varies::with_operands},
    {OpKind::wait_group, Varies::with_operands},
    {OpKind::barrier, Varies::with_operands},
    {OpKind::acquire, Varies::with_operands},
    {OpKind::fill, Varies::with_operands},
    {OpKind::take, Varies::with_operands},
    {OpKind::release, Varies::with_operands},
    {OpKind::group_reduce, Varies::never},
    {OpKind::group_scan, Varies::always},
    {OpKind::shuffle, Varies::always},
    {OpKind::broadcast, Varies::always},  // uniform over a warp, not over the group
    {OpKind::ballot, Varies::always},
    {OpKind::buffer_reduce, Varies::with_operands},
    {OpKind::grid, Varies::with_operands},
    {OpKind::lanes, Varies::with_operands},
    {OpKind::lane_read, Varies::with_operands},
    {OpKind::result, Varies::with_operands},
};
constexpr Total<kVariability, kControlFamily, kMemoryFamily, kTileFamily> kVariabilityOf;

// Element operations and those on register tiles are functions of their operands.
Varies varies_how(OpKind kind) {
    return kVariabilityOf.has(kind) ? kVariabilityOf[kind].answer : Varies::with_operands;
}

// A least fixed point: everything starts uniform, and becomes varying for a reason.
class VariabilitySolver {
public:
    VariabilitySolver(const Function& function, const LoopRoles& roles) : function_(function), roles_(roles) {
        found_.varying.assign(function.value_count(), false);
        found_.divergent.assign(function.op_count(), false);
    }

    Variability solve() {
        do {
            changed_ = false;
            visit(function_.body, false);
        } while (changed_);
        return std::move(found_);
    }

private:
    void mark(ValueId value, bool varying) {
        if (!varying || found_.varying[value.index]) return;
        found_.varying[value.index] = true;
        changed_ = true;
    }
    void mark_all(const std::vector<ValueId>& values, bool varying) {
        for (ValueId value : values) mark(value, varying);
    }
    [[nodiscard]] bool varies(ValueId value) const { return found_.varying[value.index]; }
    [[nodiscard]] bool any_varies(const std::vector<ValueId>& values) const {
        return std::ranges::any_of(values, [&](ValueId v) { return varies(v); });
    }
    [[nodiscard]] const std::vector<ValueId>& yielded(RegionId region) const {
        return function_.op(function_.region(region).ops.back()).operands;
    }

    void visit(RegionId region, bool divergent) {
        for (OpId op : function_.region(region).ops) visit(op, divergent);
    }

    void visit(OpId id, bool divergent) {
        if (divergent) found_.divergent[id.index] = true;
        const Op& op = function_.op(id);
        switch (varies_how(op.kind)) {
            case Varies::with_operands:
                return mark_all(op.results, any_varies(op.operands));
            case Varies::always:
                return mark_all(op.results, true);
            case Varies::never:
                return;
            case Varies::apart:
                return mark_all(op.results, divergent || any_varies(op.operands));
            case Varies::as_loop:
                return visit_for(id, op, divergent);
            case Varies::as_while:
                return visit_while(op, divergent);
            case Varies::as_branch:
                return visit_if(op, divergent);
        }
    }

    void visit_for(OpId id, const Op& op, bool divergent) {
        const ForOp loop(function_, id);
        bool bounds = varies(loop.lower()) || varies(loop.upper()) || varies(loop.step());
        bool spread = roles_[id.index] == LoopRole::tile_loop || roles_[id.index] == LoopRole::element_grid;
        mark(loop.iv(), bounds || spread);
        for (size_t i = 0; i < op.results.size(); ++i) {
            // What a spread loop combines is the group's behind it.
            bool given = bounds || varies(loop.inits()[i]);
            mark(loop.carried()[i], spread || given || varies(loop.next()[i]));
            mark(op.results[i], given || (!spread && varies(loop.next()[i])));
        }
        visit(loop.body(), divergent || bounds || spread);
    }

    void visit_while(const Op& op, bool divergent) {
        const Region& condition = function_.region(op.regions[0]);
        const Region& body = function_.region(op.regions[1]);
        bool rounds = varies(yielded(op.regions[0])[0]);
        for (size_t i = 0; i < op.results.size(); ++i) {
            bool carried = rounds || varies(op.operands[i]) || varies(yielded(op.regions[1])[i]);
            mark(condition.args[i], carried);
            mark(body.args[i], carried);
            mark(op.results[i], carried);
        }
        visit(op.regions[0], divergent || rounds);
        visit(op.regions[1], divergent || rounds);
    }

    void visit_if(const Op& op, bool divergent) {
        bool choice = varies(IfOp(function_, op).condition());
        for (size_t i = 0; i < op.results.size(); ++i) {
            mark(op.results[i], choice || varies(yielded(op.regions[0])[i]) || varies(yielded(op.regions[1])[i]));
        }
        visit(op.regions[0], divergent || choice);
        visit(op.regions[1], divergent || choice);
    }

    const Function& function_;
    const LoopRoles& roles_;
    Variability found_;
    bool changed_ = false;
};

}  // namespace

bool Variability::is_groups(const Function& function, OpId id) const {
    if (is_divergent(id)) return false;
    const Op& op = function.op(id);
    auto uniform = [&](ValueId v) { return !is_varying(v); };
    return std::ranges::all_of(op.operands, uniform) && std::ranges::all_of(op.results, uniform);
}

Variability find_variability(const Function& function, const LoopRoles& roles) {
    return VariabilitySolver(function, roles).solve();
}

}  // namespace tsr::ir
