#include "ir/eval/watch.h"

#include <algorithm>

#include <fmt/format.h>

namespace tsr::ir::eval {

namespace {

const char* verb(TouchKind kind) {
    return kind == TouchKind::read ? "read" : kind == TouchKind::write ? "written" : "changed by an atomic";
}

// Data of a copy that is still under way may not be touched. True when that was so.
bool check_copies(Machine& machine, const Inst& inst, uint32_t row, const View& view, const Actor& actor,
                  int64_t element, TouchKind kind) {
    for (const PendingCopy& copy : machine.copies) {
        if (copy.to.data != view.data) continue;
        const char* missing = copy.waited                ? "no barrier stands after the wait"
                              : machine.program->commits ? "no wait covers it"
                                                         : "no barrier stands after it";
        machine.report(
            ReportKind::copy, inst.op,
            fmt::format("'{}'{} is {} by {} while a copy to it is under way: {}", machine.program->views[row].name,
                        position(machine, row, view, element), verb(kind), machine.who(actor), missing),
            copy.op, "the copy");
        return true;
    }
    return false;
}

// Held against the touches before it.
void watch_one(Machine& machine, const Inst& inst, uint32_t row, const View& view, int64_t element, TouchKind kind,
               const Actor& actor) {
    const auto other =
        view.shadow->touch(view.shadow_base + element, kind, actor, machine.clock, machine.epoch, inst.op);
    if (!other) return;
    const Touch& earlier = other->touch;
    const char* did = !other->wrote ? "read" : earlier.atomic != 0 ? "changed by an atomic" : "written";
    machine.report(
        ReportKind::race, inst.op,
        fmt::format("'{}'{} is {} by {}, and nothing orders that with another access", machine.program->views[row].name,
                    position(machine, row, view, element), verb(kind), machine.who(actor)),
        OpId(earlier.op), fmt::format("{} here by {}", did, machine.who(Actor{earlier.unit, earlier.tile})));
}

}  // namespace

std::string position(const Machine& machine, uint32_t row, const View& view, int64_t element) {
    std::string text = "]";
    for (size_t k = view.rank; k-- > 0;) {
        const int64_t at = k == 0 || view.stride[k] == 0 ? element / std::max<int64_t>(view.stride[k], 1)
                                                         : element / view.stride[k] % view.extent[k];
        text = fmt::format("{}{}{}", k == 0 ? "" : ", ", at, text);
    }
    const ViewData& data = machine.program->views[row];
    return (data.stages > 1 ? fmt::format("[{}][", view.stage) : "[") + text;
}

std::string tile_position(const Type& tile, size_t element) {
    std::string text = "]";
    for (size_t k = tile.rank(); k-- > 0;) {
        const auto extent = static_cast<size_t>(*tile.shape[k].constant_value());
        text = fmt::format("{}{}{}", k == 0 ? "[" : ", ", element % extent, text);
        element /= extent;
    }
    return text;
}

void watch_element(Machine& machine, const Inst& inst, uint32_t row, const View& view, int64_t element, TouchKind kind,
                   std::span<const Actor> actors) {
    const bool buffer = machine.program->views[row].buffer;
    const bool copying =
        buffer && !machine.copies.empty() && check_copies(machine, inst, row, view, actors.front(), element, kind);
    if (buffer && !copying && kind != TouchKind::write && !view.shadow->written(view.shadow_base + element)) {
        machine.report(
            ReportKind::uninitialized, inst.op,
            fmt::format("'{}'{} is read by {} before anything was written there", machine.program->views[row].name,
                        position(machine, row, view, element), machine.who(actors.front())));
    }
    for (const Actor& actor : actors) watch_one(machine, inst, row, view, element, kind, actor);
}

void watch_row(Machine& machine, const Inst& inst, uint32_t row, const View& view, int64_t first, int64_t step,
               size_t count, TouchKind kind) {
    const Actor group = machine.actor_of(0);
    for (size_t i = 0; i < count; ++i, first += step) {
        watch_element(machine, inst, row, view, first, kind, std::span(&group, 1));
    }
}

}  // namespace tsr::ir::eval
