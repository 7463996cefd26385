// A machine's own: scalars, vectors, addresses, masks.
#include <fmt/format.h>

#include "ir/ops/family.h"

namespace tsr::ir {

namespace {

Inferred infer_index(Operands, const Attrs&) { return gives(Type::scalar(DType::index)); }

std::optional<Failure> want_pointer(const Type& type) {
    if (type.kind == TypeKind::pointer) return std::nullopt;
    return Failure{fmt::format("{} is no pointer", type.text())};
}

// One scalar, or a vector of the given width (0: scalar).
Type shaped(DType elem, int64_t width) {
    return width == 0 ? Type::scalar(elem) : Type::vector(elem, static_cast<uint32_t>(width));
}
bool spreads(const Type& type) { return type.is_scalar() || type.is_vector(); }

// The optional mask: bool of the value's shape, there exactly when `masked` is set.
std::optional<Failure> check_mask(Operands operands, size_t at, const Type& value, const Attrs& attrs) {
    const bool masked = attrs.integer(Attr::masked, 0) != 0;
    if (operands.size() != at + (masked ? 1 : 0)) return Failure{"a mask and the attribute 'masked' come together"};
    if (!masked || operands[at] == value.with(DType::boolean)) return std::nullopt;
    return Failure{fmt::format("the mask of {} is {}", value.text(), operands[at].text())};
}

Inferred infer_slot(Operands, const Attrs& attrs) {
    const DType type = attrs.dtype(Attr::type);
    const bool pointer = attrs.has(Attr::mode) && attrs.string(Attr::mode) == "pointer";
    return gives(pointer ? Type::pointer(type, Space::global) : Type::scalar(type));
}
Inferred infer_scratch(Operands, const Attrs& attrs) {
    return gives(Type::pointer(attrs.dtype(Attr::type), Space::shared));
}
Inferred infer_stack(Operands, const Attrs& attrs) {
    return gives(Type::pointer(attrs.dtype(Attr::type), Space::stack));
}

Inferred infer_pointer_add(Operands operands, const Attrs& attrs) {
    if (auto fault = want_pointer(operands[0])) return *fault;
    if (auto fault = want_integers(operands, 1, "offset")) return *fault;
    return gives(attrs.has(Attr::type) ? operands[0].with(attrs.dtype(Attr::type)) : operands[0]);
}

Inferred infer_load(Operands operands, const Attrs& attrs) {
    if (auto fault = want_pointer(operands[0])) return *fault;
    const Type value = shaped(operands[0].elem, attrs.integer(Attr::width, 0));
    if (auto fault = check_mask(operands, 1, value, attrs)) return *fault;
    return gives(value);
}

Inferred infer_load_matrix(Operands operands, const Attrs& attrs) {
    if (auto fault = want_pointer(operands[0])) return *fault;
    const Type& from = operands[0];
    const int64_t size = bits(from.elem), count = attrs.integer(Attr::count);
    if (from.space != Space::shared || size < 8 || size > 32) {
        return Failure{fmt::format("{} points to no matrices in shared memory", from.text())};
    }
    if (attrs.has(Attr::mode) && size != 16) return Failure{"matrices of 16 bits are transposed, no others"};
    if (count != 1 && count != 2 && count != 4) return Failure{"four words are shared out among 1, 2 or 4"};
    return std::vector<Type>(static_cast<size_t>(count),
                             Type::vector(from.elem, static_cast<uint32_t>(128 / size / count)));
}

Inferred infer_store(Operands operands, const Attrs& attrs) {
    if (auto fault = want_pointer(operands[0])) return *fault;
    if (!spreads(operands[1]) || operands[1].elem != operands[0].elem) {
        return Failure{fmt::format("{} is stored through {}", operands[1].text(), operands[0].text())};
    }
    if (auto fault = check_mask(operands, 2, operands[1], attrs)) return *fault;
    return gives_nothing();
}

std::optional<Failure> want_offsets(const Type& type) {
    if (type.is_vector() && is_integer(type.elem) && bits(type.elem) >= 32) return std::nullopt;
    return Failure{fmt::format("the offsets are {}, need a vector of integers of 32 or 64 bits", type.text())};
}

Inferred infer_gather(Operands operands, const Attrs& attrs) {
    if (auto fault = want_pointer(operands[0])) return *fault;
    if (auto fault = want_offsets(operands[1])) return *fault;
    const Type value = operands[1].with(operands[0].elem);
    if (auto fault = check_mask(operands, 2, value, attrs)) return *fault;
    return gives(value);
}

Inferred infer_scatter(Operands operands, const Attrs& attrs) {
    if (auto fault = want_pointer(operands[0])) return *fault;
    if (auto fault = want_offsets(operands[2])) return *fault;
    const Type value = operands[2].with(operands[0].elem);
    if (operands[1] != value) {
        return Failure{fmt::format("{} is scattered through {}", operands[1].text(), operands[0].text())};
    }
    if (auto fault = check_mask(operands, 3, value, attrs)) return *fault;
    return gives_nothing();
}

Inferred infer_splat(Operands operands, const Attrs& attrs) {
    if (!operands[0].is_scalar()) return Failure{fmt::format("{} is no scalar", operands[0].text())};
    const int64_t width = attrs.integer(Attr::width);
    return gives(Type::vector(operands[0].elem, static_cast<uint32_t>(width)));
}

Inferred infer_iota(Operands, const Attrs& attrs) {
    const int64_t width = attrs.integer(Attr::width);
    if (!is_integer(attrs.dtype(Attr::type))) return Failure{"iota counts in integers"};
    return gives(Type::vector(attrs.dtype(Attr::type), static_cast<uint32_t>(width)));
}

// The position: a static one in `axis`, or the last operand.
std::optional<Failure> check_position(Operands operands, size_t at, const Attrs& attrs) {
    if (!operands[0].is_vector()) return Failure{fmt::format("{} is no vector", operands[0].text())};
    if (attrs.has(Attr::axis) == (operands.size() > at))
        return Failure{"a position is static or an operand, one of them"};
    if (!attrs.has(Attr::axis)) return want_integers(operands, at, "position");
    const int64_t position = attrs.integer(Attr::axis);
    if (position >= 0 && position < operands[0].width) return std::nullopt;
    return Failure{fmt::format("{} has no element {}", operands[0].text(), position)};
}

Inferred infer_extract(Operands operands, const Attrs& attrs) {
    if (auto fault = check_position(operands, 1, attrs)) return *fault;
    return gives(Type::scalar(operands[0].elem));
}

Inferred infer_insert(Operands operands, const Attrs& attrs) {
    if (auto fault = check_position(operands, 2, attrs)) return *fault;
    if (operands[1] != Type::scalar(operands[0].elem)) {
        return Failure{fmt::format("{} is put into {}", operands[1].text(), operands[0].text())};
    }
    return gives(operands[0]);
}

Inferred infer_vector_reduce(Operands operands, const Attrs& attrs) {
    const auto op = static_cast<ReduceOp>(attrs.integer(Attr::op));
    const bool logical = op == ReduceOp::any || op == ReduceOp::all;
    if (!operands[0].is_vector() || logical != (operands[0].elem == DType::boolean)) {
        return Failure{fmt::format("'{}' does not reduce {}", name(op), operands[0].text())};
    }
    return gives(Type::scalar(operands[0].elem));
}

Inferred infer_for_active(Operands operands, const Attrs&) {
    if (!operands[0].is_vector() || operands[0].elem != DType::boolean) {
        return Failure{fmt::format("the mask is {}, needs a vector of bool", operands[0].text())};
    }
    return gives_nothing();
}

Inferred infer_atomic_rmw(Operands operands, const Attrs& attrs) {
    if (auto fault = want_pointer(operands[0])) return *fault;
    const bool compares = attrs.integer(Attr::op) == static_cast<int64_t>(AtomicOp::compare_exchange);
    if (operands.size() != (compares ? 3 : 2)) return Failure{"compare_exchange alone takes a value to compare with"};
    for (const Type& type : operands.subspan(1)) {
        if (type != Type::scalar(operands[0].elem)) {
            return Failure{fmt::format("an atomic through {} is given {}", operands[0].text(), type.text())};
        }
    }
    return gives(Type::scalar(operands[0].elem));
}

Inferred infer_memory_copy(Operands operands, const Attrs&) {
    if (auto fault = want_pointer(operands[0])) return *fault;
    if (auto fault = want_pointer(operands[1])) return *fault;
    if (auto fault = want_integers(operands, 2, "byte count")) return *fault;
    return gives_nothing();
}

Inferred infer_prefetch(Operands operands, const Attrs&) {
    if (auto fault = want_pointer(operands[0])) return *fault;
    if (auto fault = want_integers(operands, 1, "offset")) return *fault;
    return gives_nothing();
}

Inferred infer_nothing(Operands, const Attrs&) { return gives_nothing(); }

Inferred infer_matrix_descriptor(Operands operands, const Attrs& attrs) {
    if (auto fault = want_pointer(operands[0])) return *fault;
    const std::vector<int64_t>& bytes = attrs.integers(Attr::axes);
    if (operands[0].space != Space::shared || bytes.size() != 3 ||
        (bytes[0] != 128 && bytes[0] != 64 && bytes[0] != 32))
        return Failure{"panels of 128, 64 or 32 bytes in shared memory, and two distances"};
    return gives(Type::scalar(DType::u64));
}

// For each step along the inner axis the parts of a, one for each 64 rows, then that of b; then the accumulator.
Inferred infer_group_mma(Operands operands, const Attrs& attrs) {
    const std::vector<int64_t>& extents = attrs.integers(Attr::axes);
    const DType input = attrs.dtype(Attr::type);
    if (extents.size() != 5 || extents[0] % 64 != 0 || extents[1] % 8 != 0 || extents[1] > 256 ||
        extents[2] * bits(input) % 256 != 0)
        return Failure{"a product of a warp group has 64 rows or more, columns by eights, and steps of 32 bytes"};
    const auto parts = static_cast<size_t>(extents[0] / 64),
               steps = static_cast<size_t>(extents[2] * bits(input) / 256);
    const size_t factors = steps * (parts + 1), sums = static_cast<size_t>(extents[0] * extents[1] / 128);
    if (operands.size() != factors && operands.size() != factors + sums)
        return Failure{
            fmt::format("{} operands: needs {} factors, and {} sums or none", operands.size(), factors, sums)};
    const Type sum = Type::scalar(is_integer(input) ? DType::i32 : DType::f32);
    for (size_t i = 0; i < operands.size(); ++i) {
        const Type& type = operands[i];
        const bool held = i % (parts + 1) != parts && type.is_vector() && type.elem == input &&
                          type.width * static_cast<uint32_t>(bits(input)) == 128;
        if (i < factors ? held || type == Type::scalar(DType::u64) : type == sum) continue;
        return Failure{fmt::format("{} is no operand of a warp group's product of {}", type.text(), name(input))};
    }
    return std::vector<Type>(sums, sum);
}

Inferred infer_group_wait(Operands operands, const Attrs&) {
    std::vector<Type> types;
    for (size_t i = 0; i < operands.size(); ++i) types.push_back(operands[i]);
    return types;
}

// Between the threads of a warp: a value of any type that a register holds, and the number of a lane.
Inferred infer_warp_shuffle(Operands operands, const Attrs& attrs) {
    const std::string& mode = attrs.string(Attr::mode);
    if (mode != "index" && mode != "xor" && mode != "up" && mode != "down") {
        return Failure{fmt::format("a shuffle has no mode '{}'", mode)};
    }
    if (!operands[0].is_scalar()) return Failure{fmt::format("{} is no scalar", operands[0].text())};
    if (operands[1] != Type::scalar(DType::i32)) {
        return Failure{fmt::format("the lane is {}, needs i32", operands[1].text())};
    }
    return gives(operands[0]);
}

Inferred infer_warp_vote(Operands operands, const Attrs& attrs) {
    const std::string& mode = attrs.string(Attr::mode);
    if (mode != "any" && mode != "all" && mode != "ballot") {
        return Failure{fmt::format("a vote has no mode '{}'", mode)};
    }
    if (!operands[0].is_bool()) return Failure{fmt::format("the condition is {}, needs bool", operands[0].text())};
    return gives(Type::scalar(mode == "ballot" ? DType::u32 : DType::boolean));
}

Inferred infer_async_copy(Operands operands, const Attrs& attrs) {
    for (size_t i = 0; i < 2; ++i) {
        if (auto fault = want_pointer(operands[i])) return *fault;
    }
    if (operands[0].space != Space::shared || operands[1].space != Space::global) {
        return Failure{"an asynchronous copy goes from global to shared memory"};
    }
    if (operands[2] != Type::scalar(DType::i32)) {
        return Failure{fmt::format("the number of bytes is {}, needs i32", operands[2].text())};
    }
    const int64_t width = attrs.integer(Attr::width);
    if (width != 4 && width != 8 && width != 16) return Failure{"an asynchronous copy moves 4, 8 or 16 bytes"};
    return gives_nothing();
}

using enum OpKind;

constexpr std::array kKinds{TSR_TARGET_OPS(TSR_KIND)};
constexpr std::array kRecords{
    OpRecord{.kind = slot,
             .name = "slot",
             .doc = "Slot `count` of the launch: a scalar of the type, or with mode \"pointer\" the address of a "
                    "tensor's elements.",
             .infer = infer_slot,
             .levels = kTarget,
             .attrs = {needs(Attr::count), needs(Attr::type), may(Attr::mode), may(Attr::alignment), may(Attr::name)}},
    OpRecord{.kind = task_begin,
             .name = "task_begin",
             .doc = "The first group (tile of a flat kernel) of this task.",
             .infer = infer_index,
             .levels = kTarget},
    OpRecord{.kind = task_end,
             .name = "task_end",
             .doc = "One past the last group (tile of a flat kernel) of this task.",
             .infer = infer_index,
             .levels = kTarget},
    OpRecord{.kind = scratch,
             .name = "scratch",
             .doc = "A place in the worker's scratch memory, `count` bytes from its beginning.",
             .infer = infer_scratch,
             .levels = kTarget,
             .attrs = {needs(Attr::count), needs(Attr::type), may(Attr::alignment), may(Attr::name)}},
    OpRecord{.kind = stack,
             .name = "stack",
             .doc = "`count` elements on the function's stack, contents undefined at first, one even in a loop.",
             .infer = infer_stack,
             .levels = kTarget,
             .attrs = {needs(Attr::type), needs(Attr::count), may(Attr::alignment), may(Attr::name)},
             .effects = {Effect::identity}},
    OpRecord{.kind = pointer_add,
             .name = "pointer_add",
             .doc = "The address `offset` elements further; what stands there is read as elements of `type`, if given.",
             .operands = {Role{"pointer"}, Role{"offset"}},
             .infer = infer_pointer_add,
             .levels = kTarget,
             .attrs = {may(Attr::type)}},
    OpRecord{.kind = load,
             .name = "load",
             .doc = "One element, or with `width` that many consecutive ones; where a mask is false nothing is touched "
                    "and the value is 0. Aligned to the element, or to `alignment` bytes.",
             .operands = {Role{"pointer", Many::one, Access::reads}, Role{"mask", Many::optional}},
             .infer = infer_load,
             .levels = kTarget,
             .attrs = {may(Attr::width), may(Attr::alignment), may(Attr::masked)}},
    OpRecord{
        .kind = store,
        .name = "store",
        .doc =
            "Stores one element or consecutive ones; where a mask is false nothing is touched. With mode \"past\" the "
            "vector goes by the caches where the machine can; it is not read again by this task.",
        .operands = {Role{"pointer", Many::one, Access::writes}, Role{"value"}, Role{"mask", Many::optional}},
        .infer = infer_store,
        .levels = kTarget,
        .attrs = {may(Attr::alignment), may(Attr::masked), may(Attr::mode)}},
    OpRecord{.kind = gather,
             .name = "gather",
             .doc = "The elements at the offsets; where a mask is false nothing is touched and the value is 0.",
             .operands = {Role{"pointer", Many::one, Access::reads}, Role{"offsets"}, Role{"mask", Many::optional}},
             .infer = infer_gather,
             .levels = kTarget,
             .attrs = {may(Attr::masked)}},
    OpRecord{.kind = scatter,
             .name = "scatter",
             .doc = "Stores elements at the offsets, lane 0 first; where a mask is false nothing is touched.",
             .operands = {Role{"pointer", Many::one, Access::writes}, Role{"value"}, Role{"offsets"},
                          Role{"mask", Many::optional}},
             .infer = infer_scatter,
             .levels = kTarget,
             .attrs = {may(Attr::masked)}},
    OpRecord{.kind = splat,
             .name = "splat",
             .doc = "A vector of one value.",
             .operands = {Role{"scalar"}},
             .infer = infer_splat,
             .levels = kTarget,
             .attrs = {needs(Attr::width)}},
    OpRecord{.kind = iota,
             .name = "iota",
             .doc = "0, 1, 2, … in the order of the elements.",
             .infer = infer_iota,
             .levels = kTarget,
             .attrs = {needs(Attr::width), needs(Attr::type)}},
    OpRecord{.kind = extract,
             .name = "extract",
             .doc = "The element at a position, static (`axis`) or an operand; outside is undefined.",
             .operands = {Role{"vector"}, Role{"position", Many::optional}},
             .infer = infer_extract,
             .levels = kTarget,
             .attrs = {may(Attr::axis)}},
    OpRecord{.kind = insert,
             .name = "insert",
             .doc = "The vector with the element at a position, static (`axis`) or an operand, replaced.",
             .operands = {Role{"vector"}, Role{"scalar"}, Role{"position", Many::optional}},
             .infer = infer_insert,
             .levels = kTarget,
             .attrs = {may(Attr::axis)}},
    OpRecord{
        .kind = vector_reduce,
        .name = "vector_reduce",
        .doc = "Combines the elements of a vector in a fixed tree: the upper half with the lower, again and again.",
        .operands = {Role{"vector"}},
        .infer = infer_vector_reduce,
        .levels = kTarget,
        .attrs = {needs(Attr::op)}},
    OpRecord{.kind = for_active,
             .name = "for_active",
             .doc = "Runs the region once per true element of the mask, in order, with its number.",
             .operands = {Role{"mask"}},
             .infer = infer_for_active,
             .levels = kTarget,
             .regions = 1},
    OpRecord{
        .kind = atomic_rmw,
        .name = "atomic_rmw",
        .doc = "Reads, combines and writes one element without interruption, relaxed; gives the old value.",
        .operands = {Role{"pointer", Many::one, Access::reads_writes}, Role{"value"}, Role{"compare", Many::optional}},
        .infer = infer_atomic_rmw,
        .levels = kTarget,
        .attrs = {needs(Attr::op)},
        .effects = {Effect::nondeterministic}},
    OpRecord{.kind = memory_copy,
             .name = "memory_copy",
             .doc = "Copies bytes between places that do not overlap.",
             .operands = {Role{"to", Many::one, Access::writes}, Role{"from", Many::one, Access::reads}, Role{"bytes"}},
             .infer = infer_memory_copy,
             .levels = kTarget},
    OpRecord{
        .kind = prefetch,
        .name = "prefetch",
        .doc = "Brings the cache line of the element `offset` further into the second cache. There need not be one.",
        .operands = {Role{"pointer"}, Role{"offset"}},
        .infer = infer_prefetch,
        .levels = kTarget,
        .effects = {Effect::in_order}},
    OpRecord{.kind = thread_id,
             .name = "thread_id",
             .doc =
                 "Of a GPU: this thread's number in its block, from 0. Blocks have one dimension and whole warps. With "
                 "the mode `anew` it is read where it stands: nothing that is computed from it waits in registers "
                 "before.",
             .infer = infer_index,
             .levels = kTarget,
             .attrs = {may(Attr::mode)}},
    OpRecord{.kind = block_id,
             .name = "block_id",
             .doc = "Of a GPU: this block's number in the launch, from 0. Grids have one dimension.",
             .infer = infer_index,
             .levels = kTarget},
    OpRecord{.kind = block_barrier,
             .name = "block_barrier",
             .doc = "Every thread of the block arrives, and sees what the others wrote, before one goes on (PTX ISA, "
                    "bar.sync). With `count` so many threads, whole warps, that meet at barrier number `axis`.",
             .infer = infer_nothing,
             .levels = kTarget,
             .attrs = {may(Attr::count), may(Attr::axis)},
             .effects = {Effect::barrier, Effect::collective, Effect::in_order}},
    OpRecord{.kind = warp_shuffle,
             .name = "warp_shuffle",
             .doc =
                 "The value of another thread of the warp: of the lane given (`index`), of this lane's number xor "
                 "it, or of the lane so much below (`up`) or above (`down`), the own one where there is none. All 32 "
                 "lanes take part (PTX ISA, shfl.sync).",
             .operands = {Role{"value"}, Role{"lane"}},
             .infer = infer_warp_shuffle,
             .levels = kTarget,
             .attrs = {needs(Attr::mode)},
             .effects = {Effect::collective}},
    OpRecord{.kind = warp_vote,
             .name = "warp_vote",
             .doc = "Is the condition true in `any` or `all` lanes of the warp, or as `ballot` a bit for each, lane 0 "
                    "lowest. All 32 lanes take part (PTX ISA, vote.sync).",
             .operands = {Role{"condition"}},
             .infer = infer_warp_vote,
             .levels = kTarget,
             .attrs = {needs(Attr::mode)},
             .effects = {Effect::collective}},
    OpRecord{.kind = async_copy,
             .name = "async_copy",
             .doc =
                 "Starts to copy `bytes` bytes, 0 … `width`, and makes the rest of `width` zero; both places are "
                 "aligned to `width`. Until a wait covers it the destination is undefined (PTX ISA, cp.async); before "
                 "sm_80 it is done at once.",
             .operands = {Role{"to", Many::one, Access::writes}, Role{"from", Many::one, Access::reads}, Role{"bytes"}},
             .infer = infer_async_copy,
             .levels = kTarget,
             .attrs = {needs(Attr::width)},
             .effects = {Effect::in_order}},
    OpRecord{.kind = async_commit,
             .name = "async_commit",
             .doc = "Puts this thread's copies started since the last one into a group of copies.",
             .infer = infer_nothing,
             .levels = kTarget,
             .effects = {Effect::in_order}},
    OpRecord{.kind = async_wait,
             .name = "async_wait",
             .doc = "Waits until at most `count` of this thread's groups of copies are in flight.",
             .infer = infer_nothing,
             .levels = kTarget,
             .attrs = {needs(Attr::count)},
             .effects = {Effect::in_order}},
    OpRecord{.kind = load_matrix,
             .name = "load_matrix",
             .doc = "Four matrices of eight rows of 16 bytes, each row at an address that is a multiple of 16: lane l "
                    "gives that of row l % 8 of matrix l / 8, and gets of each matrix the four bytes number l % 4 of "
                    "row l / 4; with `mode` \"transposed\" the elements 2 (l % 4) and the next one of column l / 4, "
                    "elements being of 16 bits. What a lane gets is shared out evenly among `count` results. All 32 "
                    "lanes take part (PTX ISA, ldmatrix.x4).",
             .operands = {Role{"pointer", Many::one, Access::reads}},
             .infer = infer_load_matrix,
             .levels = kTarget,
             .attrs = {needs(Attr::count), may(Attr::mode)},
             .effects = {Effect::collective}},
    OpRecord{.kind = matrix_descriptor,
             .name = "matrix_descriptor",
             .doc = "What warp groups' products are told of an operand in panels of shared memory that begins at the "
                    "pointer. `axes`: the bytes of a panel's row (128, 64 or 32), from panel to panel, and from eight "
                    "rows to the next. In units of 16 bytes what is added to it moves it (PTX ISA, wgmma, \"Matrix "
                    "descriptor\").",
             .operands = {Role{"pointer"}},
             .infer = infer_matrix_descriptor,
             .levels = kTarget,
             .attrs = {needs(Attr::axes)}},
    OpRecord{.kind = group_mma,
             .name = "group_mma",
             .doc =
                 "Starts a product of four warps that follow each other: accumulator (0 if not given) + a @ b, of "
                 "which each warp has 16 of every 64 rows as fragments of ir/machine/fragments.h. `axes`: rows, "
                 "columns, inner extent, 1 where a and where b lies in rows along the inner axis. `type`: of what is "
                 "multiplied. Operands: for each 32 bytes of the inner axis a, by 64 rows, then b; a as fragments "
                 "or a descriptor, b as one; then the accumulator. The results are not there before a `group_wait` "
                 "gives them; until then nothing else touches them, or what is read (PTX ISA, wgmma.mma_async).",
             .operands = {Role{"factors and accumulator", Many::any, Access::value}},
             .infer = infer_group_mma,
             .levels = kTarget,
             .attrs = {needs(Attr::axes), needs(Attr::type)},
             .effects = {Effect::collective, Effect::in_order}},
    OpRecord{.kind = group_wait,
             .name = "group_wait",
             .doc = "Waits until at most `count` products of this warp group are under way, and gives the results of "
                    "one that is done.",
             .operands = {Role{"values", Many::any}},
             .infer = infer_group_wait,
             .levels = kTarget,
             .attrs = {needs(Attr::count)},
             .effects = {Effect::collective, Effect::in_order}},
    OpRecord{.kind = proxy_fence,
             .name = "proxy_fence",
             .doc = "What this thread wrote to shared memory is seen by products of warp groups that start behind the "
                    "next barrier (PTX ISA, fence.proxy.async).",
             .infer = infer_nothing,
             .levels = kTarget,
             .effects = {Effect::in_order}},
    OpRecord{.kind = runtime,
             .name = "runtime",
             .doc = "A call of a function of the runtime by its C name. On a GPU also what has no other place in a "
                    "program than this one (codegen/nvptx/boxes.h lists it): of mbarriers, copies of boxes, registers.",
             .operands = {Role{"arguments", Many::any, Access::reads_writes}},
             .levels = kTarget,
             .attrs = {needs(Attr::callee), may(Attr::count), may(Attr::axes), may(Attr::mode), may(Attr::width)},
             .effects = {Effect::io},
             .results = ResultsFrom::given},
};
static_assert(complete(kKinds, kRecords), "every target operation has its record, in the order of ir/core/opkind.h");

}  // namespace

std::span<const OpRecord> target_records() { return kRecords; }

}  // namespace tsr::ir
