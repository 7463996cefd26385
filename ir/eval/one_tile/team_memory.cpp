// Elements of tensors and shared buffers; atomics; asynchronous copies.
#include <algorithm>

#include <fmt/format.h>

#include "ir/eval/one_tile/team.h"
#include "ir/ops/memory.h"
#include "ir/ops/tile.h"

namespace tsr::ir::eval::one_tile {

namespace {

std::string list_text(const std::vector<int64_t>& numbers) { return fmt::format("[{}]", fmt::join(numbers, ", ")); }

}  // namespace

bool Team::memory(OpId id, const Op& op, const Mask& mask) {
    switch (op.kind) {
        case OpKind::read:
        case OpKind::read_vector:
            return read(id, op, mask), true;
        case OpKind::write:
        case OpKind::write_vector:
            return write(id, op, mask), true;
        case OpKind::atomic:
            return atomic(id, mask), true;
        case OpKind::stage:
            return stage(id, mask), true;
        case OpKind::buffer:
            return buffer(id), true;
        case OpKind::copy_async:
            return copy_async(id, mask), true;
        default:
            return false;
    }
}

Team::Access Team::access(OpId id, ValueId memory, ValueSpan indices, size_t width, bool writes) const {
    Access made{id, handle(memory), {}, std::vector<int64_t>(indices.size()), width, writes};
    for (ValueId v : indices) made.indices.push_back(source(v, 1));
    return made;
}

int64_t Team::position(Access& access, size_t tile) const {
    for (size_t k = 0; k < access.index.size(); ++k)
        access.index[k] = static_cast<int64_t>(access.indices[k].at(0, tile));
    const Memory& memory = *access.memory.memory;
    if (const auto found = memory.find(access.index, access.width)) return *found;
    stop(kernel_, access.op,
         fmt::format("{} of '{}' at {}{} is outside of its shape {}, by {}", access.writes ? "a write" : "a read",
                     memory.name(), list_text(access.index),
                     access.width > 1 ? fmt::format(" ({} elements)", access.width) : "", list_text(memory.shape()),
                     who(is_once(access.op) ? std::nullopt : std::optional(tile))));
}

void Team::read(OpId id, const Op&, const Mask& mask) {
    const ReadOp read(kernel_, id);
    const ValueId result = read.result();
    const Handle from = handle(read.memory());
    std::vector<Bits>& bits = make(result);
    const size_t width = parts(result);
    const size_t tiles = bits.size() / width;
    Access where = access(id, read.memory(), read.indices(), width, false);
    for (size_t i = 0; i < tiles; ++i) {
        if (tiles > 1 && mask.on[i] == 0) continue;
        const int64_t at = position(where, i);
        for (size_t k = 0; k < width; ++k) bits[k * tiles + i] = from.get(at + static_cast<int64_t>(k));
    }
}

void Team::write(OpId id, const Op&, const Mask& mask) {
    const WriteOp write(kernel_, id);
    if (who_.flat && who_.is_groups(kernel_, id))
        stop(kernel_, id, "every tile of the launch would write the same value here");
    const Handle to = handle(write.memory());
    const size_t width = parts(write.value());
    const Source from = source(write.value(), width);
    Access where = access(id, write.memory(), write.indices(), width, true);
    for (size_t i = 0; i < tiles_; ++i) {
        if (mask.on[i] == 0) continue;
        const int64_t at = position(where, i);
        if (to.memory->is_packed() && at % pack_size(to.memory->elem()) != 0) {
            stop(kernel_, id,
                 fmt::format("a write of '{}' does not begin at a byte of its own, by {}", to.memory->name(), who(i)));
        }
        for (size_t k = 0; k < width; ++k) to.set(at + static_cast<int64_t>(k), from.at(k, i));
        if (is_once(id)) return;
    }
}

Bits Team::combined(AtomicOp what, DType type, Bits old, Bits value) const {
    switch (what) {
        case AtomicOp::add:
            return exactly(OpKind::add, type, old, value);
        case AtomicOp::min:
            return exactly(OpKind::minimum, type, old, value);
        case AtomicOp::max:
            return exactly(OpKind::maximum, type, old, value);
        case AtomicOp::bit_and:
            return exactly(OpKind::bit_and, type, old, value);
        case AtomicOp::bit_or:
            return exactly(OpKind::bit_or, type, old, value);
        case AtomicOp::bit_xor:
            return exactly(OpKind::bit_xor, type, old, value);
        case AtomicOp::exchange:
        case AtomicOp::compare_exchange:
            break;
    }
    return value;
}

// In the order of the tiles, which nothing promises.
void Team::atomic(OpId id, const Mask& mask) {
    const AtomicUpdateOp update(kernel_, id);
    if (who_.flat && who_.is_groups(kernel_, id))
        stop(kernel_, id, "every tile of the launch would write the same value here");
    const Handle at = handle(update.memory());
    const DType elem = type(update.memory()).elem;
    if (at.memory->is_packed()) stop(kernel_, id, fmt::format("there is no such atomic on {}", tsr::name(elem)));
    std::vector<Bits>& found = make(update.result());
    Access access = this->access(id, update.memory(), update.indices(), 1, true);
    for (size_t i = 0; i < tiles_; ++i) {
        if (mask.on[i] == 0) continue;
        const int64_t where = position(access, i);
        const Bits old = at.get(where);
        if (!update.compares() || old == of_tile(update.compare(), i))
            at.set(where, combined(update.what(), elem, old, of_tile(update.value(), i)));
        found[varies(update.result()) ? i : 0] = old;
        if (is_once(id)) return;
    }
}

void Team::stage(OpId id, const Mask&) {
    const StageOp stage(kernel_, id);
    if (varies(stage.index()))
        stop(kernel_, id, "a shared buffer is chosen here by a number that differs between tiles");
    const Handle from = handle(stage.buffer());
    const auto index = static_cast<int64_t>(one(stage.index()));
    if (index < 0 || index >= from.memory->stages()) {
        stop(kernel_, id,
             fmt::format("stage {} of '{}' is outside: it has {}", index, from.memory->name(), from.memory->stages()));
    }
    cells_[stage.result().index].memory = {from.memory, index};
}

// One buffer, also in a loop.
void Team::buffer(OpId id) {
    const BufferOp buffer(kernel_, id);
    Memory*& made = buffer_[id.index];
    if (made == nullptr) {
        std::vector<int64_t> shape;
        for (const Dim& extent : buffer.shape()) shape.push_back(extent.constant_value().value_or(0));
        const std::string name =
            buffer.attrs().has(Attr::name) ? buffer.attrs().string(Attr::name) : kernel_.value(buffer.result()).name;
        made = &buffers_.emplace_back(Memory::of_buffer(name, buffer.dtype(), std::move(shape), buffer.stages()));
    }
    cells_[buffer.result().index].memory = {made, 0};
}

// The data is taken now and arrives later; until then the buffer holds nothing that may be read.
void Team::copy_async(OpId id, const Mask& mask) {
    const CopyAsyncOp copy(kernel_, id);
    need_all(id, mask);
    Pending made{handle(copy.to()), {}};
    std::vector<int64_t> start;
    for (ValueId v : copy.starts()) {
        if (varies(v)) stop(kernel_, id, "the group copies one view, but where it starts differs between tiles");
        start.push_back(static_cast<int64_t>(one(v)));
    }
    const Handle from = handle(copy.from());
    const std::vector<int64_t>& shape = made.to.memory->shape();
    const size_t leading = start.size() - shape.size();
    std::vector<int64_t> index = start;
    for (int64_t at = 0; at < made.to.memory->elements(); ++at) {
        int64_t rest = at;
        for (size_t k = shape.size(); k-- > 0; rest /= shape[k]) {
            index[leading + k] = static_cast<int64_t>(static_cast<uint64_t>(start[leading + k]) +
                                                      static_cast<uint64_t>(rest % shape[k]));
        }
        const auto there = from.memory->find(index);
        made.data.push_back(there ? from.get(*there) : 0);
        made.to.set(at, canonical(made.to.memory->elem(), ~uint64_t{0}));
    }
    copies_.push_back(std::move(made));
}

// At a barrier: every copy, or in a kernel with commits those that a wait covers.
void Team::arrive() {
    for (Pending& copy : copies_) {
        if (commits_ && !copy.waited) continue;
        for (size_t i = 0; i < copy.data.size(); ++i) copy.to.set(static_cast<int64_t>(i), copy.data[i]);
    }
    std::erase_if(copies_, [&](const Pending& copy) { return !commits_ || copy.waited; });
}

}  // namespace tsr::ir::eval::one_tile
