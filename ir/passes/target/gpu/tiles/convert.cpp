// Tiles from one layout to another.
#include <algorithm>

#include "ir/passes/target/gpu/tiles/code.h"

namespace tsr::ir {

namespace {

constexpr int64_t kMemoryAtOnce = 32 * 1024;  // bytes of a conversion that does not fit in fewer

int64_t bytes_of(DType type) { return std::max<int64_t>(1, bits(type) / 8); }

}  // namespace

ValueId ThreadTiles::memory(DType type, int64_t elements) {
    memory_bytes_ = std::max(memory_bytes_, elements * bytes_of(type));
    const ValueId place =
        emit_.op(OpKind::scratch, {}, {{Attr::count, int64_t{0}}, {Attr::type, type}, {Attr::alignment, int64_t{128}}});
    places_.push_back(code_.target.value(place).op);
    return place;
}

int64_t ThreadTiles::finish(int64_t used) {
    const auto place = [&](const std::vector<OpId>& places, int64_t bytes, int64_t alignment) {
        if (bytes == 0) return;
        const int64_t begin = (used + alignment - 1) / alignment * alignment;
        for (OpId id : places) code_.target.op(id).attrs.set(Attr::count, begin);
        used = begin + bytes;
    };
    place(box_places_, box_bytes_, kBoxAlignment);
    place(places_, memory_bytes_, 128);
    return used;
}

void ThreadTiles::barrier() {
    emit_.statement(OpKind::block_barrier, {});
    others_read_ = false;
}

void ThreadTiles::before_write() {
    if (others_read_) barrier();
}

ThreadTiles::Registers ThreadTiles::in(ValueId tile, const Layout& wanted) {
    const OpId made = code_.tile.value(tile).op;
    if (made.valid() && layout(tile) != wanted) {
        Registers anywhere = made_anywhere(code_.tile.op(made), wanted);
        if (!anywhere.empty()) return anywhere;
    }
    return convert(code_.parts.at(tile), layout(tile), wanted, elem(tile));
}

ThreadTiles::Registers ThreadTiles::renamed(const LaneRenaming& by, const Registers& values) {
    Registers out = values;
    for (size_t bit = 0; bit < by.masks.size(); ++bit) {
        if (by.masks[bit] == 0) continue;
        const ValueId other = parity(by.masks[bit]);
        const Registers before = out;
        for (size_t r = 0; r < out.size(); ++r) {
            const ValueId swapped = before[r ^ (size_t{1} << bit)];
            out[r] = before[r] == swapped ? swapped : emit_.select(other, swapped, before[r]);
        }
    }
    return out;
}

ThreadTiles::Registers ThreadTiles::shuffled(const ShuffleRounds& rounds, Registers values) {
    values = renamed(rounds.send, values);
    Registers taken;
    for (size_t t = 0; t < rounds.given.size(); ++t) {
        const ValueId lane = plus(thread_part(rounds.from), static_cast<Bits>(rounds.from_constant[t]));
        const ValueId given = values[static_cast<size_t>(rounds.given[t])];
        taken.push_back(emit_.op(OpKind::warp_shuffle, {given, emit_.cast(lane, DType::i32)},
                                 {{Attr::shuffle, ir::code(ShuffleBy::index)}}));
    }
    return renamed(rounds.receive, taken);
}

void ThreadTiles::through_memory(const Conversion& plan, const Registers& values, Registers& out, DType type) {
    const SharedMemory& shared = plan.memory;
    const int64_t fit = std::max<int64_t>(1, kMemoryAtOnce / (plan.piece_size() * bytes_of(type)));
    const auto writers = without_bits(shared.copies_lane, shared.copies_warp);
    auto offset = [&](const LinearMap& map, int64_t reg, int64_t piece) {
        const auto constant = static_cast<Bits>(map.at({{Counted::reg, reg}}, Counted::offset));
        return emit_.add(plus(thread_part(map, Counted::offset), constant), emit_.integer(piece * plan.piece_size()));
    };
    for (int64_t first = 0; first < plan.pieces(); first += fit) {
        const int64_t last = std::min(first + fit, plan.pieces());
        before_write();
        const ValueId place = memory(type, (last - first) * plan.piece_size());
        when(writers, [&] {
            for (int64_t piece = first; piece < last; ++piece) {
                const auto& from = plan.from[static_cast<size_t>(piece)];
                for (const auto& access : shared.writes.registers) {
                    Registers parts;
                    bool any = false;
                    for (int64_t r : access) {
                        const int64_t number = from[static_cast<size_t>(r)];  // -1: no element, anything
                        any |= number >= 0;
                        parts.push_back(values[static_cast<size_t>(std::max<int64_t>(number, 0))]);
                    }
                    if (!any) continue;
                    store_vector(emit_.pointer_add(place, offset(shared.write, access[0], piece - first)), parts);
                }
            }
        });
        barrier();
        for (int64_t piece = first; piece < last; ++piece) {
            const auto& to = plan.to[static_cast<size_t>(piece)];
            for (const auto& access : shared.reads.registers) {
                auto there = [&](int64_t r) { return to[static_cast<size_t>(r)] >= 0; };
                if (std::ranges::none_of(access, there)) continue;
                const ValueId from = emit_.pointer_add(place, offset(shared.read, access[0], piece - first));
                const Registers parts = load_vector(from, shared.reads.width());
                for (size_t i = 0; i < access.size(); ++i) {
                    if (there(access[i])) out[static_cast<size_t>(to[static_cast<size_t>(access[i])])] = parts[i];
                }
            }
        }
        others_read_ = true;
    }
}

ThreadTiles::Registers ThreadTiles::convert(const Registers& values, const Layout& from, const Layout& to, DType type) {
    if (from == to) return values;
    const Conversion plan = plan_conversion(from, to, static_cast<int>(bytes_of(type)));
    // What no piece brings is no element.
    Registers out(static_cast<size_t>(to.size()), values[0]);
    if (plan.way == Conversion::Way::shared) {
        through_memory(plan, values, out, type);
        return out;
    }
    for (size_t piece = 0; piece < plan.from.size(); ++piece) {
        Registers moved;
        for (int64_t r : plan.from[piece]) moved.push_back(r < 0 ? values[0] : values[static_cast<size_t>(r)]);
        if (plan.way == Conversion::Way::shuffle) {
            moved = shuffled(plan.rounds, moved);
        } else {
            Registers same;
            for (int64_t r : plan.renamed) same.push_back(moved[static_cast<size_t>(r)]);
            moved = same;
        }
        for (size_t i = 0; i < moved.size(); ++i) {
            if (plan.to[piece][i] >= 0) out[static_cast<size_t>(plan.to[piece][i])] = moved[i];
        }
    }
    return out;
}

}  // namespace tsr::ir
