// A kernel: the program of one group.
#include <fmt/format.h>

#include "ir/ops/family.h"
#include "ir/ops/reduction.h"

namespace tsr::ir {

namespace {

Inferred infer_buffer(Operands, const Attrs& attrs) {
    if (attrs.integer(Attr::count, 1) < 1) return Failure{"a buffer has at least one stage"};
    for (const Dim& extent : attrs.dims(Attr::shape)) {
        if (!extent.constant_value() || *extent.constant_value() < 0) {
            return Failure{fmt::format("a buffer's extent is {}, needs a static one", extent.text())};
        }
    }
    return gives(Type::buffer(attrs.dtype(Attr::type), attrs.dims(Attr::shape)));
}

Inferred infer_stage(Operands operands, const Attrs&) {
    if (operands[0].kind != TypeKind::buffer) return Failure{fmt::format("{} has no stages", operands[0].text())};
    if (auto fault = want_integers(operands, 1, "stage")) return *fault;
    return gives(operands[0]);
}

// memory, value, [compare,] index...
Inferred infer_atomic(Operands operands, const Attrs& attrs) {
    const Type& memory = operands[0];
    const bool compares = attrs.integer(Attr::op) == static_cast<int64_t>(AtomicOp::compare_exchange);
    const size_t first = compares ? 3 : 2;
    if (!memory.is_memory()) return Failure{fmt::format("the memory is {}, needs a tensor or buffer", memory.text())};
    if (operands.size() != first + memory.rank()) {
        return Failure{fmt::format("an atomic on {} has {} operands, needs {}", memory.text(), operands.size(),
                                   first + memory.rank())};
    }
    for (size_t i = 1; i < first; ++i) {
        if (operands[i] != Type::scalar(memory.elem)) {
            return Failure{fmt::format("an atomic on {} is given {}", memory.text(), operands[i].text())};
        }
    }
    if (auto fault = want_integers(operands, first, "index")) return *fault;
    return gives(Type::scalar(memory.elem));
}

// A value of each tile: a scalar in the program of one tile, a lane array in that of the group.
bool per_tile(const Type& type) { return type.is_scalar() || (type.kind == TypeKind::lane_array && type.width == 0); }

Inferred infer_group_reduce(Operands operands, const Attrs& attrs) {
    if (!per_tile(operands[0])) return Failure{fmt::format("{} is not a value of each tile", operands[0].text())};
    if (auto fault = check_reduce(operands[0], attrs)) return *fault;
    return gives(Type::scalar(operands[0].elem));
}

Inferred infer_group_scan(Operands operands, const Attrs& attrs) {
    if (!per_tile(operands[0])) return Failure{fmt::format("{} is not a value of each tile", operands[0].text())};
    if (auto fault = check_reduce(operands[0], attrs)) return *fault;
    return gives(operands[0]);
}

// value, source lane. Of the group's form it is a lane array when one of the two is.
Inferred infer_shuffle(Operands operands, const Attrs&) {
    if (!per_tile(operands[0])) return Failure{fmt::format("{} is not a value of each tile", operands[0].text())};
    if (!per_tile(operands[1]) || !is_integer(operands[1].elem)) {
        return Failure{fmt::format("the source lane is {}, needs an integer", operands[1].text())};
    }
    return gives(operands[1].is_scalar() ? operands[0] : Type::lane_array(operands[0].elem));
}

Inferred infer_ballot(Operands operands, const Attrs&) {
    if (!per_tile(operands[0]) || operands[0].elem != DType::boolean) {
        return Failure{fmt::format("the condition is {}, needs bool", operands[0].text())};
    }
    return gives(operands[0].with(DType::u32));
}

Inferred infer_buffer_reduce(Operands operands, const Attrs& attrs) {
    if (operands[0].kind != TypeKind::buffer) return Failure{fmt::format("{} is not a buffer", operands[0].text())};
    if (auto fault = check_reduce(operands[0], attrs)) return *fault;
    return gives(Type::scalar(operands[0].elem));
}

std::optional<Failure> check_axes(Operands operands) {
    if (operands.empty() || operands.size() % 3 != 0) {
        return Failure{fmt::format("{} bounds, need lower, upper and step per axis", operands.size())};
    }
    return want_integers(operands, 0, "bound");
}

Inferred infer_grid(Operands operands, const Attrs&) {
    if (auto fault = check_axes(operands)) return *fault;
    return gives_nothing();
}

Inferred infer_lane_read(Operands operands, const Attrs&) {
    const Type& array = operands[0];
    if (array.kind != TypeKind::lane_array) return Failure{fmt::format("{} is no lane array", array.text())};
    return gives(array.width == 0 ? Type::scalar(array.elem) : Type::vector(array.elem, array.width));
}

Inferred infer_result(Operands operands, const Attrs&) {
    if (!operands[0].is_scalar()) return Failure{fmt::format("a kernel returns a scalar, not {}", operands[0].text())};
    return gives_nothing();
}

constexpr std::array kTileRecords{
    OpRecord{.kind = OpKind::tile_id,
             .name = "tile_id",
             .doc = "This tile's index in its group, along one axis if it is given (axis 0 fastest), else linear. In a "
                    "flat kernel the number of the tile in the launch. In the group's form the `lanes` region's "
                    "argument stands for it. `local` names the group: its kernel is not flat.",
             .infer = infer_index,
             .levels = kTile,
             .attrs = {may(Attr::axis), may(Attr::local)},
             .example = {"() %i = tile_id : index\n"
                         "%r = group_reduce %i {op = max} : index",
                         "", "3"}},
    OpRecord{.kind = OpKind::lane_id,
             .name = "lane_id",
             .doc = "This tile's index in its warp: the linear index in the group modulo 32.",
             .infer = infer_index,
             .levels = kTile,
             .example = {"() %i = lane_id : index\n"
                         "%r = group_reduce %i {op = add} : index",
                         "", "6"}},
    OpRecord{.kind = OpKind::group_id,
             .name = "group_id",
             .doc = "This group's index in the launch, along one axis if it is given, else linear (axis 0 fastest).",
             .infer = infer_index,
             .levels = kTile,
             .attrs = {may(Attr::axis)},
             .example = {"() %r = group_id : index", "", "0"}},
    OpRecord{.kind = OpKind::group_size,
             .name = "group_size",
             .doc = "Tiles in a group.",
             .infer = infer_index,
             .levels = kTile,
             .example = {"() %r = group_size : index", "", "4"}},
    OpRecord{.kind = OpKind::group_count,
             .name = "group_count",
             .doc = "Groups of the launch, along one axis if it is given, else all.",
             .infer = infer_index,
             .levels = kTile,
             .attrs = {may(Attr::axis)},
             .example = {"() %r = group_count : index", "", "1"}},
    OpRecord{.kind = OpKind::buffer,
             .name = "buffer",
             .doc = "Shared memory of the group: `count` stages (one if not said) of the shape, contents undefined at "
                    "first, one buffer even in a loop. Gives the handle of stage 0.",
             .infer = infer_buffer,
             .levels = kTile,
             .attrs = {needs(Attr::type), needs(Attr::shape), may(Attr::count), may(Attr::layout), may(Attr::swizzle),
                       may(Attr::alignment), may(Attr::name)},
             .effects = {Effect::identity},
             .example = {"() %b = buffer {type = f32, shape = [4]} : shared f32[4]"}},
    OpRecord{.kind = OpKind::stage,
             .name = "stage",
             .doc = "The handle of a stage of a buffer, counted from 0; outside is undefined, and reported by the "
                    "bounds check.",
             .operands = {Role{"buffer"}, Role{"index"}},
             .infer = infer_stage,
             .levels = kTile,
             .example = {"(%i: index) %b = buffer {type = f32, count = 2, shape = [4]} : shared f32[4]\n"
                         "%s = stage %b, %i : shared f32[4]"}},
    OpRecord{.kind = OpKind::atomic,
             .name = "atomic",
             .doc = "Reads, combines and writes one element without interruption, relaxed, seen by all groups; gives "
                    "the old value. compare_exchange: `value` is stored where `compare` is found (floats by bits).",
             .operands = {Role{"memory", Many::one, Access::reads_writes}, Role{"value"},
                          Role{"compare and indices", Many::any}},
             .infer = infer_atomic,
             .levels = kTile,
             .attrs = {needs(Attr::op)},
             .effects = {Effect::nondeterministic},
             .example = {"(%y: mut f32[n], %i: index, %a: f32) %r = atomic %y[%i], %a {op = add} : f32"}},
    OpRecord{.kind = OpKind::group_reduce,
             .name = "group_reduce",
             .doc = "Combines a value of every tile of the group, in the value's type and a fixed order: in each warp "
                    "of 32 pairwise with the tile 16, 8, 4, 2, 1 further (absent tiles leave a value as it is), then "
                    "the warps in order.",
             .operands = {Role{"value"}},
             .infer = infer_group_reduce,
             .levels = kTile,
             .attrs = {needs(Attr::op)},
             .effects = {Effect::collective},
             .example = {"(%a: i32) %r = group_reduce %a {op = add} : i32", "3", "12"}},
    OpRecord{.kind = OpKind::group_scan,
             .name = "group_scan",
             .doc = "Inclusive scan over the tiles of the group by linear index, in that order.",
             .operands = {Role{"value"}},
             .infer = infer_group_scan,
             .levels = kTile,
             .attrs = {needs(Attr::op)},
             .effects = {Effect::collective},
             .example = {"(%a: i32) %s = group_scan %a {op = add} : i32\n"
                         "%r = group_reduce %s {op = max} : i32",
                         "3", "12"}},
    OpRecord{.kind = OpKind::shuffle,
             .name = "shuffle",
             .doc = "The value that another tile of the warp has; the source lane counts modulo 32, of an absent tile "
                    "it is the tile's own value.",
             .operands = {Role{"value"}, Role{"source lane"}},
             .infer = infer_shuffle,
             .levels = kTile,
             .effects = {Effect::collective},
             .example = {"(%l: i32) %i = tile_id : index\n"
                         "%s = shuffle %i, %l : index\n"
                         "%r = group_reduce %s {op = max} : index",
                         "2", "2"}},
    OpRecord{.kind = OpKind::broadcast,
             .name = "broadcast",
             .doc = "The value that one tile of the warp has, for all of it.",
             .operands = {Role{"value"}, Role{"source lane"}},
             .infer = infer_shuffle,
             .levels = kTile,
             .effects = {Effect::collective},
             .example = {"(%l: i32) %i = tile_id : index\n"
                         "%s = broadcast %i, %l : index\n"
                         "%r = group_reduce %s {op = min} : index",
                         "1", "1"}},
    OpRecord{.kind = OpKind::ballot,
             .name = "ballot",
             .doc = "A bit per tile of the warp, lane 0 lowest: is its condition true? Absent tiles give 0.",
             .operands = {Role{"condition"}},
             .infer = infer_ballot,
             .levels = kTile,
             .effects = {Effect::collective},
             .example = {"(%c: bool) %b = ballot %c : u32\n"
                         "%r = group_reduce %b {op = max} : u32",
                         "true", "15"}},
    OpRecord{.kind = OpKind::buffer_reduce,
             .name = "buffer_reduce",
             .doc = "Combines all elements of a buffer in a fixed order: element i of the row-major order goes to "
                    "partial i % 16, then the partials are combined 8, 4, 2, 1 apart.",
             .operands = {Role{"buffer", Many::one, Access::reads}},
             .infer = infer_buffer_reduce,
             .levels = kTile,
             .attrs = {needs(Attr::op)},
             .example = {"() %b = buffer {type = f32, shape = [4]} : shared f32[4]\n"
                         "%r = buffer_reduce %b {op = max} : f32"}},
    OpRecord{.kind = OpKind::grid,
             .name = "grid",
             .doc = "A grid loop: its rounds, numbered with the last axis fastest, are spread over the groups; round q "
                    "is done by group q % group_count, a group does its own in increasing order. The last operation "
                    "before `result` or `yield`.",
             .operands = {Role{"lower, upper, step per axis", Many::any}},
             .infer = infer_grid,
             .levels = kTile,
             .attrs = {may(Attr::name)},
             .regions = 1,
             .flow = Flow::rounds,
             .example = {"(%n: index) %c0 = constant 0 : index\n"
                         "%c1 = constant 1 : index\n"
                         "grid %c0, %n, %c1 (%g: index) {\n"
                         "}"}},
    OpRecord{.kind = OpKind::lanes,
             .name = "lanes",
             .doc = "Scalar code, run once per tile of the group, per round of a tile loop, or per tile of a flat "
                    "launch, in any order or at once. Over tiles it yields lane arrays.",
             .operands = {Role{"lower, upper, step per axis", Many::any}},
             .levels = kTile,
             .attrs = {needs(Attr::over), may(Attr::name)},
             .regions = 1,
             .flow = Flow::lanes,
             .results = ResultsFrom::regions,
             .example = {"(%n: index) %c0 = constant 0 : index\n"
                         "%c1 = constant 1 : index\n"
                         "lanes %c0, %n, %c1 {over = tiles} (%i: index) {\n"
                         "}"}},
    OpRecord{.kind = OpKind::lane_read,
             .name = "lane_read",
             .doc = "This tile's element of a lane array; only in a `lanes` region over tiles.",
             .operands = {Role{"array"}},
             .infer = infer_lane_read,
             .levels = kTile,
             .example = {"(%n: index) %c0 = constant 0 : index\n"
                         "%c1 = constant 1 : index\n"
                         "%own = lanes %c0, %n, %c1 {over = tiles} : lanes index (%i: index) {\n"
                         "yield %i\n"
                         "}\n"
                         "lanes %c0, %n, %c1 {over = tiles} (%j: index) {\n"
                         "%v = lane_read %own : index\n"
                         "}"}},
    OpRecord{.kind = OpKind::result,
             .name = "result",
             .doc = "The scalar that the kernel returns: group 0's value counts.",
             .operands = {Role{"value"}},
             .infer = infer_result,
             .levels = kTile,
             .effects = {Effect::in_order},
             .example = {"(%a: f32) result %a"}},
};
static_assert(complete<kTileRecords, kGroupFamily>(),
              "every tile operation has its record, in the order of ir/core/opkind.h");

}  // namespace

std::span<const OpRecord> tile_records() { return kTileRecords; }

}  // namespace tsr::ir
