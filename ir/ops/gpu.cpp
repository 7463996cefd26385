// The threads of a GPU: their numbers, where they meet, what warps and warp groups do together.
#include <fmt/format.h>

#include "ir/ops/family.h"

namespace tsr::ir {

namespace {

// Between the threads of a warp: a value of any type that a register holds, and the number of a lane.
Inferred infer_warp_shuffle(Operands operands, const Attrs&) {
    if (!operands[0].is_scalar()) return Failure{fmt::format("{} is no scalar", operands[0].text())};
    if (operands[1] != Type::scalar(DType::i32)) {
        return Failure{fmt::format("the lane is {}, needs i32", operands[1].text())};
    }
    return gives(operands[0]);
}

Inferred infer_warp_vote(Operands operands, const Attrs& attrs) {
    if (!operands[0].is_bool()) return Failure{fmt::format("the condition is {}, needs bool", operands[0].text())};
    return gives(Type::scalar(attrs.is(Attr::vote, Vote::ballot) ? DType::u32 : DType::boolean));
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

Inferred infer_load_matrix(Operands operands, const Attrs& attrs) {
    if (auto fault = want_pointer(operands[0])) return *fault;
    const Type& from = operands[0];
    const int64_t size = bits(from.elem), count = attrs.integer(Attr::count);
    if (from.space != Space::shared || size < 8 || size > 32) {
        return Failure{fmt::format("{} points to no matrices in shared memory", from.text())};
    }
    if (attrs.has(Attr::transposed) && size != 16) return Failure{"matrices of 16 bits are transposed, no others"};
    if (count != 1 && count != 2 && count != 4) return Failure{"four words are shared out among 1, 2 or 4"};
    const Type words = Type::vector(from.elem, static_cast<uint32_t>(128 / size / count));
    return gives_all(std::vector<Type>(static_cast<size_t>(count), words));
}

Inferred infer_matrix_descriptor(Operands operands, const Attrs& attrs) {
    if (auto fault = want_pointer(operands[0])) return *fault;
    const int64_t row = attrs.integer(Attr::width);
    const bool known = row == 128 || row == 64 || row == 32;
    if (operands[0].space != Space::shared || attrs.integers(Attr::strides).size() != 2 || !known)
        return Failure{"panels of 128, 64 or 32 bytes in shared memory, and two distances"};
    return gives(Type::scalar(DType::u64));
}

// A lane's parts of (rows x inner), (inner x columns) and the accumulator.
Inferred infer_warp_mma(Operands operands, const Attrs& attrs) {
    const std::vector<int64_t>& extents = attrs.integers(Attr::extents);
    if (extents.size() != 3) return Failure{"a product of a warp has three extents"};
    const int64_t elements[] = {extents[0] * extents[2], extents[2] * extents[1], extents[0] * extents[1]};
    for (size_t i = 0; i < 3; ++i) {
        if (operands[i].is_vector() && operands[i].width * int64_t{32} == elements[i]) continue;
        return Failure{fmt::format("{} is no lane's part of {} elements", operands[i].text(), elements[i])};
    }
    if (operands[0].elem != operands[1].elem || operands[2].elem != attrs.dtype(Attr::type)) {
        return Failure{fmt::format("a product of {} and {}", operands[0].text(), operands[1].text())};
    }
    return gives(operands[2]);
}

// For each step along the inner axis the parts of a, one for each 64 rows, then that of b; then the accumulator.
Inferred infer_group_mma(Operands operands, const Attrs& attrs) {
    const std::vector<int64_t>& extents = attrs.integers(Attr::extents);
    const DType input = attrs.dtype(Attr::type);
    if (extents.size() != 3 || extents[0] % 64 != 0 || extents[1] % 8 != 0 || extents[1] > 256 ||
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
    return gives_all(std::vector<Type>(sums, sum));
}

Inferred infer_group_wait(Operands operands, const Attrs&) { return gives_all({operands.begin(), operands.end()}); }

Inferred infer_store_matrix(Operands operands, const Attrs&) {
    if (auto fault = want_pointer(operands[0])) return *fault;
    const Type& to = operands[0];
    const Type& values = operands[1];
    if (to.space != Space::shared || bits(to.elem) != 16) {
        return Failure{fmt::format("{} points to no matrices of 16 bits in shared memory", to.text())};
    }
    if (values != Type::vector(to.elem, 4) && values != Type::vector(to.elem, 8)) {
        return Failure{fmt::format("a lane has 4 or 8 elements of two or four matrices, not {}", values.text())};
    }
    return gives_nothing();
}

Inferred infer_registers(Operands, const Attrs& attrs) {
    const int64_t count = attrs.integer(Attr::count);
    if (count >= 24 && count <= 256 && count % 8 == 0) return gives_nothing();
    return Failure{fmt::format("a thread has 24, 32, … 256 registers, not {}", count)};
}

Inferred infer_turn(Operands operands, const Attrs&) {
    if (operands[0] == Type::scalar(DType::i32)) return gives_nothing();
    return Failure{fmt::format("the number of a warp group is {}, needs i32", operands[0].text())};
}

constexpr std::array kGpuRecords{
    OpRecord{.kind = OpKind::thread_id,
             .name = "thread_id",
             .doc = "this thread's number in its block, from 0. Blocks have one dimension and whole warps. With "
                    "`anew` it is read where it stands: nothing that is computed from it waits in registers "
                    "before.",
             .infer = infer_index,
             .levels = kTarget,
             .attrs = {may(Attr::anew)},
             .example = {"() %r = thread_id : index"}},
    OpRecord{.kind = OpKind::block_id,
             .name = "block_id",
             .doc = "this block's number in the launch, from 0. Grids have one dimension.",
             .infer = infer_index,
             .levels = kTarget,
             .example = {"() %r = block_id : index"}},
    OpRecord{.kind = OpKind::block_count,
             .name = "block_count",
             .doc = "blocks of the launch. Who asks takes groups in turn, so that there may be fewer.",
             .infer = infer_index,
             .levels = kTarget,
             .example = {"() %r = block_count : index"}},
    OpRecord{.kind = OpKind::block_barrier,
             .name = "block_barrier",
             .doc = "Every thread of the block arrives, and sees what the others wrote, before one goes on (PTX ISA, "
                    "bar.sync). With `count` so many threads, whole warps, that meet at barrier number `axis`.",
             .infer = infer_nothing,
             .levels = kTarget,
             .attrs = {may(Attr::count), may(Attr::axis)},
             .effects = {Effect::barrier, Effect::collective, Effect::in_order},
             .example = {"() block_barrier"}},
    OpRecord{.kind = OpKind::warp_barrier,
             .name = "warp_barrier",
             .doc = "The lanes of the warp arrive, and see what the others wrote, before one goes on (PTX ISA, "
                    "bar.warp.sync).",
             .infer = infer_nothing,
             .levels = kTarget,
             .effects = {Effect::collective, Effect::in_order},
             .example = {"() warp_barrier"}},
    OpRecord{.kind = OpKind::warp_shuffle,
             .name = "warp_shuffle",
             .doc =
                 "The value of another thread of the warp: of the lane given (`index`), of this lane's number `xor` "
                 "it, or of the lane so much below (`up`) or above (`down`), the own one where there is none. All 32 "
                 "lanes take part (PTX ISA, shfl.sync).",
             .operands = {Role{"value"}, Role{"lane"}},
             .infer = infer_warp_shuffle,
             .levels = kTarget,
             .attrs = {needs(Attr::shuffle)},
             .effects = {Effect::collective},
             .example = {"(%a: f32, %l: i32) %r = warp_shuffle %a, %l {shuffle = xor} : f32"}},
    OpRecord{.kind = OpKind::warp_vote,
             .name = "warp_vote",
             .doc = "Is the condition true in `any` or `all` lanes of the warp, or as `ballot` a bit for each, lane 0 "
                    "lowest. All 32 lanes take part (PTX ISA, vote.sync).",
             .operands = {Role{"condition"}},
             .infer = infer_warp_vote,
             .levels = kTarget,
             .attrs = {needs(Attr::vote)},
             .effects = {Effect::collective},
             .example = {"(%c: bool) %r = warp_vote %c {vote = ballot} : u32"}},
    OpRecord{
        .kind = OpKind::async_copy,
        .name = "async_copy",
        .doc = "Starts to copy `bytes` bytes, 0 … `width`, and makes the rest of `width` zero; both places are "
               "aligned to `width`. Until a wait covers it the destination is undefined (PTX ISA, cp.async); before "
               "sm_80 it is done at once.",
        .operands = {Role{"to", Many::one, Access::writes}, Role{"from", Many::one, Access::reads}, Role{"bytes"}},
        .infer = infer_async_copy,
        .levels = kTarget,
        .attrs = {needs(Attr::width)},
        .effects = {Effect::in_order},
        .example = {"(%to: ptr f32 shared, %from: ptr f32 global, %n: i32) async_copy %to, %from, %n {width = 16}"}},
    OpRecord{.kind = OpKind::async_commit,
             .name = "async_commit",
             .doc = "Puts this thread's copies started since the last one into a group of copies.",
             .infer = infer_nothing,
             .levels = kTarget,
             .effects = {Effect::in_order},
             .example = {"() async_commit"}},
    OpRecord{.kind = OpKind::async_wait,
             .name = "async_wait",
             .doc = "Waits until at most `count` of this thread's groups of copies are in flight.",
             .infer = infer_nothing,
             .levels = kTarget,
             .attrs = {needs(Attr::count)},
             .effects = {Effect::in_order},
             .example = {"() async_wait {count = 0}"}},
    OpRecord{.kind = OpKind::load_matrix,
             .name = "load_matrix",
             .doc = "Four matrices of eight rows of 16 bytes, each row at an address that is a multiple of 16: lane l "
                    "gives that of row l % 8 of matrix l / 8, and gets of each matrix the four bytes number l % 4 of "
                    "row l / 4; `transposed` the elements 2 (l % 4) and the next one of column l / 4, "
                    "elements being of 16 bits. What a lane gets is shared out evenly among `count` results. All 32 "
                    "lanes take part (PTX ISA, ldmatrix.x4).",
             .operands = {Role{"pointer", Many::one, Access::reads}},
             .infer = infer_load_matrix,
             .levels = kTarget,
             .attrs = {needs(Attr::count), may(Attr::transposed)},
             .effects = {Effect::collective},
             .example = {"(%p: ptr f16 shared) %a, %b = load_matrix %p {count = 2} : f16x4, f16x4"}},
    OpRecord{.kind = OpKind::store_matrix,
             .name = "store_matrix",
             .doc = "Four matrices of eight rows of 16 bytes, or two, elements being of 16 bits: lane l gives the "
                    "address of row l % 8 of matrix l / 8, and has of each the elements 2 (l % 4) and the next one of "
                    "row l / 4. All 32 lanes take part (PTX ISA, stmatrix).",
             .operands = {Role{"pointer", Many::one, Access::writes}, Role{"values"}},
             .infer = infer_store_matrix,
             .levels = kTarget,
             .effects = {Effect::collective},
             .example = {"(%p: ptr f16 shared, %v: f16x8) store_matrix %p, %v"}},
    OpRecord{.kind = OpKind::matrix_descriptor,
             .name = "matrix_descriptor",
             .doc = "What warp groups' products are told of an operand in panels of shared memory that begins at the "
                    "pointer. `width`: the bytes of a panel's row (128, 64 or 32); `strides`: those from panel to "
                    "panel, and from eight rows to the next. In units of 16 bytes what is added to it moves it (PTX "
                    "ISA, wgmma, \"Matrix "
                    "descriptor\").",
             .operands = {Role{"pointer"}},
             .infer = infer_matrix_descriptor,
             .levels = kTarget,
             .attrs = {needs(Attr::width), needs(Attr::strides)},
             .example = {"(%p: ptr f16 shared) %d = matrix_descriptor %p {width = 128, strides = [0, 1024]} : u64"}},
    OpRecord{
        .kind = OpKind::warp_mma,
        .name = "warp_mma",
        .doc = "accumulator + a @ b of a warp, of vectors: each lane's parts of the fragments of "
               "ir/machine/fragments.h. `extents`: rows, columns, inner extent; `type`: of the accumulator. "
               "Operands of f32 are rounded to tf32. All 32 lanes take part (PTX ISA, mma.sync).",
        .operands = {Role{"a"}, Role{"b"}, Role{"accumulator"}},
        .infer = infer_warp_mma,
        .levels = kTarget,
        .attrs = {needs(Attr::type), needs(Attr::extents)},
        .effects = {Effect::collective},
        .example =
            {"(%a: f16x8, %b: f16x4, %c: f32x4) %r = warp_mma %a, %b, %c {type = f32, extents = [16, 8, 16]} : f32x4"}},
    OpRecord{.kind = OpKind::group_mma,
             .name = "group_mma",
             .doc =
                 "Starts a product of four warps that follow each other: accumulator (0 if not given) + a @ b, of "
                 "which each warp has 16 of every 64 rows as fragments of ir/machine/fragments.h. `extents`: rows, "
                 "columns, inner extent. Rows of memory run along the inner axis of a unless it is `a_transposed`, and "
                 "along that of b if it is `b_transposed`. `type`: of what is multiplied. Operands: for each 32 bytes "
                 "of the inner axis a, by 64 rows, then b; a as fragments "
                 "or a descriptor, b as one; then the accumulator. The results are not there before a `group_wait` "
                 "gives them; until then nothing else touches them, or what is read (PTX ISA, wgmma.mma_async).",
             .operands = {Role{"factors and accumulator", Many::any, Access::value}},
             .infer = infer_group_mma,
             .levels = kTarget,
             .attrs = {needs(Attr::extents), needs(Attr::type), may(Attr::a_transposed), may(Attr::b_transposed)},
             .effects = {Effect::collective, Effect::in_order},
             .example = {"(%a: u64, %b: u64) %c, %d, %e, %f = group_mma %a, %b {type = f16, extents = [64, 8, 16]} : "
                         "f32, f32, f32, f32"}},
    OpRecord{.kind = OpKind::group_wait,
             .name = "group_wait",
             .doc = "Waits until at most `count` products of this warp group are under way, and gives the results of "
                    "one that is done.",
             .operands = {Role{"values", Many::any}},
             .infer = infer_group_wait,
             .levels = kTarget,
             .attrs = {needs(Attr::count)},
             .effects = {Effect::collective, Effect::in_order},
             .example = {"(%a: f32) %r = group_wait %a {count = 0} : f32"}},
    OpRecord{.kind = OpKind::proxy_fence,
             .name = "proxy_fence",
             .doc = "What this thread wrote to shared memory is seen by products of warp groups that start behind the "
                    "next barrier (PTX ISA, fence.proxy.async).",
             .infer = infer_nothing,
             .levels = kTarget,
             .effects = {Effect::in_order},
             .example = {"() proxy_fence"}},
    OpRecord{.kind = OpKind::fewer_registers,
             .name = "fewer_registers",
             .doc = "From here on each thread of the warp group has `count` registers, and gives the others back (PTX "
                    "ISA, setmaxnreg.dec).",
             .infer = infer_registers,
             .levels = kTarget,
             .attrs = {needs(Attr::count)},
             .effects = {Effect::collective, Effect::in_order},
             .example = {"() fewer_registers {count = 40}"}},
    OpRecord{.kind = OpKind::more_registers,
             .name = "more_registers",
             .doc = "From here on each thread of the warp group has `count` registers; it waits until others have "
                    "given so many back (PTX ISA, setmaxnreg.inc).",
             .infer = infer_registers,
             .levels = kTarget,
             .attrs = {needs(Attr::count)},
             .effects = {Effect::collective, Effect::in_order},
             .example = {"() more_registers {count = 232}"}},
    OpRecord{.kind = OpKind::await_turn,
             .name = "await_turn",
             .doc =
                 "The warp group of this number waits until a turn is passed to it. `count`: the threads of two warp "
                 "groups (PTX ISA, bar.sync).",
             .operands = {Role{"group"}},
             .infer = infer_turn,
             .levels = kTarget,
             .attrs = {needs(Attr::count)},
             .effects = {Effect::collective, Effect::in_order},
             .example = {"(%g: i32) await_turn %g {count = 256}"}},
    OpRecord{.kind = OpKind::pass_turn,
             .name = "pass_turn",
             .doc = "This warp group passes the turn to the one of this number, and goes on. `count`: the threads of "
                    "both (PTX ISA, bar.arrive).",
             .operands = {Role{"group"}},
             .infer = infer_turn,
             .levels = kTarget,
             .attrs = {needs(Attr::count)},
             .effects = {Effect::collective, Effect::in_order},
             .example = {"(%g: i32) pass_turn %g {count = 256}"}},
};
static_assert(complete<kGpuRecords, kGpuFamily>(),
              "every operation of a GPU has its record, in the order of ir/core/opkind.h");

}  // namespace

std::span<const OpRecord> gpu_records() { return kGpuRecords; }

}  // namespace tsr::ir
