// Copies from tensors to buffers, and what ends them: in a kernel without commits the next barrier, else a wait that
// covers the copy's group of copies and a barrier behind it. Until then the old contents stand there (in a sanitized
// run all bits set).
#include <algorithm>

#include <fmt/format.h>

#include "ir/eval/machine.h"
#include "ir/eval/packed.h"
#include "ir/eval/steps.h"

namespace tsr::ir::eval {

namespace {

// A source element that a tile wrote after the copy was started.
void check_source(Machine& machine, const PendingCopy& copy, int64_t element) {
    ShadowMemory* shadow = copy.from.shadow;
    if (shadow == nullptr) return;
    const Touch write = shadow->last_write(element);
    const auto unit = static_cast<uint32_t>(machine.unit);
    const bool later = write.happened() && write.unit == unit && write.clock > copy.clock && write.tile != kGroupItself;
    const auto other =
        shadow->touch(element, TouchKind::read, {unit, kGroupItself}, machine.clock, machine.epoch, copy.op);
    if (!later && !other) return;
    const Touch& earlier = later ? write : other->touch;
    machine.report(ReportKind::race, copy.op,
                   fmt::format("a copy by {} reads element {} of '{}', and nothing orders that with a write",
                               machine.who(std::nullopt), element, machine.program->views[copy.data->from].name),
                   OpId(earlier.op), fmt::format("written here by {}", machine.who(Actor{earlier.unit, earlier.tile})));
}

// The element of the source that belongs to position `at` of the buffer; none outside the tensor.
std::optional<int64_t> source_of(const PendingCopy& copy, const std::array<int64_t, kMaxRank>& at) {
    const size_t leading = copy.from.rank - copy.to.rank;
    int64_t element = 0;
    for (size_t k = 0; k < copy.from.rank; ++k) {
        const int64_t distance = k < leading ? 0 : at[k - leading];
        const int64_t index =
            static_cast<int64_t>(static_cast<uint64_t>(copy.starts[k]) + static_cast<uint64_t>(distance));
        if (index < 0 || index >= copy.from.extent[k]) return std::nullopt;
        element += index * copy.from.stride[k];
    }
    return element;
}

bool advance(std::array<int64_t, kMaxRank>& at, const View& view) {
    for (size_t k = view.rank; k-- > 0;) {
        if (++at[k] < view.extent[k]) return true;
        at[k] = 0;
    }
    return false;
}

}  // namespace

void arrive(Machine& machine, PendingCopy& copy) {
    if (copy.to.elements == 0) return;
    const size_t size = stored_size(copy.to.elem);
    std::array<int64_t, kMaxRank> at{};
    int64_t element = 0;
    do {
        uint8_t* to = copy.to.data + element * static_cast<int64_t>(size);
        const std::optional<int64_t> source = source_of(copy, at);
        if (!source)
            std::memset(to, 0, size);
        else if (copy.from.packed)
            *to = load_packed(copy.from.elem, copy.from.data, *source);
        else
            std::memcpy(to, copy.from.data + *source * static_cast<int64_t>(size), size);
        if (source) check_source(machine, copy, *source);
        if (copy.to.shadow != nullptr) {
            const Actor actor{static_cast<uint32_t>(machine.unit), kGroupItself};
            // An access to the buffer while the copy was under way was reported when it happened.
            (void)copy.to.shadow->touch(copy.to.shadow_base + element, TouchKind::write, actor, machine.clock,
                                        machine.epoch, copy.op);
        }
        ++element;
    } while (advance(at, copy.to));
}

void arrive_at_barrier(Machine& machine) {
    if (machine.copies.empty()) return;
    for (PendingCopy& copy : machine.copies) {
        if (!machine.program->commits || copy.waited) arrive(machine, copy);
    }
    std::erase_if(machine.copies, [&](const PendingCopy& copy) { return !machine.program->commits || copy.waited; });
}

namespace steps {

namespace {}  // namespace

const Inst* barrier(Machine& machine, const Inst& inst) {
    machine.epoch = ++machine.clock;
    arrive_at_barrier(machine);
    return next(inst);
}

const Inst* copy_async(Machine& machine, const Inst& inst) {
    const CopyData& data = machine.program->copies[inst.data];
    PendingCopy copy{&data, inst.op, machine.views[data.to], machine.views[data.from], {}, -1, false, ++machine.clock};
    for (size_t k = 0; k < data.starts.size(); ++k) copy.starts[k] = machine.at<int64_t>(data.starts[k]);
    if (machine.launch->options->sanitizers.race) {
        std::memset(copy.to.data, 0xFF, static_cast<size_t>(copy.to.elements) * stored_size(copy.to.elem));
    }
    machine.copies.push_back(copy);
    return next(inst);
}

const Inst* commit(Machine& machine, const Inst& inst) {
    for (PendingCopy& copy : machine.copies) {
        if (copy.commit < 0) copy.commit = machine.commits;
    }
    ++machine.commits;
    return next(inst);
}

const Inst* wait_group(Machine& machine, const Inst& inst) {
    for (PendingCopy& copy : machine.copies) {
        if (copy.commit >= 0 && copy.commit < machine.commits - static_cast<int64_t>(inst.count)) copy.waited = true;
    }
    return next(inst);
}

}  // namespace steps
}  // namespace tsr::ir::eval
