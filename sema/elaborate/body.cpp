#include "sema/elaborate/body.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "ir/core/internal.h"
#include "sema/containers.h"
#include "sema/elaborate/calls.h"
#include "sema/elaborate/host.h"
#include "sema/elaborate/types.h"

namespace tsr::elaborate {

namespace {

// As the text says it, also where a value is folded or a side is never taken.
bool group_is_named(const sema::Instance& instance) {
    for (const auto& [id, call] : instance.calls) {
        if (call.kind == sema::CallKind::alloc) return true;
        if (call.kind == sema::CallKind::builtin && elaborate::names_group(call.builtin)) return true;
    }
    for (const auto& [id, info] : instance.exprs) {
        const auto* builtin = std::get_if<sema::BuiltinName>(&info.referent);
        if (builtin && builtin->name == sema::Builtin::grid_groups) return true;
    }
    return false;
}

}  // namespace

Frame& Body::push_frame(const sema::Instance& instance, std::string path) {
    Frame& frame = frames.emplace_back();
    frame.instance = &instance;
    frame.number = next_frame_++;
    frame.live = fresh_slot();
    frame.result = fresh_slot();
    frame.path = std::move(path);
    set(frame.live, Val::truth(true));
    names_group = names_group || (in_kernel() && group_is_named(instance));
    return frame;
}

void Body::pop_frame() {
    const Frame& frame = frames.back();
    env.erase(env.lower_bound(Slot{frame.number, 0}), env.lower_bound(Slot{frame.number + 1, 0}));
    env.erase(frame.live);
    env.erase(frame.result);
    frames.pop_back();
}

Val Body::get(Slot slot) const {
    const auto found = env.find(slot);
    return found == env.end() ? Val{} : found->second;
}

const sema::Type* Body::declared(Slot slot) {
    for (const Frame& frame : frames) {
        if (slot == frame.result) return &frame.instance->result;
        if (slot.frame != frame.number || slot.frame == 0) continue;
        if (slot.variable < frame.instance->variables.size()) return &frame.instance->variables[slot.variable].type;
    }
    return nullptr;
}

void Body::require_type(const sema::Type& type, const char* what, Span at) {
    const bool tuple = type.is(sema::Kind::tuple);
    if (!type.is_unknown() && !(tuple && std::ranges::any_of(type.parts(), &sema::Type::is_unknown))) return;
    ir::internal_error(
        fmt::format("{} of `{}` has no type, at byte {} of file {}", what, instance().name, at.begin, at.file.index));
}

void Body::assign(sema::VariableId variable, const Val& value) {
    if (!variable.valid()) return;
    const sema::Variable& known = instance().variables[variable.index];
    require_type(known.type, "a variable", known.declared);
    Val stored = coerce(rounded(value), known.type);
    const bool any_extent = stored.is_ssa() && !in_kernel() && sema::has_unknown_extents(known.type);
    if (any_extent && !(type_of(stored.id) == ir_type(known.type)))
        stored = Val::ssa(whole_view(*this, stored.id, ir_type(known.type)));
    if (stored.is_ssa()) {
        std::string& name = function().value(stored.id).name;
        if (name.empty()) name = known.name;
    }
    set(slot(variable), std::move(stored));
}

void Body::set_parameter(size_t parameter, const Val& value) {
    const sema::VariableId variable = variable_of_parameter(instance(), parameter);
    if (!variable.valid()) return;
    const sema::Type& type = instance().variables[variable.index].type;
    set(slot(variable), type == instance().parameters[parameter].type ? value : coerce(value, type));
}

Slot Body::live_flag() { return frame().loops.empty() ? frame().live : frame().loops.back().round_live; }

}  // namespace tsr::elaborate
