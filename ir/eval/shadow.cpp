#include "ir/eval/shadow.h"

#include <algorithm>

namespace tsr::ir::eval {

namespace {

bool races(const Touch& before, const Touch& now, uint32_t epoch) {
    if (!before.happened() || (before.atomic != 0 && now.atomic != 0)) return false;
    if (before.unit != now.unit) return true;
    if (before.tile == kGroupItself || now.tile == kGroupItself) return false;
    return before.clock >= epoch && before.tile != now.tile;
}

bool same_actor(const Touch& a, const Touch& b) { return a.unit == b.unit && a.tile == b.tile; }

void note_reader(Cell& cell, const Touch& now) {
    Touch(&readers)[2] = now.tile == kGroupItself ? cell.group_read : cell.read;
    if (readers[0].happened() && !same_actor(readers[0], now)) readers[1] = readers[0];
    readers[0] = now;
}

}  // namespace

std::optional<Conflict> ShadowMemory::touch(int64_t element, TouchKind kind, Actor actor, uint32_t clock,
                                            uint32_t epoch, OpId op) {
    Cell& cell = cells_[static_cast<size_t>(element)];
    const Touch now{actor.unit, actor.tile, clock, op.index & 0x7FFFFFFFU, kind == TouchKind::atomic ? 1U : 0U};
    std::optional<Conflict> found;
    if (races(cell.write, now, epoch)) found = Conflict{cell.write, true};
    if (kind != TouchKind::read) {
        for (const Touch* reader : {&cell.read[0], &cell.read[1], &cell.group_read[0], &cell.group_read[1]}) {
            if (!found && races(*reader, now, epoch)) found = Conflict{*reader, false};
        }
    }
    if (kind == TouchKind::read)
        note_reader(cell, now);
    else
        cell.write = now;
    return found;
}

void ShadowMemory::forget(uint32_t kept, uint32_t unit) {
    for (Cell& cell : cells_) {
        const Touch write = cell.write;
        cell = {};
        if (!write.happened() || write.clock > kept) continue;
        cell.write = write;
        cell.write.unit = unit;
    }
}

}  // namespace tsr::ir::eval
