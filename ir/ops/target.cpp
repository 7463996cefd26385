// A machine's own: scalars, vectors, addresses, masks.
#include <fmt/format.h>

#include "ir/ops/family.h"

namespace tsr::ir {

namespace {

// One scalar, or a vector of the given width (0: scalar).
Type shaped(DType elem, int64_t width) {
    return width == 0 ? Type::scalar(elem) : Type::vector(elem, static_cast<uint32_t>(width));
}
bool is_scalar_or_vector(const Type& type) { return type.is_scalar() || type.is_vector(); }

// The optional mask: bool of the value's shape, there exactly when `masked` is set.
std::optional<Failure> check_mask(Operands operands, size_t at, const Type& value, const Attrs& attrs) {
    const bool masked = attrs.integer(Attr::masked, 0) != 0;
    if (operands.size() != at + (masked ? 1 : 0)) return Failure{"a mask and the attribute 'masked' come together"};
    if (!masked || operands[at] == value.with(DType::boolean)) return std::nullopt;
    return Failure{fmt::format("the mask of {} is {}", value.text(), operands[at].text())};
}

Inferred infer_slot(Operands, const Attrs& attrs) {
    const DType type = attrs.dtype(Attr::type);
    const bool pointer = attrs.has(Attr::pointer);
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

Inferred infer_store(Operands operands, const Attrs& attrs) {
    if (auto fault = want_pointer(operands[0])) return *fault;
    if (!is_scalar_or_vector(operands[1]) || operands[1].elem != operands[0].elem) {
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
    const bool exchanges = compares || attrs.integer(Attr::op) == static_cast<int64_t>(AtomicOp::exchange);
    const bool several = operands[1].is_vector();
    if (several && exchanges) return Failure{"neighbouring elements are combined, not exchanged"};
    for (const Type& type : operands.subspan(1)) {
        if (type.elem != operands[0].elem || (!type.is_scalar() && !several)) {
            return Failure{fmt::format("an atomic through {} is given {}", operands[0].text(), type.text())};
        }
    }
    if (several) return gives_nothing();
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

// A row of a in every word, words of b, a row of the accumulator.
Inferred infer_dot_words(Operands operands, const Attrs& attrs) {
    const Type& words = operands[0];
    const DType packed = attrs.dtype(Attr::packed);
    if (packed != DType::i8 && packed != DType::u8 && packed != DType::bf16)
        return Failure{fmt::format("no words of {}", name(packed))};
    const DType sum = packed == DType::bf16 ? DType::f32 : DType::i32;
    if (!words.is_vector() || words.elem != DType::u32 || operands[1] != words || operands[2] != words.with(sum))
        return Failure{fmt::format("{} are no words of {}", words.text(), name(packed))};
    return gives(operands[2]);
}

constexpr std::array kTargetRecords{
    OpRecord{
        .kind = OpKind::slot,
        .name = "slot",
        .doc = "Slot `count` of the launch: a scalar of the type, or with `pointer` the address of a "
               "tensor's elements.",
        .infer = infer_slot,
        .levels = kTarget,
        .attrs = {needs(Attr::count), needs(Attr::type), may(Attr::pointer), may(Attr::alignment), may(Attr::name)},
        .example = {"() %p = slot {type = f32, count = 0, pointer} : ptr f32 global"}},
    OpRecord{.kind = OpKind::task_begin,
             .name = "task_begin",
             .doc = "The first group (tile of a flat kernel) of this task.",
             .infer = infer_index,
             .levels = kTarget,
             .example = {"() %r = task_begin : index"}},
    OpRecord{.kind = OpKind::task_end,
             .name = "task_end",
             .doc = "One past the last group (tile of a flat kernel) of this task.",
             .infer = infer_index,
             .levels = kTarget,
             .example = {"() %r = task_end : index"}},
    OpRecord{.kind = OpKind::scratch,
             .name = "scratch",
             .doc = "A place in the worker's scratch memory, `count` bytes from its beginning.",
             .infer = infer_scratch,
             .levels = kTarget,
             .attrs = {needs(Attr::count), needs(Attr::type), may(Attr::alignment), may(Attr::name)},
             .example = {"() %p = scratch {type = f32, count = 64} : ptr f32 shared"}},
    OpRecord{.kind = OpKind::stack,
             .name = "stack",
             .doc = "`count` elements on the function's stack, contents undefined at first, one even in a loop.",
             .infer = infer_stack,
             .levels = kTarget,
             .attrs = {needs(Attr::type), needs(Attr::count), may(Attr::alignment), may(Attr::name)},
             .effects = {Effect::identity},
             .example = {"() %p = stack {type = f32, count = 4} : ptr f32 stack"}},
    OpRecord{.kind = OpKind::pointer_add,
             .name = "pointer_add",
             .doc = "The address `offset` elements further; what stands there is read as elements of `type`, if given.",
             .operands = {Role{"pointer"}, Role{"offset"}},
             .infer = infer_pointer_add,
             .levels = kTarget,
             .attrs = {may(Attr::type)},
             .example = {"(%p: ptr f32 global, %i: index) %q = pointer_add %p, %i : ptr f32 global"}},
    OpRecord{.kind = OpKind::load,
             .name = "load",
             .doc = "One element, or with `width` that many consecutive ones; where a mask is false nothing is touched "
                    "and the value is 0. Aligned to the element, or to `alignment` bytes.",
             .operands = {Role{"pointer", Many::one, Access::reads}, Role{"mask", Many::optional}},
             .infer = infer_load,
             .levels = kTarget,
             .attrs = {may(Attr::width), may(Attr::alignment), may(Attr::masked)},
             .example = {"(%p: ptr f32 global) %v = load %p {width = 4} : f32x4"}},
    OpRecord{
        .kind = OpKind::store,
        .name = "store",
        .doc =
            "Stores one element or consecutive ones; where a mask is false nothing is touched. With `past_caches` the "
            "vector goes by the caches where the machine can; it is not read again by this task.",
        .operands = {Role{"pointer", Many::one, Access::writes}, Role{"value"}, Role{"mask", Many::optional}},
        .infer = infer_store,
        .levels = kTarget,
        .attrs = {may(Attr::alignment), may(Attr::masked), may(Attr::past_caches)},
        .example = {"(%p: ptr f32 global, %v: f32x4, %m: boolx4) store %p, %v, %m {masked}"}},
    OpRecord{.kind = OpKind::gather,
             .name = "gather",
             .doc = "The elements at the offsets; where a mask is false nothing is touched and the value is 0.",
             .operands = {Role{"pointer", Many::one, Access::reads}, Role{"offsets"}, Role{"mask", Many::optional}},
             .infer = infer_gather,
             .levels = kTarget,
             .attrs = {may(Attr::masked)},
             .example = {"(%p: ptr f32 global, %o: indexx4) %v = gather %p, %o : f32x4"}},
    OpRecord{.kind = OpKind::scatter,
             .name = "scatter",
             .doc = "Stores elements at the offsets, lane 0 first; where a mask is false nothing is touched.",
             .operands = {Role{"pointer", Many::one, Access::writes}, Role{"value"}, Role{"offsets"},
                          Role{"mask", Many::optional}},
             .infer = infer_scatter,
             .levels = kTarget,
             .attrs = {may(Attr::masked)},
             .example = {"(%p: ptr f32 global, %v: f32x4, %o: indexx4) scatter %p, %v, %o"}},
    OpRecord{.kind = OpKind::splat,
             .name = "splat",
             .doc = "A vector of one value.",
             .operands = {Role{"scalar"}},
             .infer = infer_splat,
             .levels = kTarget,
             .attrs = {needs(Attr::width)},
             .example = {"(%a: f32) %v = splat %a {width = 4} : f32x4"}},
    OpRecord{.kind = OpKind::iota,
             .name = "iota",
             .doc = "0, 1, 2, … in the order of the elements.",
             .infer = infer_iota,
             .levels = kTarget,
             .attrs = {needs(Attr::width), needs(Attr::type)},
             .example = {"() %v = iota {type = index, width = 4} : indexx4"}},
    OpRecord{.kind = OpKind::extract,
             .name = "extract",
             .doc = "The element at a position, static (`axis`) or an operand; outside is undefined.",
             .operands = {Role{"vector"}, Role{"position", Many::optional}},
             .infer = infer_extract,
             .levels = kTarget,
             .attrs = {may(Attr::axis)},
             .example = {"(%v: f32x4) %r = extract %v {axis = 2} : f32"}},
    OpRecord{.kind = OpKind::insert,
             .name = "insert",
             .doc = "The vector with the element at a position, static (`axis`) or an operand, replaced.",
             .operands = {Role{"vector"}, Role{"scalar"}, Role{"position", Many::optional}},
             .infer = infer_insert,
             .levels = kTarget,
             .attrs = {may(Attr::axis)},
             .example = {"(%v: f32x4, %a: f32) %w = insert %v, %a {axis = 2} : f32x4"}},
    OpRecord{
        .kind = OpKind::vector_reduce,
        .name = "vector_reduce",
        .doc = "Combines the elements of a vector in a fixed tree: the upper half with the lower, again and again.",
        .operands = {Role{"vector"}},
        .infer = infer_vector_reduce,
        .levels = kTarget,
        .attrs = {needs(Attr::op)},
        .example = {"(%v: f32x4) %r = vector_reduce %v {op = add} : f32"}},
    OpRecord{.kind = OpKind::for_active,
             .name = "for_active",
             .doc = "Runs the region once per true element of the mask, in order, with its number.",
             .operands = {Role{"mask"}},
             .infer = infer_for_active,
             .levels = kTarget,
             .regions = 1,
             .flow = Flow::active_lanes,
             .example = {"(%m: boolx4) for_active %m (%lane: i32) {\n"
                         "}"}},
    OpRecord{
        .kind = OpKind::atomic_rmw,
        .name = "atomic_rmw",
        .doc =
            "Reads, combines and writes one element without interruption, relaxed; gives the old value. Of a vector, "
            "which begins at a multiple of `alignment` bytes, each of its neighbouring elements by itself; gives "
            "nothing.",
        .operands = {Role{"pointer", Many::one, Access::reads_writes}, Role{"value"}, Role{"compare", Many::optional}},
        .infer = infer_atomic_rmw,
        .levels = kTarget,
        .attrs = {needs(Attr::op), may(Attr::alignment)},
        .effects = {Effect::nondeterministic},
        .example = {"(%p: ptr f32 global, %a: f32) %r = atomic_rmw %p, %a {op = add} : f32"}},
    OpRecord{.kind = OpKind::memory_copy,
             .name = "memory_copy",
             .doc = "Copies bytes between places that do not overlap.",
             .operands = {Role{"to", Many::one, Access::writes}, Role{"from", Many::one, Access::reads}, Role{"bytes"}},
             .infer = infer_memory_copy,
             .levels = kTarget,
             .example = {"(%to: ptr u8 global, %from: ptr u8 global, %n: index) memory_copy %to, %from, %n"}},
    OpRecord{
        .kind = OpKind::prefetch,
        .name = "prefetch",
        .doc = "Brings the cache line of the element `offset` further into the second cache. There need not be one.",
        .operands = {Role{"pointer"}, Role{"offset"}},
        .infer = infer_prefetch,
        .levels = kTarget,
        .effects = {Effect::in_order},
        .example = {"(%p: ptr f32 global, %i: index) prefetch %p, %i"}},
    OpRecord{.kind = OpKind::runtime,
             .name = "runtime",
             .doc = "A call of a function of the runtime by its C name.",
             .operands = {Role{"arguments", Many::any, Access::reads_writes}},
             .levels = kTarget,
             .attrs = {needs(Attr::callee)},
             .effects = {Effect::io},
             .results = ResultsFrom::given,
             .example = {"(%a: i64) runtime %a {callee = \"task_result\"}"}},
    OpRecord{.kind = OpKind::dot_words,
             .name = "dot_words",
             .doc =
                 "accumulator + the sum of the products of the elements that each word of a and b holds: one row of a "
                 "matrix product on the vector unit of a CPU, a's words being all the same. b's elements are `packed`. "
                 "Of i8 and u8 there are four, a's are of the other sign, and the sum wraps in i32; of bf16 there are "
                 "two, and the sum is in f32, without subnormal numbers.",
             .operands = {Role{"a"}, Role{"b"}, Role{"accumulator"}},
             .infer = infer_dot_words,
             .levels = kTarget,
             .attrs = {needs(Attr::packed)},
             .example = {"(%a: u32x16, %b: u32x16, %c: i32x16) %r = dot_words %a, %b, %c {packed = i8} : i32x16"}},
};
static_assert(complete<kTargetRecords, kTargetFamily>(),
              "every target operation has its record, in the order of ir/core/opkind.h");

}  // namespace

std::span<const OpRecord> target_records() { return kTargetRecords; }

}  // namespace tsr::ir
