// Reads, writes and atomics: offsets of the lanes at work, checks, then the elements.
#include <algorithm>

#include <fmt/format.h>

#include "ir/eval/machine.h"
#include "ir/eval/packed.h"
#include "ir/eval/steps.h"
#include "ir/eval/watch.h"

namespace tsr::ir::eval::steps {

namespace {

int64_t index_of(const Machine& machine, const Operand& index, size_t lane) {
    const auto* slot = reinterpret_cast<const int64_t*>(machine.bytes(index.slot));
    return index.uniform ? slot[0] : slot[lane];
}

std::string position(const Machine& machine, const AccessData& access, size_t lane) {
    std::string text = "[";
    for (size_t k = 0; k < access.indices.size(); ++k) {
        text += fmt::format("{}{}", k == 0 ? "" : ", ", index_of(machine, access.indices[k], lane));
    }
    return text + "]";
}

std::string shape_text(const View& view) {
    std::string text = "[";
    for (size_t k = 0; k < view.rank; ++k) text += fmt::format("{}{}", k == 0 ? "" : ", ", view.extent[k]);
    return text + "]";
}

// Does lane `lane` stay inside, with all elements of a vector?
bool is_inside(const Machine& machine, const AccessData& access, const View& view, size_t lane) {
    for (size_t k = 0; k < view.rank; ++k) {
        const int64_t index = index_of(machine, access.indices[k], lane);
        const int64_t end = view.extent[k] - (k + 1 == view.rank ? static_cast<int64_t>(access.width) - 1 : 0);
        if (index < 0 || index >= end) return false;
    }
    return true;
}

// The lanes that are to touch memory; empty after a failure.
struct Reached {
    const uint8_t* mask = nullptr;
    size_t active = 0;
    bool failed = false;
};

// Takes the lanes that are outside away from the mask: with the bounds check they are reported, else the run fails.
Reached drop_outside(Machine& machine, const Inst& inst, const AccessData& access, const View& view, bool writes) {
    const size_t n = access.uniform ? 1 : machine.n;
    std::copy_n(machine.mask, n, machine.inside.begin());
    if (access.uniform) machine.inside[0] = 1;
    bool first = true;
    size_t active = 0;
    for (size_t i = 0; i < n; ++i) {
        if (machine.inside[i] == 0 || is_inside(machine, access, view, i)) {
            active += machine.inside[i];
            continue;
        }
        machine.inside[i] = 0;
        if (!first) continue;
        first = false;
        const std::string width = access.width > 1 ? fmt::format(" ({} elements)", access.width) : "";
        const std::string text =
            fmt::format("{} of '{}' at {}{} is outside of its shape {}, by {}", writes ? "a write" : "a read",
                        machine.program->views[access.view].name, position(machine, access, i), width, shape_text(view),
                        machine.who(access.uniform ? std::nullopt : std::optional(i)));
        if (!machine.launch->options->sanitizers.bounds) {
            machine.fail(inst, text);
            return {nullptr, 0, true};
        }
        machine.report(ReportKind::bounds, inst.op, text);
    }
    return {machine.inside.data(), active, false};
}

// Fills `machine.offsets` for every lane (one for a uniform access) and gives those that may touch memory.
Reached reach(Machine& machine, const Inst& inst, const AccessData& access, const View& view, bool writes) {
    static constexpr uint8_t kOne[] = {1};
    const size_t n = access.uniform ? 1 : machine.n;
    const uint8_t* mask = access.uniform ? kOne : machine.mask;
    int64_t* offsets = machine.offsets.data();
    const auto reduced = static_cast<int64_t>(access.width) - 1;
    bool outside = false;
    uint64_t base = 0;
    for (size_t k = 0; k < view.rank; ++k) {
        if (!access.indices[k].uniform) continue;
        const int64_t index = machine.at<int64_t>(access.indices[k].slot);
        const int64_t end = view.extent[k] - (k + 1 == view.rank ? reduced : 0);
        outside |= index < 0 || index >= end;
        base += static_cast<uint64_t>(index) * static_cast<uint64_t>(view.stride[k]);
    }
    bool started = false;
    for (size_t k = 0; k < view.rank; ++k) {
        if (access.indices[k].uniform) continue;
        const auto* index = reinterpret_cast<const int64_t*>(machine.bytes(access.indices[k].slot));
        const int64_t end = std::max<int64_t>(view.extent[k] - (k + 1 == view.rank ? reduced : 0), 0);
        outside |= started
                       ? machine.ops->add_offsets(offsets, index, view.stride[k], end, mask, n)
                       : machine.ops->offsets(offsets, index, static_cast<int64_t>(base), view.stride[k], end, mask, n);
        started = true;
    }
    if (!started) machine.ops->iota(offsets, static_cast<int64_t>(base), 0, n);
    if (outside && (access.uniform || machine.active > 0)) return drop_outside(machine, inst, access, view, writes);
    return {mask, access.uniform ? 1 : machine.active, false};
}

// The sanitizer's share of an access: every element of every lane.
void watch(Machine& machine, const Inst& inst, const AccessData& access, const View& view, const Reached& lanes,
           TouchKind kind) {
    const size_t n = access.uniform ? 1 : machine.n;
    std::vector<Actor> actors(1);
    if (access.uniform) actors = machine.actors_of_all();
    for (size_t i = 0; i < n; ++i) {
        if (lanes.mask[i] == 0) continue;
        if (!access.uniform) actors[0] = machine.actor_of(i);
        for (uint32_t k = 0; k < access.width; ++k) {
            watch_element(machine, inst, access.view, view, machine.offsets[i] + k, kind, actors);
        }
    }
}

void watch_if_asked(Machine& machine, const Inst& inst, const AccessData& access, const View& view,
                    const Reached& lanes, TouchKind kind) {
    if (view.shadow != nullptr) watch(machine, inst, access, view, lanes, kind);
}

void read_packed(Machine& machine, const AccessData& access, const View& view, const Reached& lanes, size_t n) {
    const size_t stride = access.uniform ? 1 : machine.program->lanes;
    for (uint32_t k = 0; k < access.width; ++k) {
        uint8_t* result = machine.bytes(access.result) + k * stride;
        for (size_t i = 0; i < n; ++i) {
            result[i] = lanes.mask[i] != 0 ? load_packed(view.elem, view.data, machine.offsets[i] + k) : uint8_t{0};
        }
    }
}

// Whole bytes are written: what begins inside of one is refused, in compiled code it is undefined.
bool begins_at_bytes(Machine& machine, const Inst& inst, const AccessData& access, const View& view,
                     const Reached& lanes) {
    const size_t n = access.uniform ? 1 : machine.n;
    for (size_t i = 0; i < n; ++i) {
        if (lanes.mask[i] == 0 || machine.offsets[i] % pack_size(view.elem) == 0) continue;
        machine.fail(inst, fmt::format("a write of '{}' at {} does not begin at a byte of its own, by {}",
                                       machine.program->views[access.view].name, position(machine, access, i),
                                       machine.who(access.uniform ? std::nullopt : std::optional(i))));
        return false;
    }
    return true;
}

}  // namespace

const Inst* read(Machine& machine, const Inst& inst) {
    const AccessData& access = machine.program->accesses[inst.data];
    const View& view = machine.views[access.view];
    const Reached lanes = reach(machine, inst, access, view, false);
    if (lanes.failed) return nullptr;
    watch_if_asked(machine, inst, access, view, lanes, TouchKind::read);
    const size_t n = access.uniform ? 1 : machine.n;
    if (view.packed) {
        read_packed(machine, access, view, lanes, n);
        return next(inst);
    }
    uint8_t* result = machine.bytes(access.result);
    const size_t stride = access.uniform ? access.size : static_cast<size_t>(machine.program->lanes) * access.size;
    const bool together = lanes.active == n && n > 1 && machine.ops->consecutive(machine.offsets.data(), n);
    for (uint32_t k = 0; k < access.width; ++k, result += stride) {
        const uint8_t* from = view.data + static_cast<size_t>(k) * access.size;
        if (together) {
            std::memcpy(result, from + machine.offsets[0] * static_cast<int64_t>(access.size), n * access.size);
        } else {
            machine.ops->gather(result, from, machine.offsets.data(), lanes.mask, access.size, n);
        }
    }
    return next(inst);
}

const Inst* write(Machine& machine, const Inst& inst) {
    const AccessData& access = machine.program->accesses[inst.data];
    const View& view = machine.views[access.view];
    const Reached lanes = reach(machine, inst, access, view, true);
    if (lanes.failed) return nullptr;
    if (view.packed && !begins_at_bytes(machine, inst, access, view, lanes)) return nullptr;
    watch_if_asked(machine, inst, access, view, lanes, TouchKind::write);
    const size_t n = access.uniform ? 1 : machine.n;
    const uint8_t* values = machine.bytes(access.value.slot);
    const size_t stride = access.uniform ? access.size : static_cast<size_t>(machine.program->lanes) * access.size;
    const bool together =
        lanes.active == n && n > 1 && !view.packed && machine.ops->consecutive(machine.offsets.data(), n);
    for (uint32_t k = 0; k < access.width; ++k, values += stride) {
        if (view.packed) {
            for (size_t i = 0; i < n; ++i) {
                if (lanes.mask[i] != 0) store_packed(view.elem, view.data, machine.offsets[i] + k, values[i]);
            }
            continue;
        }
        uint8_t* to = view.data + static_cast<size_t>(k) * access.size;
        if (together) {
            std::memcpy(to + machine.offsets[0] * static_cast<int64_t>(access.size), values, n * access.size);
        } else {
            machine.ops->scatter(to, values, machine.offsets.data(), lanes.mask, access.size, n);
        }
    }
    return next(inst);
}

// In lane order; every lane at work does its own, also where all name one element.
const Inst* atomic(Machine& machine, const Inst& inst) {
    const AccessData& access = machine.program->accesses[inst.data];
    const View& view = machine.views[access.view];
    const Reached lanes = reach(machine, inst, access, view, true);
    if (lanes.failed) return nullptr;
    watch_if_asked(machine, inst, access, view, lanes, TouchKind::atomic);
    const size_t n = access.uniform ? 1 : machine.n;
    const size_t size = access.size;
    for (size_t i = 0; i < n; ++i) {
        if (lanes.mask[i] == 0) continue;
        uint8_t* element = view.data + machine.offsets[i] * static_cast<int64_t>(size);
        const uint8_t* value = machine.bytes(access.value.slot) + (access.value.uniform ? 0 : i * size);
        uint64_t old = 0;
        std::memcpy(&old, element, size);
        switch (access.atomic) {
            case AtomicOp::add:
            case AtomicOp::min:
            case AtomicOp::max:
            case AtomicOp::bit_and:
            case AtomicOp::bit_or:
            case AtomicOp::bit_xor:
                access.combine(element, &old, value, nullptr, 1);
                break;
            case AtomicOp::exchange:
                std::memcpy(element, value, size);
                break;
            case AtomicOp::compare_exchange: {
                const uint8_t* expected = machine.bytes(access.compare.slot) + (access.compare.uniform ? 0 : i * size);
                if (std::memcmp(&old, expected, size) == 0) std::memcpy(element, value, size);
                break;
            }
        }
        std::memcpy(machine.bytes(access.result) + i * size, &old, size);
    }
    return next(inst);
}

// The handle of one stage: `data` is its view, `a` the number.
const Inst* stage(Machine& machine, const Inst& inst) {
    const ViewData& data = machine.program->views[inst.data];
    const View& buffer = machine.views[data.of];
    int64_t index = machine.at<int64_t>(inst.a);
    const int64_t stages = machine.program->views[data.of].stages;
    if (index < 0 || index >= stages) {
        const std::string text = fmt::format("stage {} of '{}' is outside: it has {}", index, data.name, stages);
        if (!machine.launch->options->sanitizers.bounds) return machine.fail(inst, text);
        machine.report(ReportKind::bounds, inst.op, text);
        index = 0;
    }
    View& view = machine.views[inst.data];
    view = buffer;
    view.stage = index;
    view.data = buffer.data + index * buffer.elements * static_cast<int64_t>(stored_size(buffer.elem));
    view.shadow_base = index * buffer.elements;
    return next(inst);
}

}  // namespace tsr::ir::eval::steps
