// Element operations, copies of values, numbers of the launch.
#include <cmath>

#include <fmt/format.h>

#include "ir/eval/machine.h"
#include "ir/eval/steps.h"
#include "ir/ops/record.h"

namespace tsr::ir::eval::steps {

namespace {

const Inst* next(const Inst& inst) { return &inst + 1; }

void run_loop(Machine& machine, const Inst& inst, size_t n) {
    inst.loop(machine.frame + inst.result, machine.frame + inst.a, machine.frame + inst.b, machine.frame + inst.c, n);
}

// A float of any type as a double; for the check of NaN only its class counts.
double as_double(const LaneOps& ops, DType type, const uint8_t* from) {
    double value = 0;
    ops.cast(type, DType::f64)(&value, from, nullptr, nullptr, 1);
    return value;
}

// Reports lane i of an operation whose result is not finite though its float operands are.
bool check_element(Machine& machine, const Inst& inst, size_t i, bool uniform) {
    const Op& op = machine.program->function->op(inst.op);
    const Type& type = machine.program->function->type(op.results[0]);
    const size_t size = stored_size(type.elem);
    const double value = as_double(*machine.ops, type.elem, machine.frame + inst.result + i * size);
    if (std::isfinite(value)) return false;
    const std::array<Slot, 3> slots{inst.a, inst.b, inst.c};
    std::string given;
    for (size_t k = 0; k < op.operands.size(); ++k) {
        const DType from = machine.program->function->type(op.operands[k]).elem;
        const double operand = as_double(*machine.ops, from, machine.frame + slots[k] + i * stored_size(from));
        if (!std::isfinite(operand)) return false;
        given += fmt::format("{}{}", k == 0 ? "" : ", ", operand);
    }
    const char* made = std::isnan(value) ? "NaN" : value > 0 ? "inf" : "-inf";
    const std::optional<size_t> lane = uniform ? std::nullopt : std::optional(i % machine.program->lanes);
    machine.report(ReportKind::nan, inst.op,
                   fmt::format("'{}' of {} makes {} from finite operands {}, in {}", name(op.kind), name(type.elem),
                               made, given, machine.who(lane)));
    return true;
}

}  // namespace

const Inst* one(Machine& machine, const Inst& inst) {
    run_loop(machine, inst, inst.count);
    return next(inst);
}

const Inst* lanes(Machine& machine, const Inst& inst) {
    run_loop(machine, inst, machine.n + inst.count);
    return next(inst);
}

const Inst* one_checked(Machine& machine, const Inst& inst) {
    run_loop(machine, inst, inst.count);
    for (size_t i = 0; i < inst.count; ++i) {
        if (check_element(machine, inst, i, true)) break;
    }
    return next(inst);
}

const Inst* lanes_checked(Machine& machine, const Inst& inst) {
    run_loop(machine, inst, machine.n + inst.count);
    const size_t components = 1 + inst.count / machine.program->lanes;
    for (size_t k = 0; k < components; ++k) {
        for (size_t i = 0; i < machine.n; ++i) {
            if (machine.mask[i] == 0) continue;
            if (check_element(machine, inst, k * machine.program->lanes + i, false)) return next(inst);
        }
    }
    return next(inst);
}

const Inst* fill(Machine& machine, const Inst& inst) {
    inst.loop(machine.frame + inst.result, machine.frame + inst.a, nullptr, nullptr, machine.n);
    return next(inst);
}

const Inst* fill_all(Machine& machine, const Inst& inst) {
    inst.loop(machine.frame + inst.result, machine.frame + inst.a, nullptr, nullptr, machine.program->lanes);
    return next(inst);
}

const Inst* copy_bytes(Machine& machine, const Inst& inst) {
    std::memcpy(machine.frame + inst.result, machine.frame + inst.a, inst.count);
    return next(inst);
}

const Inst* copy_lanes(Machine& machine, const Inst& inst) {
    std::memcpy(machine.frame + inst.result, machine.frame + inst.a, (machine.n + inst.count) * inst.data);
    return next(inst);
}

const Inst* merge_lanes(Machine& machine, const Inst& inst) {
    const size_t stride = static_cast<size_t>(machine.program->lanes) * inst.data;
    const size_t components = 1 + inst.count / machine.program->lanes;
    for (size_t k = 0; k < components; ++k) {
        uint8_t* result = machine.frame + inst.result + k * stride;
        const uint8_t* from = machine.frame + inst.a + k * stride;
        if (machine.all_active())
            std::memcpy(result, from, machine.n * inst.data);
        else
            inst.loop(result, from, result, machine.mask, machine.n);
    }
    return next(inst);
}

const Inst* number(Machine& machine, const Inst& inst) {
    const LaunchSize& size = machine.launch->size;
    const auto [gx, gy, gz] = size.groups;
    const int64_t group = machine.group;
    int64_t& result = machine.at<int64_t>(inst.result);
    switch (static_cast<LaunchNumber>(inst.data)) {
        case LaunchNumber::group:
            result = group;
            break;
        case LaunchNumber::group_x:
            result = gx > 0 ? group % gx : 0;
            break;
        case LaunchNumber::group_y:
            result = gx > 0 && gy > 0 ? group / gx % gy : 0;
            break;
        case LaunchNumber::group_z:
            result = gx > 0 && gy > 0 ? group / gx / gy : 0;
            break;
        case LaunchNumber::count:
            result = size.total;  // of a flat kernel: tiles
            break;
        case LaunchNumber::count_x:
            result = gx;
            break;
        case LaunchNumber::count_y:
            result = gy;
            break;
        case LaunchNumber::count_z:
            result = gz;
            break;
    }
    return next(inst);
}

const Inst* lane_number(Machine& machine, const Inst& inst) {
    auto* result = reinterpret_cast<int64_t*>(machine.bytes(inst.result));
    for (size_t i = 0; i < machine.n; ++i) result[i] = machine.tile_of(i) % 32;
    return next(inst);
}

}  // namespace tsr::ir::eval::steps
