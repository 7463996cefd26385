#include "sema/elaborate/body.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "ir/core/internal.h"
#include "sema/elaborate/instances.h"

namespace tsr::elaborate {

sema::Context Body::context() {
    switch (function().level) {
        case ir::Level::host:
            return sema::Context::host;
        case ir::Level::tile:
            return sema::Context::kernel;
        case ir::Level::graph:
            return sema::Context::graph;
        case ir::Level::target:
            break;
    }
    ir::internal_error("a checked function becomes one of the host, of a tile or of whole tensors");
}

Frame& Body::push_frame(const sema::Instance& instance, std::string path) {
    Frame& frame = frames.emplace_back();
    frame.instance = &instance;
    frame.number = next_frame_++;
    frame.live = fresh_slot();
    frame.result = fresh_slot();
    frame.path = std::move(path);
    set(frame.live, Val::truth(true));
    names_group = names_group || (rules().in_group && group_is_named(instance));
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

void Body::set_parameter(size_t parameter, const Val& value) {
    const sema::VariableId variable = variable_of_parameter(instance(), parameter);
    if (!variable.valid()) return;
    const sema::Type& type = instance().variables[variable.index].type;
    set(slot(variable), type == instance().parameters[parameter].type ? value : coerce(value, type));
}

Slot Body::live_flag() { return frame().loops.empty() ? frame().live : frame().loops.back().round_live; }

Diagnostic& Body::error(std::string code, Span span, std::string message) {
    const auto is_library = [this](FileId file) {
        return std::ranges::any_of(program.modules, [&](const auto& m) { return m.library && m.file == file; });
    };
    failed = true;
    Span at = span;
    for (const Span& call : emit.calls()) {
        if (!is_library(at.file)) break;
        at = call;
    }
    Diagnostic& said = diagnostics.error(std::move(code), at, std::move(message));
    if (at != span) said.label(span, "the line of the standard library");
    return said;
}

}  // namespace tsr::elaborate
