// Copies of boxes of tensors on a GPU, the mbarriers that tell of them, and clusters of blocks that share them.
#include <fmt/format.h>

#include "ir/ops/family.h"

namespace tsr::ir {

namespace {

constexpr size_t kMostAxes = 5;

std::optional<Failure> want_shared(const Type& type) {
    if (type.kind == TypeKind::pointer && type.space == Space::shared) return std::nullopt;
    return Failure{fmt::format("{} does not point to shared memory", type.text())};
}

std::optional<Failure> want_mbarrier(const Type& type) {
    if (type == Type::pointer(DType::u64, Space::shared)) return std::nullopt;
    return Failure{fmt::format("{} points to no mbarrier, a u64 in shared memory", type.text())};
}

Inferred infer_mbarrier(Operands operands, const Attrs&) {
    if (auto fault = want_mbarrier(operands[0])) return *fault;
    return gives_nothing();
}

Inferred infer_mbarrier_arrive(Operands operands, const Attrs& attrs) {
    if (auto fault = want_mbarrier(operands[0])) return *fault;
    if (operands.size() == 1) return gives_nothing();
    if (attrs.has(Attr::count)) return Failure{"copies are expected by this block's own mbarrier"};
    if (operands[1] == Type::scalar(DType::i32)) return gives_nothing();
    return Failure{fmt::format("the block is {}, needs i32", operands[1].text())};
}

Inferred infer_mbarrier_wait(Operands operands, const Attrs&) {
    if (auto fault = want_mbarrier(operands[0])) return *fault;
    if (operands[1] == Type::scalar(DType::i32)) return gives_nothing();
    return Failure{fmt::format("the parity is {}, needs i32", operands[1].text())};
}

// A dense box in shared memory, the tensor, from operand `first` on where the box begins in it.
std::optional<Failure> check_box(const Type& box, const Type& tensor, Operands starts, const Attrs& attrs) {
    if (auto fault = want_shared(box)) return fault;
    if (tensor != Type::pointer(box.elem, Space::global)) {
        return Failure{fmt::format("a box at {} is of no tensor at {}", box.text(), tensor.text())};
    }
    const std::vector<int64_t>& extents = attrs.integers(Attr::extents);
    if (extents.empty() || extents.size() > kMostAxes) return Failure{"a box has one to five axes"};
    for (const int64_t extent : extents) {
        if (extent < 1 || extent > 256) return Failure{"a box has 1 … 256 elements along an axis"};
    }
    if (starts.size() != extents.size()) {
        return Failure{fmt::format("{} starts of a box of {} axes", starts.size(), extents.size())};
    }
    for (const Type& start : starts) {
        if (start != Type::scalar(DType::i32)) {
            return Failure{fmt::format("a box starts at {}, needs i32", start.text())};
        }
    }
    const int64_t row = attrs.integer(Attr::width, 0);
    if (row != 0 && row != 32 && row != 64 && row != 128) return Failure{"pieces of rows of 32, 64 or 128 bytes"};
    if (row != 0 && row * 8 != extents.back() * bits(box.elem)) return Failure{"`width` is the bytes of a row"};
    return std::nullopt;
}

Inferred infer_copy_box(Operands operands, const Attrs& attrs) {
    if (auto fault = want_mbarrier(operands[1])) return *fault;
    if (auto fault = check_box(operands[0], operands[2], operands.subspan(3), attrs)) return *fault;
    return gives_nothing();
}

Inferred infer_store_box(Operands operands, const Attrs& attrs) {
    if (auto fault = check_box(operands[0], operands[1], operands.subspan(2), attrs)) return *fault;
    return gives_nothing();
}

constexpr std::array kBoxRecords{
    OpRecord{.kind = OpKind::mbarrier_init,
             .name = "mbarrier_init",
             .doc =
                 "Makes an mbarrier of a u64 in shared memory: each of its phases ends with `count` arrivals and the "
                 "bytes that they expect (PTX ISA, mbarrier.init).",
             .operands = {Role{"mbarrier", Many::one, Access::writes}},
             .infer = infer_mbarrier,
             .levels = kTarget,
             .attrs = {needs(Attr::count)},
             .effects = {Effect::in_order},
             .example = {"(%m: ptr u64 shared) mbarrier_init %m {count = 1}"}},
    OpRecord{.kind = OpKind::mbarrier_fence,
             .name = "mbarrier_fence",
             .doc =
                 "Copies that other threads start, of the whole cluster, see the mbarriers that this thread has made "
                 "(PTX ISA, fence.mbarrier_init).",
             .infer = infer_nothing,
             .levels = kTarget,
             .effects = {Effect::in_order},
             .example = {"() mbarrier_fence"}},
    OpRecord{.kind = OpKind::mbarrier_arrive,
             .name = "mbarrier_arrive",
             .doc = "Arrives: what this thread did before is seen by who waits for the phase. With `count` the phase "
                    "expects so many bytes of copies more. With a block: at the mbarrier in the same place of that "
                    "block of the cluster (PTX ISA, mbarrier.arrive).",
             .operands = {Role{"mbarrier", Many::one, Access::reads_writes}, Role{"block", Many::optional}},
             .infer = infer_mbarrier_arrive,
             .levels = kTarget,
             .attrs = {may(Attr::count)},
             .effects = {Effect::in_order},
             .example = {"(%m: ptr u64 shared) mbarrier_arrive %m {count = 128}"}},
    OpRecord{.kind = OpKind::mbarrier_wait,
             .name = "mbarrier_wait",
             .doc = "Waits until the phase of this parity, the running one or the one before it, has ended "
                    "(PTX ISA, mbarrier.try_wait.parity).",
             .operands = {Role{"mbarrier", Many::one, Access::reads}, Role{"parity"}},
             .infer = infer_mbarrier_wait,
             .levels = kTarget,
             .effects = {Effect::in_order},
             .example = {"(%m: ptr u64 shared, %parity: i32) mbarrier_wait %m, %parity"}},
    OpRecord{.kind = OpKind::copy_box,
             .name = "copy_box",
             .doc =
                 "Starts to copy the box of these `extents` of a tensor, 0 outside of it, into dense rows; its bytes "
                 "arrive at the mbarrier. One thread does it. With `width`, the bytes of a row, pieces of 16 bytes "
                 "change places (PTX ISA, swizzling modes). With `cluster` in both blocks of the cluster, "
                 "at the same places (PTX ISA, cp.async.bulk.tensor).",
             .operands = {Role{"to", Many::one, Access::writes}, Role{"mbarrier", Many::one, Access::reads_writes},
                          Role{"tensor", Many::one, Access::reads}, Role{"starts", Many::any}},
             .infer = infer_copy_box,
             .levels = kTarget,
             .attrs = {needs(Attr::extents), may(Attr::width), may(Attr::cluster)},
             .effects = {Effect::in_order},
             .example = {"(%s: ptr f32 shared, %m: ptr u64 shared, %x: ptr f32 global, %i: i32) copy_box %s, %m, %x, "
                         "%i {extents = [64]}"}},
    OpRecord{.kind = OpKind::store_box,
             .name = "store_box",
             .doc =
                 "Starts to copy a box that lies as `copy_box` leaves it to the tensor, but what is outside of it, as "
                 "a group of its own. One thread does it, behind a `proxy_fence` of those who wrote the box.",
             .operands = {Role{"from", Many::one, Access::reads}, Role{"tensor", Many::one, Access::writes},
                          Role{"starts", Many::any}},
             .infer = infer_store_box,
             .levels = kTarget,
             .attrs = {needs(Attr::extents), may(Attr::width)},
             .effects = {Effect::in_order},
             .example = {"(%s: ptr f32 shared, %x: ptr f32 global, %i: i32) store_box %s, %x, %i {extents = [64]}"}},
    OpRecord{.kind = OpKind::boxes_read,
             .name = "boxes_read",
             .doc = "Waits until all boxes that this thread has begun to store but the newest `count` have been read "
                    "(PTX ISA, cp.async.bulk.wait_group.read).",
             .infer = infer_nothing,
             .levels = kTarget,
             .attrs = {needs(Attr::count)},
             .effects = {Effect::in_order},
             .example = {"() boxes_read {count = 0}"}},
    OpRecord{.kind = OpKind::cluster_rank,
             .name = "cluster_rank",
             .doc = "This block's number in its cluster; 0 in a launch without clusters.",
             .infer = infer_index,
             .levels = kTarget,
             .example = {"() %r = cluster_rank : index"}},
    OpRecord{.kind = OpKind::cluster_count,
             .name = "cluster_count",
             .doc = "Blocks in a cluster of the launch; 1 in one without clusters.",
             .infer = infer_index,
             .levels = kTarget,
             .example = {"() %r = cluster_count : index"}},
    OpRecord{.kind = OpKind::cluster_barrier,
             .name = "cluster_barrier",
             .doc = "Every thread of the cluster arrives, and sees what the others wrote, before one goes on (PTX ISA, "
                    "barrier.cluster).",
             .infer = infer_nothing,
             .levels = kTarget,
             .effects = {Effect::barrier, Effect::collective, Effect::in_order},
             .example = {"() cluster_barrier"}},
};
static_assert(complete<kBoxRecords, kBoxFamily>(),
              "every operation on boxes has its record, in the order of ir/core/opkind.h");

}  // namespace

std::span<const OpRecord> box_records() { return kBoxRecords; }

}  // namespace tsr::ir
