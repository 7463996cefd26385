// Register tiles: values of the whole group, of static shape (language reference, section 4, "Register tiles").
// The group computes a tile once; loads and stores are collective. Element operations on tiles stand in element.cpp.
#include "ir/ops/register.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/numerics.h"
#include "ir/ops/family.h"
#include "ir/ops/reduction.h"

namespace tsr::ir {

namespace {

bool is_tile(const Type& type) { return type.kind == TypeKind::tile; }

std::optional<Failure> want_static(const std::vector<Dim>& shape) {
    if (shape.empty()) return Failure{"a register tile has an axis at least"};
    for (const Dim& extent : shape) {
        if (extent.constant_value() && *extent.constant_value() > 0) continue;
        return Failure{fmt::format("a tile's extent is {}, needs a static one above 0", extent.text())};
    }
    return std::nullopt;
}

std::optional<Failure> want_tile(const Type& type) {
    if (is_tile(type)) return std::nullopt;
    return Failure{fmt::format("{} is no register tile", type.text())};
}

// The axes that a tile takes of the memory: as many as the tile has, increasing.
std::optional<Failure> check_view(const Type& memory, const std::vector<Dim>& shape, Operands starts,
                                  const Attrs& attrs) {
    if (!memory.is_memory()) return Failure{fmt::format("the memory is {}, needs a tensor or buffer", memory.text())};
    const std::vector<int64_t>& axes = attrs.integers(Attr::axes);
    const bool increasing = std::ranges::is_sorted(axes, std::less_equal<>());
    const bool inside = axes.empty() || (axes.front() >= 0 && axes.back() < static_cast<int64_t>(memory.rank()));
    if (axes.size() != shape.size() || !increasing || !inside) {
        return Failure{fmt::format("{} axes of {} for a tile of rank {}", axes.size(), memory.text(), shape.size())};
    }
    if (starts.size() != memory.rank()) {
        return Failure{fmt::format("{} starts in {}", starts.size(), memory.text())};
    }
    return want_integers(starts, 0, "start");
}

// memory, start per axis of it, [fill].
Inferred infer_load_tile(Operands operands, const Attrs& attrs) {
    const Type& memory = operands[0];
    const std::vector<Dim>& shape = attrs.dims(Attr::shape);
    if (auto fault = want_static(shape)) return *fault;
    if (!memory.is_memory()) return Failure{fmt::format("{} is no memory to load from", memory.text())};
    const size_t after = 1 + memory.rank();
    if (operands.size() != after && operands.size() != after + 1) {
        return Failure{fmt::format("a load from {} has {} operands", memory.text(), operands.size())};
    }
    if (auto fault = check_view(memory, shape, operands.subspan(1, memory.rank()), attrs)) return *fault;
    if (operands.size() > after && operands[after] != Type::scalar(memory.elem)) {
        return Failure{fmt::format("{} is filled with {}", memory.text(), operands[after].text())};
    }
    return gives(Type::tile(memory.elem, shape));
}

// memory, tile, start per axis of the memory.
Inferred infer_store_tile(Operands operands, const Attrs& attrs) {
    if (auto fault = want_tile(operands[1])) return *fault;
    if (operands[0].elem != operands[1].elem) {
        return Failure{fmt::format("{} is stored in {}", operands[1].text(), operands[0].text())};
    }
    if (auto fault = check_view(operands[0], operands[1].shape, operands.subspan(2), attrs)) return *fault;
    return gives_nothing();
}

Inferred infer_atomic_tile(Operands operands, const Attrs& attrs) {
    if (attrs.integer(Attr::op) == static_cast<int64_t>(AtomicOp::compare_exchange)) {
        return Failure{"an atomic on a view compares nothing"};
    }
    return infer_store_tile(operands, attrs);
}

bool has_axes(const Type& type) { return is_tile(type) || type.kind == TypeKind::tensor; }

Type of_shape(const Type& like, std::vector<Dim> shape) {
    return like.kind == TypeKind::tensor ? Type::tensor(like.elem, std::move(shape), false, like.policy)
                                         : Type::tile(like.elem, std::move(shape));
}

// Operand axis i becomes the result's axis axes[i].
Inferred infer_expand(Operands operands, const Attrs& attrs) {
    const std::vector<Dim>& shape = attrs.dims(Attr::shape);
    const std::vector<int64_t>& axes = attrs.integers(Attr::axes);
    const Type& value = operands[0];
    if (value.kind != TypeKind::tensor) {
        if (auto fault = want_static(shape)) return *fault;
    }
    if (!value.is_scalar() && !has_axes(value)) return Failure{fmt::format("{} does not expand", value.text())};
    if (axes.size() != value.rank() || !std::ranges::is_sorted(axes, std::less_equal<>())) {
        return Failure{fmt::format("{} axes for {}", axes.size(), value.text())};
    }
    ResultTypes result{{of_shape(value, shape)}, {}};
    for (size_t i = 0; i < axes.size(); ++i) {
        const bool inside = axes[i] >= 0 && axes[i] < static_cast<int64_t>(shape.size());
        if (!inside) return Failure{fmt::format("axis {} of {} does not fit", i, value.text())};
        if (value.shape[i].constant_value() == 1) continue;
        const auto axis = static_cast<size_t>(axes[i]);
        if (auto fault =
                same_extent({0, i, value.shape[i], "value"}, {0, axis, shape[axis], "shape"}, result.conditions))
            return *fault;
    }
    return result;
}

Inferred infer_tile_iota(Operands, const Attrs& attrs) {
    const std::vector<Dim>& shape = attrs.dims(Attr::shape);
    if (auto fault = want_static(shape)) return *fault;
    const int64_t axis = attrs.integer(Attr::axis);
    if (axis < 0 || axis >= static_cast<int64_t>(shape.size()))
        return Failure{fmt::format("there is no axis {}", axis)};
    return gives(Type::tile(DType::i32, shape));
}

// Axis i of the result is axis `axes`[i] of the value.
Inferred infer_permuted(const Type& value, const std::vector<int64_t>& axes) {
    std::vector<int64_t> sorted = axes;
    std::ranges::sort(sorted);
    bool each = value.kind == TypeKind::tensor && sorted.size() == value.rank();
    for (size_t i = 0; each && i < sorted.size(); ++i) each = sorted[i] == static_cast<int64_t>(i);
    if (!each) return Failure{fmt::format("`axes` does not name each axis of {} once", value.text())};
    std::vector<Dim> shape;
    for (int64_t axis : axes) shape.push_back(value.shape[static_cast<size_t>(axis)]);
    return gives(of_shape(value, std::move(shape)));
}

Inferred infer_transpose(Operands operands, const Attrs& attrs) {
    if (attrs.has(Attr::axes)) return infer_permuted(operands[0], attrs.integers(Attr::axes));
    if (!has_axes(operands[0]) || operands[0].rank() < 2) {
        return Failure{fmt::format("{} has no two axes to swap", operands[0].text())};
    }
    Type type = of_shape(operands[0], operands[0].shape);
    std::swap(type.shape[type.rank() - 1], type.shape[type.rank() - 2]);
    return gives(type);
}

std::optional<Failure> check_along(const Type& type, const Attrs& attrs) {
    if (!has_axes(type)) return Failure{fmt::format("{} is no tensor or register tile", type.text())};
    const int64_t axis = attrs.integer(Attr::axis);
    if (axis < 0 || axis >= static_cast<int64_t>(type.rank())) {
        return Failure{fmt::format("{} has no axis {}", type.text(), axis)};
    }
    return check_reduce(type, attrs);
}

Inferred infer_reduce(Operands operands, const Attrs& attrs) {
    if (auto fault = check_along(operands[0], attrs)) return *fault;
    Type type = of_shape(operands[0], operands[0].shape);
    if (type.rank() == 1) return gives(Type::scalar(type.elem));
    type.shape.erase(type.shape.begin() + attrs.integer(Attr::axis));
    return gives(type);
}

Inferred infer_scan(Operands operands, const Attrs& attrs) {
    if (auto fault = check_along(operands[0], attrs)) return *fault;
    if (attrs.has(Attr::reverse) && operands[0].kind != TypeKind::tensor) {
        return Failure{fmt::format("{} is scanned from the beginning", operands[0].text())};
    }
    return gives(of_shape(operands[0], operands[0].shape));
}

Inferred infer_flip(Operands operands, const Attrs& attrs) {
    const Type& value = operands[0];
    if (auto fault = want_tile(value)) return *fault;
    const int64_t axis = attrs.integer(Attr::axis);
    if (axis < 0 || axis >= static_cast<int64_t>(value.rank())) {
        return Failure{fmt::format("{} has no axis {}", value.text(), axis)};
    }
    return gives(value);
}

bool multiplies(DType a, DType b, DType accum) {
    const bool widened =
        a == DType::i32 && b == DType::i32;  // to the accumulation, on a machine that lacks the product
    if (widened) return accum == DType::i32;
    const auto product = product_type(a, b);
    return product && (a == b || keeps_factors(*product)) && accumulates_in(*product, accum);
}

// a, b, [accumulator].
Inferred infer_mma(Operands operands, const Attrs& attrs) {
    const DType accum = attrs.dtype(Attr::type);
    const bool transposed[] = {attrs.has(Attr::a_transposed), attrs.has(Attr::b_transposed)};
    for (size_t i = 0; i < 2; ++i) {
        const bool held = is_tile(operands[i]) || operands[i].kind == TypeKind::buffer;
        if (!held || operands[i].rank() != 2) {
            return Failure{fmt::format("{} is no tile or buffer of two axes", operands[i].text())};
        }
    }
    const auto along = [&](size_t operand, size_t axis) {
        const size_t own = transposed[operand] ? 1 - axis : axis;
        return OperandAxis{operand, own, operands[operand].shape[own], operand == 0 ? "a" : "b"};
    };
    ResultTypes result;
    if (auto fault = same_extent(along(0, 1), along(1, 0), result.conditions)) return *fault;
    if (!multiplies(operands[0].elem, operands[1].elem, accum)) {
        return Failure{
            fmt::format("no product of {} and {} in {}", name(operands[0].elem), name(operands[1].elem), name(accum))};
    }
    const bool singles = operands[0].elem == DType::f32 && operands[1].elem == DType::f32;
    if (attrs.has(Attr::tf32) && !singles) {
        return Failure{fmt::format("a product of {} is not computed in tf32", name(operands[0].elem))};
    }
    const Type type = Type::tile(accum, {along(0, 0).extent, along(1, 1).extent});
    if (auto fault = want_static(type.shape)) return *fault;
    if (operands.size() > 2 && operands[2] != type) {
        return Failure{fmt::format("the accumulator is {}, needs {}", operands[2].text(), type.text())};
    }
    result.types = {type};
    return result;
}

// Two rows of 16 bits or four of 8 in one of words.
Inferred infer_pack_rows(Operands operands, const Attrs&) {
    const Type& tile = operands[0];
    if (!is_tile(tile) || tile.rank() != 2 || bits(tile.elem) > 16) {
        return Failure{fmt::format("the rows of {} do not pack", tile.text())};
    }
    const int64_t count = 32 / bits(tile.elem);
    const auto rows = tile.shape[0].constant_value();
    if (!rows || *rows % count != 0) return Failure{fmt::format("{} rows do not pack by {}", tile.text(), count)};
    return gives(Type::tile(DType::u32, {Dim::constant(*rows / count), tile.shape[1]}));
}

// a, b in words, [accumulator].
Inferred infer_mma_words(Operands operands, const Attrs& attrs) {
    const Type& a = operands[0];
    const Type& b = operands[1];
    if (!is_tile(a) || !is_tile(b) || a.rank() != 2 || b.rank() != 2 || b.elem != DType::u32 || bits(a.elem) > 16) {
        return Failure{fmt::format("no product of {} and words {}", a.text(), b.text())};
    }
    if (a.shape[1] != b.shape[0] * Dim::constant(32 / bits(a.elem))) {
        return Failure{fmt::format("the inner extents of {} and {} differ", a.text(), b.text())};
    }
    const Type type = Type::tile(attrs.dtype(Attr::type), {a.shape[0], b.shape[1]});
    if (operands.size() > 2 && operands[2] != type) {
        return Failure{fmt::format("the accumulator is {}, needs {}", operands[2].text(), type.text())};
    }
    return gives(type);
}

constexpr std::array kRegisterRecords{
    OpRecord{.kind = OpKind::expand,
             .name = "expand",
             .doc = "A scalar, tile or tensor repeated to `shape`, of a scalar a tile: axis i of it becomes axis "
                    "`axes`[i], of its own extent or "
                    "repeated where that is 1; all other axes repeat it.",
             .operands = {Role{"value"}},
             .infer = infer_expand,
             .levels = kGraphAndTile,
             .attrs = {needs(Attr::shape), needs(Attr::axes)},
             .axes = AxisRule::repeat,
             .conditional = true,
             .cost = Cost::free,
             .example = {"(%a: i32) %t = expand %a {axes = [], shape = [4]} : tile i32[4]\n"
                         "%r = reduce %t {op = add, axis = 0} : i32",
                         "3", "12"}},
    OpRecord{.kind = OpKind::transpose,
             .name = "transpose",
             .doc = "The last two axes swapped; of a tensor with `axes`: axis i of the result is axis axes[i] of the "
                    "value.",
             .operands = {Role{"value"}},
             .infer = infer_transpose,
             .levels = kGraphAndTile,
             .attrs = {may(Attr::axes)},
             .axes = AxisRule::permute,
             .cost = Cost::across,
             .example = {"() %t = tile_iota {axis = 1, shape = [2, 3]} : tile i32[2, 3]\n"
                         "%u = transpose %t : tile i32[3, 2]\n"
                         "%s = reduce %u {op = max, axis = 0} : tile i32[2]\n"
                         "%r = reduce %s {op = add, axis = 0} : i32",
                         "", "4"}},
    OpRecord{.kind = OpKind::reduce,
             .name = "reduce",
             .doc =
                 "Combines along an axis, in the element type and an order fixed per machine; of one axis it gives a "
                 "scalar. NaN passes on.",
             .operands = {Role{"value"}},
             .infer = infer_reduce,
             .levels = kGraphAndTile,
             .attrs = {needs(Attr::op), needs(Attr::axis)},
             .axes = AxisRule::drop,
             .cost = Cost::light,
             .example = {"() %t = tile_iota {axis = 0, shape = [4]} : tile i32[4]\n"
                         "%r = reduce %t {op = add, axis = 0} : i32",
                         "", "6"}},
    OpRecord{
        .kind = OpKind::scan,
        .name = "scan",
        .doc =
            "Inclusive scan along an axis from its beginning, in the element type and an order fixed per machine; of a "
            "tensor with `reverse` from the axis' end.",
        .operands = {Role{"value"}},
        .infer = infer_scan,
        .levels = kGraphAndTile,
        .attrs = {needs(Attr::op), needs(Attr::axis), may(Attr::reverse)},
        .axes = AxisRule::along,
        .cost = Cost::light,
        .example = {"() %t = tile_iota {axis = 0, shape = [4]} : tile i32[4]\n"
                    "%s = scan %t {op = add, axis = 0} : tile i32[4]\n"
                    "%r = reduce %s {op = add, axis = 0} : i32",
                    "", "10"}},
    OpRecord{.kind = OpKind::load_tile,
             .name = "load_tile",
             .doc =
                 "The view of the memory with the extents `shape` that begins at the starts, one per axis of the "
                 "memory; the tile's axes run along the memory's axes `axes`, the others are single positions. A start "
                 "may be any number. Outside the memory is `fill`, 0 if not given: everywhere, where a single position "
                 "is outside. With `waits` it takes what stores with `waits` have left there.",
             .operands = {Role{"memory", Many::one, Access::reads}, Role{"starts and fill", Many::any}},
             .infer = infer_load_tile,
             .levels = kTile,
             .attrs = {needs(Attr::shape), needs(Attr::axes), may(Attr::waits)},
             .effects = {Effect::collective},
             .axes = AxisRule::made,
             .cost = Cost::light,
             .example = {"(%x: f32[n], %i: index) %t = load_tile %x, %i {axes = [0], shape = [4]} : tile f32[4]"}},
    OpRecord{.kind = OpKind::store_tile,
             .name = "store_tile",
             .doc = "Stores a tile in the view that begins at the starts, as `load_tile` has it. What lies outside is "
                    "left out. Of packed types whole packs are stored (2 elements of 4 bits, 4 of 6 bits): two groups "
                    "must not store to one pack. With `waits` only loads with `waits` in the same round of the grid "
                    "take it, and a store without stores over it: it may wait elsewhere.",
             .operands = {Role{"memory", Many::one, Access::writes}, Role{"value"}, Role{"starts", Many::any}},
             .infer = infer_store_tile,
             .levels = kTile,
             .attrs = {needs(Attr::axes), may(Attr::waits)},
             .effects = {Effect::collective},
             .axes = AxisRule::made,
             .cost = Cost::light,
             .example = {"(%y: mut f32[n], %i: index, %a: f32) %t = expand %a {axes = [], shape = [4]} : tile f32[4]\n"
                         "store_tile %y, %t, %i {axes = [0]}"}},
    OpRecord{.kind = OpKind::atomic_tile,
             .name = "atomic_tile",
             .doc = "Combines each element of a tile into the view, atomically and relaxed, in any order. What lies "
                    "outside is left out.",
             .operands = {Role{"memory", Many::one, Access::reads_writes}, Role{"value"}, Role{"starts", Many::any}},
             .infer = infer_atomic_tile,
             .levels = kTile,
             .attrs = {needs(Attr::axes), needs(Attr::op)},
             .effects = {Effect::collective, Effect::nondeterministic},
             .axes = AxisRule::made,
             .cost = Cost::light,
             .example = {"(%y: mut f32[n], %i: index, %a: f32) %t = expand %a {axes = [], shape = [4]} : tile f32[4]\n"
                         "atomic_tile %y, %t, %i {op = add, axes = [0]}"}},
    OpRecord{.kind = OpKind::tile_iota,
             .name = "tile_iota",
             .doc = "The index along an axis, as i32.",
             .infer = infer_tile_iota,
             .levels = kTile,
             .attrs = {needs(Attr::shape), needs(Attr::axis)},
             .axes = AxisRule::made,
             .cost = Cost::light,
             .example = {"() %t = tile_iota {axis = 0, shape = [4]} : tile i32[4]\n"
                         "%r = reduce %t {op = add, axis = 0} : i32",
                         "", "6"}},
    OpRecord{.kind = OpKind::flip,
             .name = "flip",
             .doc = "The elements along an axis in reverse order.",
             .operands = {Role{"value"}},
             .infer = infer_flip,
             .levels = kTile,
             .attrs = {needs(Attr::axis)},
             .axes = AxisRule::along,
             .cost = Cost::across,
             .example = {"() %t = tile_iota {axis = 0, shape = [4]} : tile i32[4]\n"
                         "%u = flip %t {axis = 0} : tile i32[4]\n"
                         "%s = scan %u {op = add, axis = 0} : tile i32[4]\n"
                         "%r = reduce %s {op = add, axis = 0} : i32",
                         "", "20"}},
    OpRecord{
        .kind = OpKind::mma,
        .name = "mma",
        .doc =
            "accumulator + a @ b: element [i, j] is accumulator[i, j] (0 if not given) plus the sum over k of "
            "a[i, k] * b[k, j], every partial sum in `type`, in an order fixed per machine. `a_transposed`, "
            "`b_transposed`: a or b is given transposed. Floats: |error| <= K u sum |a| |b| / (1 - K u), u the unit "
            "roundoff of `type` (Higham, Accuracy and Stability, 3.5). Integers: exact, wrapping. `masked`: of the "
            "depth, what lies behind the end of the loop around it is 0 in a and in b. With `tf32` the "
            "elements of a and b, of f32, are rounded to 11 bits of significand first, to nearest, halves away from "
            "zero (PTX ISA, cvt.rna.tf32). `pending`: it is only started; until a `wait_group` covers it a and b are "
            "read, and nothing but another such product that adds to its result touches that. `turn`: of the warp "
            "groups "
            "of a block, that multiply and do other work in turn, what it does to its own one's turn.",
        .operands = {Role{"a", Many::one, Access::reads}, Role{"b", Many::one, Access::reads},
                     Role{"accumulator", Many::optional}},
        .infer = infer_mma,
        .levels = kTile,
        .attrs = {needs(Attr::type), may(Attr::a_transposed), may(Attr::b_transposed), may(Attr::tf32),
                  may(Attr::pending), may(Attr::masked), may(Attr::turn)},
        .axes = AxisRule::contract,
        .cost = Cost::light,
        .example = {"(%a: f32) %t = expand %a {axes = [], shape = [2, 2]} : tile f32[2, 2]\n"
                    "%p = mma %t, %t {type = f32} : tile f32[2, 2]\n"
                    "%s = reduce %p {op = add, axis = 0} : tile f32[2]\n"
                    "%r = reduce %s {op = max, axis = 0} : f32",
                    "3", "36"}},
    OpRecord{.kind = OpKind::pack_rows,
             .name = "pack_rows",
             .doc = "Rows that follow each other in one: a word holds two elements of 16 bits, or four of 8, the first "
                    "row's lowest. What the matrix units of CPUs read as their second operand.",
             .operands = {Role{"value"}},
             .infer = infer_pack_rows,
             .levels = kTile,
             .axes = AxisRule::pack,
             .cost = Cost::across,
             .example = {"(%a: bf16) %t = expand %a {axes = [], shape = [4, 2]} : tile bf16[4, 2]\n"
                         "%w = pack_rows %t : tile u32[2, 2]"}},
    OpRecord{.kind = OpKind::mma_words,
             .name = "mma_words",
             .doc = "`mma` with the second operand packed by `pack_rows`; its element type is `packed`. Bytes that "
                    "the vector unit multiplies are of unlike signs: where both operands have one type, the first is "
                    "given with its highest bits flipped, and what that adds is taken from the accumulator.",
             .operands = {Role{"a"}, Role{"b"}, Role{"accumulator", Many::optional}},
             .infer = infer_mma_words,
             .levels = kTile,
             .attrs = {needs(Attr::type), needs(Attr::packed), may(Attr::masked)},
             .axes = AxisRule::contract,
             .cost = Cost::light,
             .example = {"(%a: bf16) %t = expand %a {axes = [], shape = [4, 2]} : tile bf16[4, 2]\n"
                         "%w = pack_rows %t : tile u32[2, 2]\n"
                         "%m = expand %a {axes = [], shape = [2, 4]} : tile bf16[2, 4]\n"
                         "%p = mma_words %m, %w {type = f32, packed = bf16} : tile f32[2, 2]"}},
};
static_assert(complete<kRegisterRecords, kRegisterFamily>(),
              "every register-tile operation has its record, in the order of opkind.h");
static_assert(say_axes<kRegisterRecords>() && say_cost<kRegisterRecords>());
static_assert(say_graphs<kRegisterRecords, kAxisFamily>());

}  // namespace

std::span<const OpRecord> register_records() { return kRegisterRecords; }

}  // namespace tsr::ir
