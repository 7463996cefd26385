#include "sema/elaborate/carried.h"

#include "sema/elaborate/effects.h"
#include "sema/elaborate/shape_checks.h"
#include "sema/elaborate/types.h"

namespace tsr::elaborate {

using ir::ValueId;

namespace {

// Buffers that one variable holds in turn are stages of one.
void unite(Body& b, const Val& a, const Val& other) {
    if (a.is(Val::Kind::buffer) && other.is(Val::Kind::buffer)) b.buffers.unite(a.site, other.site);
    if (!a.is(Val::Kind::list) && !a.is(Val::Kind::tuple)) return;
    for (size_t i = 0; i < a.parts.size() && i < other.parts.size(); ++i) unite(b, a.parts[i], other.parts[i]);
}

std::string name_of(const Body& b, Slot slot) {
    for (const Frame& frame : b.frames) {
        if (frame.number == slot.frame && slot.variable < frame.instance->variables.size()) {
            return frame.instance->variables[slot.variable].name;
        }
    }
    return {};
}

}  // namespace

Carried::Carried(Body& b, const LoopEffects& effects, const LoopFlags& flags, const std::set<Slot>& kept) : b_(b) {
    for (const Slot slot : effects.assigned) add(slot, kept.contains(slot));
    if (effects.leaves || effects.returns) add(flags.loop_live, false);
    if (!effects.returns) return;
    add(b.frame().live, false);
    add(b.frame().result, true);
    for (const LoopFlags& outer : b.frame().loops) {
        add(outer.loop_live, false);
        add(outer.round_live, false);
    }
}

void Carried::add_symbols(Span range) {
    const auto& symbols = b_.instance().symbols;
    for (size_t i = 0; i < symbols.size(); ++i) {
        const ast::Expr* source = b_.expr(symbols[i].expr);
        if (symbols[i].source != sema::SymbolInfo::Source::expression || !source) continue;
        const Span at = source->span;
        if (at.file != range.file || at.begin < range.begin || at.end > range.end) continue;
        const Slot slot = b_.symbol_slot(i);
        if (b_.get(slot).is(Val::Kind::undefined)) b_.set(slot, Val::index(0));
        add(slot, false);
    }
}

void Carried::add(Slot slot, bool always) {
    Val held = b_.get(slot);
    const sema::Type* type = b_.declared(slot);
    // Declared without a value, or first assigned in a loop that runs at least once.
    if (held.is(Val::Kind::undefined) && type && (always || b_.env.contains(slot))) held = b_.undefined(*type);
    // What another round left there is not known.
    if (held.is(Val::Kind::local)) b_.set(slot, Val::local(Val::kUnknownArray));
    if (held.is(Val::Kind::undefined) || held.is(Val::Kind::none)) return;
    std::vector<ValueId> leaves;
    b_.flatten(held, type, leaves);
    if (leaves.empty()) return;
    slots_.push_back(slot);
    shapes_.push_back(held);
    counts_.push_back(leaves.size());
    for (ValueId leaf : leaves) types_.push_back(b_.type_of(leaf));
    size_t next = 0;
    b_.set(slot, b_.unflatten(held, leaves, next));
}

void Carried::enter(ir::RegionId region) {
    std::vector<ValueId> args;
    for (const ir::Type& type : types_) args.push_back(b_.function().add_arg(region, type));
    hold(args);
}

void Carried::hold(const std::vector<ValueId>& values) {
    size_t next = 0;
    for (size_t i = 0; i < slots_.size(); ++i) {
        const size_t first = next;
        b_.set(slots_[i], b_.unflatten(shapes_[i], values, next));
        if (next == first + 1) b_.function().value(values[first]).name = name_of(b_, slots_[i]);
    }
}

std::vector<ValueId> Carried::leaves() {
    std::vector<ValueId> values;
    for (size_t i = 0; i < slots_.size(); ++i) {
        const Val held = b_.get(slots_[i]);
        unite(b_, held, shapes_[i]);
        const size_t before = values.size();
        b_.flatten(held, b_.declared(slots_[i]), values);
        if (values.size() - before == counts_[i]) {
            for (size_t k = before; k < values.size(); ++k)
                values[k] = in_one_shape(b_, values[k], types_[k], name_of(b_, slots_[i]));
            continue;
        }
        // No read follows on this path: any value of the type will do.
        values.resize(before);
        b_.flatten(shapes_[i], b_.declared(slots_[i]), values);
    }
    for (size_t k = 0; k < values.size(); ++k) {
        if (b_.computes_on(types_[k])) values[k] = b_.emit.cast(values[k], types_[k].elem);
    }
    return values;
}

}  // namespace tsr::elaborate
