// What the tiles of a group do together, each in the fixed order of its record (ir/ops/tile.cpp), and buffers.
#include <algorithm>

#include <fmt/format.h>

#include "ir/eval/machine.h"
#include "ir/eval/steps.h"
#include "ir/ops/tile.h"

namespace tsr::ir::eval::steps {

namespace {

constexpr size_t kWarpLanes = 32;

// Combines the elements of one warp pairwise, `count` of them present; the result stands first.
void reduce_warp(const CollectiveData& data, uint8_t* values, size_t count) {
    for (size_t distance = kWarpLanes / 2; distance > 0; distance /= 2) {
        if (count <= distance) continue;
        const size_t pairs = std::min(distance, count - distance);
        data.combine(values, values, values + distance * data.size, nullptr, pairs);
        count = std::min(count, distance);
    }
}

// The sanitizer's share of reading a whole buffer.
void watch_whole(Machine& machine, const Inst& inst, const View& view, const std::string& name) {
    const std::string reader = machine.who(machine.in_lanes ? std::optional<size_t>(0) : std::nullopt);
    for (const PendingCopy& copy : machine.copies) {
        if (copy.to.data != view.data) continue;
        machine.report(ReportKind::copy, inst.op,
                       fmt::format("'{}' is read by {} while a copy to it is under way", name, reader), copy.op,
                       "the copy");
    }
    for (int64_t i = 0; i < view.elements; ++i) {
        if (!view.shadow->written(view.shadow_base + i)) {
            machine.report(
                ReportKind::uninitialized, inst.op,
                fmt::format("element {} of '{}' is read by {} before anything was written there", i, name, reader));
        }
        for (const Actor& actor : machine.actors_of_all()) {
            const auto other =
                view.shadow->touch(view.shadow_base + i, TouchKind::read, actor, machine.clock, machine.epoch, inst.op);
            if (!other) continue;
            machine.report(ReportKind::race, inst.op,
                           fmt::format("element {} of '{}' is read by {}, and nothing orders that with a write", i,
                                       name, machine.who(actor)),
                           OpId(other->touch.op),
                           fmt::format("written here by {}", machine.who(Actor{other->touch.unit, other->touch.tile})));
        }
    }
}

}  // namespace

const Inst* group_reduce(Machine& machine, const Inst& inst) {
    const CollectiveData& data = machine.program->collectives[inst.data];
    std::array<uint8_t, kWarpLanes * 8> warp{};
    uint64_t all = 0;
    for (size_t first = 0; first < machine.n; first += kWarpLanes) {
        const size_t count = std::min(kWarpLanes, machine.n - first);
        std::memcpy(warp.data(), machine.bytes(inst.a) + first * data.size, count * data.size);
        reduce_warp(data, warp.data(), count);
        if (first == 0)
            std::memcpy(&all, warp.data(), data.size);
        else
            data.combine(&all, &all, warp.data(), nullptr, 1);
    }
    machine.at<uint64_t>(inst.result) = all;
    return next(inst);
}

const Inst* group_scan(Machine& machine, const Inst& inst) {
    const CollectiveData& data = machine.program->collectives[inst.data];
    uint8_t* result = machine.bytes(inst.result);
    const uint8_t* value = machine.bytes(inst.a);
    if (machine.n > 0) std::memcpy(result, value, data.size);
    for (size_t i = 1; i < machine.n; ++i) {
        uint8_t* here = result + i * data.size;
        data.combine(here, here - data.size, value + i * data.size, nullptr, 1);
    }
    return next(inst);
}

// `a` the values, `b` the source lanes as 64 bits.
const Inst* shuffle(Machine& machine, const Inst& inst) {
    const CollectiveData& data = machine.program->collectives[inst.data];
    const auto* source = reinterpret_cast<const int64_t*>(machine.bytes(inst.b));
    for (size_t i = 0; i < machine.n; ++i) {
        const size_t lane = static_cast<size_t>(source[i]) % kWarpLanes;
        size_t from = i / kWarpLanes * kWarpLanes + lane;
        if (from >= machine.n) from = i;
        std::memcpy(machine.bytes(inst.result) + i * data.size, machine.bytes(inst.a) + from * data.size, data.size);
    }
    return next(inst);
}

const Inst* ballot(Machine& machine, const Inst& inst) {
    const uint8_t* condition = machine.bytes(inst.a);
    auto* result = reinterpret_cast<uint32_t*>(machine.bytes(inst.result));
    for (size_t first = 0; first < machine.n; first += kWarpLanes) {
        const size_t count = std::min(kWarpLanes, machine.n - first);
        uint32_t bits = 0;
        for (size_t i = 0; i < count; ++i) bits |= static_cast<uint32_t>(condition[first + i]) << i;
        std::fill_n(result + first, count, bits);
    }
    return next(inst);
}

const Inst* buffer_reduce(Machine& machine, const Inst& inst) {
    constexpr size_t kPartials = 16;
    const CollectiveData& data = machine.program->collectives[inst.data];
    const View& view = machine.views[data.view];
    const auto elements = static_cast<size_t>(view.elements);
    if (view.shadow != nullptr) watch_whole(machine, inst, view, machine.program->views[data.view].name);
    std::array<uint8_t, kPartials * 8> partials{};
    for (size_t i = 0; i < kPartials; ++i) std::memcpy(partials.data() + i * data.size, &data.identity, data.size);
    for (size_t first = 0; first < elements; first += kPartials) {
        const size_t count = std::min(kPartials, elements - first);
        data.combine(partials.data(), partials.data(), view.data + first * data.size, nullptr, count);
    }
    for (size_t distance = kPartials / 2; distance > 0; distance /= 2) {
        data.combine(partials.data(), partials.data(), partials.data() + distance * data.size, nullptr, distance);
    }
    uint64_t all = 0;
    std::memcpy(&all, partials.data(), data.size);
    machine.at<uint64_t>(inst.result) = all;
    return next(inst);
}

const Inst* result(Machine& machine, const Inst& inst) {
    if (machine.group == 0) {
        const Function& function = *machine.program->function;
        const DType type = function.type(ResultOp(function, inst.op).value()).elem;
        uint64_t bits = 0;
        std::memcpy(&bits, machine.bytes(inst.a), stored_size(type));
        machine.launch->outcome.result = ScalarValue{type, bits};
    }
    return next(inst);
}

}  // namespace tsr::ir::eval::steps
