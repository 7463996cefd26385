// Element operations, copies of values, numbers of the launch.
#include <algorithm>
#include <cmath>
#include <span>

#include <fmt/format.h>

#include "ir/eval/machine.h"
#include "ir/eval/steps.h"
#include "ir/eval/watch.h"
#include "ir/ops/record.h"

namespace tsr::ir::eval::steps {

namespace {

void run_loop(Machine& machine, const Inst& inst, size_t n) {
    inst.loop(machine.frame + inst.result, machine.frame + inst.a, machine.frame + inst.b, machine.frame + inst.c, n);
}

// A float of any type as a double; for the check of NaN only its class counts.
double as_double(const LaneOps& ops, DType type, const uint8_t* from) {
    double value = 0;
    ops.cast(type, DType::f64)(&value, from, nullptr, nullptr, 1);
    return value;
}

struct Watched {
    DType type;
    const uint8_t* bits;
};

// Who has a result, and where it stands in a register tile.
struct Whose {
    std::optional<size_t> lane;
    std::string at;
};

// Reports a result that is not finite though all operands are.
bool report_unless_finite(Machine& machine, OpId op, std::string_view what, const Watched& result,
                          std::span<const Watched> operands, const Whose& whose) {
    const double value = as_double(*machine.ops, result.type, result.bits);
    if (std::isfinite(value)) return false;
    std::string given;
    for (const Watched& operand : operands) {
        const double number = as_double(*machine.ops, operand.type, operand.bits);
        if (!std::isfinite(number)) return false;
        given += fmt::format("{}{}", given.empty() ? "" : ", ", number);
    }
    const char* made = std::isnan(value) ? "NaN" : value > 0 ? "inf" : "-inf";
    machine.report(ReportKind::nan, op,
                   fmt::format("'{}' of {} makes {} from finite operands {}{}, in {}", what, name(result.type), made,
                               given, whose.at, machine.who(whose.lane)));
    return true;
}

// machine.inside[i] = 1 where value i is finite for sure.
void mark_finite(Machine& machine, DType type, const uint8_t* values, size_t n) {
    const LaneFn test = machine.ops->element(OpKind::isfinite, type);
    if (test == nullptr)
        std::memset(machine.inside.data(), 0, n);  // a type that is only stored
    else
        test(machine.inside.data(), values, nullptr, nullptr, n);
}

// Element i of an operation's arrays.
bool check_element(Machine& machine, const Inst& inst, size_t i, bool uniform) {
    const Function& fn = *machine.program->function;
    const Op& op = fn.op(inst.op);
    const auto at = [&](ValueId v, Slot slot) {
        const DType type = fn.type(v).elem;
        return Watched{type, machine.bytes(slot) + i * stored_size(type)};
    };
    const std::array<Slot, 3> slots{inst.a, inst.b, inst.c};
    std::vector<Watched> operands;
    for (size_t k = 0; k < op.operands.size(); ++k) operands.push_back(at(op.operands[k], slots[k]));
    const Type& type = fn.type(op.results[0]);
    Whose whose;
    if (!uniform) whose.lane = i % machine.program->lanes;
    if (type.kind == TypeKind::tile) whose.at = ", at " + tile_position(type, i);
    return report_unless_finite(machine, inst.op, name(op.kind), at(op.results[0], inst.result), operands, whose);
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

const Inst* check_one(Machine& machine, const Inst& inst) {
    const Function& fn = *machine.program->function;
    const DType type = fn.type(fn.op(inst.op).results[0]).elem;
    for (size_t first = 0; first < inst.count; first += machine.program->lanes) {
        const size_t n = std::min<size_t>(machine.program->lanes, inst.count - first);
        mark_finite(machine, type, machine.bytes(inst.result) + first * stored_size(type), n);
        for (size_t i = 0; i < n; ++i) {
            if (machine.inside[i] == 0 && check_element(machine, inst, first + i, true)) return next(inst);
        }
    }
    return next(inst);
}

const Inst* check_lanes(Machine& machine, const Inst& inst) {
    const Function& fn = *machine.program->function;
    const DType type = fn.type(fn.op(inst.op).results[0]).elem;
    const size_t components = 1 + inst.count / machine.program->lanes;
    for (size_t k = 0; k < components; ++k) {
        mark_finite(machine, type, machine.bytes(inst.result) + k * machine.program->lanes * stored_size(type),
                    machine.n);
        for (size_t i = 0; i < machine.n; ++i) {
            if (machine.inside[i] != 0 || machine.mask[i] == 0) continue;
            if (check_element(machine, inst, k * machine.program->lanes + i, false)) return next(inst);
        }
    }
    return next(inst);
}

// `count` components of each value, or elements of each tile.
const Inst* check_finite(Machine& machine, const Inst& inst) {
    const TextData& text = machine.program->texts[inst.data];
    const size_t n = machine.in_lanes ? machine.n : 1;
    const TextPart& last = text.parts.back();
    const size_t size = stored_size(last.type);
    const Function& fn = *machine.program->function;
    const Type& tile = fn.type(fn.op(inst.op).operands.back());
    for (size_t i = 0; i < n * inst.count; ++i) {
        const size_t lane = i % n;
        const size_t first = last.operand.uniform ? i / n : i / n * machine.program->lanes;
        if (machine.in_lanes) {
            if (lane == 0 && !last.operand.uniform) {
                mark_finite(machine, last.type, machine.bytes(last.operand.slot) + first * size, n);
            }
            if (machine.mask[lane] == 0 || (!last.operand.uniform && machine.inside[lane] != 0)) continue;
        } else {
            const size_t stretch = i % machine.program->lanes;
            if (stretch == 0) {
                mark_finite(machine, last.type, machine.bytes(last.operand.slot) + i * size,
                            std::min<size_t>(machine.program->lanes, inst.count - i));
            }
            if (machine.inside[stretch] != 0) continue;
        }
        std::vector<Watched> values;
        for (const TextPart& part : text.parts) {
            const size_t element = part.operand.uniform ? i / n : i / n * machine.program->lanes + lane;
            values.push_back({part.type, machine.bytes(part.operand.slot) + element * stored_size(part.type)});
        }
        const Watched result = values.back();
        values.pop_back();
        Whose whose;
        if (machine.in_lanes) whose.lane = lane;
        if (tile.kind == TypeKind::tile) whose.at = ", at " + tile_position(tile, i);
        if (report_unless_finite(machine, inst.op, text.parts.front().text, result, values, whose)) break;
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

const Inst* copy_chosen(Machine& machine, const Inst& inst) {
    const Slot from = machine.at<uint8_t>(inst.c) != 0 ? inst.a : inst.b;
    std::memcpy(machine.frame + inst.result, machine.frame + from, inst.count);
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
