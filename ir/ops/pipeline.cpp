// Copies that run beside the program of a group, and the rings of buffers that they fill.
#include <fmt/format.h>

#include "ir/ops/family.h"

namespace tsr::ir {

namespace {

Inferred infer_wait(Operands operands, const Attrs& attrs) {
    const bool products = attrs.has(Attr::products);
    std::vector<Type> sums;
    for (const Type& sum : operands) {
        if (!products || sum.kind != TypeKind::tile) return Failure{fmt::format("a wait for {}", sum.text())};
        sums.push_back(sum);
    }
    return gives_all(std::move(sums));
}

Inferred infer_copy_async(Operands operands, const Attrs&) {
    const Type& to = operands[0];
    const Type& from = operands[1];
    if (to.kind != TypeKind::buffer) return Failure{fmt::format("a copy goes to a buffer, not to {}", to.text())};
    if (from.kind != TypeKind::tensor)
        return Failure{fmt::format("a copy comes from a tensor, not from {}", from.text())};
    if (to.elem != from.elem || from.rank() < to.rank() || operands.size() != 2 + from.rank()) {
        return Failure{fmt::format("a copy of {} to {} with {} starts", from.text(), to.text(), operands.size() - 2)};
    }
    if (auto fault = want_integers(operands, 2, "start")) return *fault;
    return gives_nothing();
}

std::optional<Failure> want_arrivals(const Type& type) {
    if (type.kind == TypeKind::buffer && type.elem == DType::u64) return std::nullopt;
    return Failure{fmt::format("arrivals are counted in {}", type.text())};
}

// The slot; by arrivals its phase and what counts them; buffers. Of the ring as a whole what counts its arrivals.
template <RingUse... uses>
Inferred infer_ring(Operands operands, const Attrs& attrs) {
    if (attrs.has(Attr::ring) && !(attrs.is(Attr::ring, uses) || ...)) {
        return Failure{fmt::format("it has no `ring` = {}", name(attrs.as<RingUse>(Attr::ring)))};
    }
    const bool opens = attrs.is(Attr::ring, RingUse::open);
    if (opens || attrs.is(Attr::ring, RingUse::close)) {
        if (auto fault = want_arrivals(operands[0])) return *fault;
        const size_t numbers = opens ? 0 : 2;
        if (operands.size() == 1 + numbers) return gives_nothing();
        return Failure{fmt::format("{} numbers: needs {}", operands.size() - 1, numbers)};
    }
    const bool arrivals = attrs.is(Attr::ring, RingUse::arrivals);
    const size_t numbers = arrivals ? 2 : 1;
    if (operands.size() < (arrivals ? 4 : 2)) return Failure{"a ring has at least one buffer"};
    for (const Type& number : operands.first(numbers)) {
        if (number.is_scalar() && is_integer(number.elem)) continue;
        return Failure{fmt::format("the slot is {}, needs an integer", number.text())};
    }
    if (arrivals) {
        if (auto fault = want_arrivals(operands[2])) return *fault;
    }
    for (const Type& buffer : operands.subspan(numbers)) {
        if (buffer.kind != TypeKind::buffer) return Failure{fmt::format("a ring of {}", buffer.text())};
    }
    return gives_nothing();
}

constexpr std::array kPipelineRecords{
    OpRecord{.kind = OpKind::copy_async,
             .name = "copy_async",
             .doc = "Starts the copy of the view of the tensor that begins at the starts and has the buffer's extents; "
                    "of a tensor of higher rank the leading axes are single positions. Outside the tensor is 0. With "
                    "`count` so many blocks of a cluster bring parts of it, and each has all of it: of those that "
                    "take neighbouring groups the starts are the same.",
             .operands = {Role{"to", Many::one, Access::writes}, Role{"from", Many::one, Access::reads},
                          Role{"starts", Many::any}},
             .infer = infer_copy_async,
             .levels = kTile,
             .attrs = {may(Attr::count)},
             .effects = {Effect::collective, Effect::in_order},
             .example = {"(%x: f32[n], %i: index) %b = buffer {type = f32, shape = [4]} : shared f32[4]\n"
                         "copy_async %b, %x[%i]"}},
    OpRecord{.kind = OpKind::commit,
             .name = "commit",
             .doc = "Puts the copies started since the last one into a group of copies.",
             .infer = infer_nothing,
             .levels = kTile,
             .effects = {Effect::collective, Effect::in_order},
             .example = {"(%x: f32[n], %i: index) %b = buffer {type = f32, shape = [4]} : shared f32[4]\n"
                         "copy_async %b, %x[%i]\n"
                         "commit"}},
    OpRecord{.kind = OpKind::wait_group,
             .name = "wait_group",
             .doc = "Waits until at most `count` groups of copies are in flight. With `products` until at most "
                    "`count` of the pending ones (`mma`) are under way; the sums of those that are done are what it "
                    "gives.",
             .operands = {Role{"sums", Many::any}},
             .infer = infer_wait,
             .levels = kTile,
             .attrs = {needs(Attr::count), may(Attr::products)},
             .effects = {Effect::collective, Effect::in_order},
             .axes = AxisRule::each,
             .example = {"() wait_group {count = 0}"}},
    OpRecord{.kind = OpKind::barrier,
             .name = "barrier",
             .doc = "Every tile of the group arrives, and sees what the others wrote, before one goes on.",
             .infer = infer_nothing,
             .levels = kTile,
             .effects = {Effect::barrier, Effect::collective, Effect::in_order},
             .example = {"() barrier"}},
    OpRecord{.kind = OpKind::acquire,
             .name = "acquire",
             .doc =
                 "A slot of a ring (the stages of that number of its buffers) is free: what was released there has "
                 "been read by all. With `ring` = barrier the threads meet here, else a barrier since the release "
                 "says so; with `arrivals` it waits for the releases of the slot's use before. Copies into the "
                 "slot stand between this and `fill`. `open`: all slots of a ring are free; number 0 is from "
                 "here on the one behind the last that was used before. In each stage of the buffer u64[2] is counted "
                 "that its copies have arrived, and that it has been read. What is done to its slots is by "
                 "`arrivals` and has the phase of the slot's use: 0 of the first since then, then 1, 0, 1.",
             .operands = {Role{"slot"}, Role{"phase, arrivals, buffers", Many::any}},
             .infer = infer_ring<RingUse::barrier, RingUse::arrivals, RingUse::open>,
             .levels = kTile,
             .attrs = {may(Attr::ring)},
             .effects = {Effect::collective, Effect::in_order},
             .example = {"(%i: index) %b = buffer {type = f32, count = 2, shape = [4]} : shared f32[4]\n"
                         "acquire %i, %b {ring = barrier}"}},
    OpRecord{.kind = OpKind::fill,
             .name = "fill",
             .doc = "The copies into the slot of a ring are all issued: they are a group of copies; by arrivals their "
                    "bytes are what arrives.",
             .operands = {Role{"slot"}, Role{"phase, arrivals, buffers", Many::any}},
             .infer = infer_ring<RingUse::arrivals>,
             .levels = kTile,
             .attrs = {may(Attr::ring)},
             .effects = {Effect::collective, Effect::in_order},
             .example = {"(%i: index) %b = buffer {type = f32, count = 2, shape = [4]} : shared f32[4]\n"
                         "fill %i, %b"}},
    OpRecord{.kind = OpKind::take,
             .name = "take",
             .doc = "The slot of a ring is full: waits until at most `count` groups of copies are in flight, then all "
                    "threads meet; by arrivals waits for the bytes of its `fill`. Reads of the slot stand between this "
                    "and `release`.",
             .operands = {Role{"slot"}, Role{"phase, arrivals, buffers", Many::any}},
             .infer = infer_ring<RingUse::arrivals>,
             .levels = kTile,
             .attrs = {may(Attr::count), may(Attr::ring)},
             .effects = {Effect::barrier, Effect::collective, Effect::in_order},
             .example = {"(%i: index) %b = buffer {type = f32, count = 2, shape = [4]} : shared f32[4]\n"
                         "take %i, %b {count = 1}"}},
    OpRecord{.kind = OpKind::release,
             .name = "release",
             .doc = "The slot of a ring has been read by whoever gets here. `close`: all slots of a ring have been "
                    "released; given are its arrivals, the slot behind the last that was used, and the phase of that "
                    "one's next use. With `count` it is released to so many blocks of a cluster.",
             .operands = {Role{"slot"}, Role{"phase, arrivals, buffers", Many::any}},
             .infer = infer_ring<RingUse::arrivals, RingUse::close>,
             .levels = kTile,
             .attrs = {may(Attr::count), may(Attr::ring)},
             .effects = {Effect::collective, Effect::in_order},
             .example = {"(%i: index) %b = buffer {type = f32, count = 2, shape = [4]} : shared f32[4]\n"
                         "release %i, %b"}},
};
static_assert(complete<kPipelineRecords, kPipelineFamily>(),
              "every operation of a pipeline has its record, in the order of ir/core/opkind.h");

}  // namespace

std::span<const OpRecord> pipeline_records() { return kPipelineRecords; }

}  // namespace tsr::ir
