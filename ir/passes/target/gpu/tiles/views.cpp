// Loads and stores of tiles: accesses of up to 16 bytes where the whole view lies inside of its memory, else element by
// element.
#include <algorithm>
#include <bit>
#include <functional>

#include "ir/passes/target/cpu/tiles/uses.h"
#include "ir/passes/target/gpu/tiles/code.h"
#include "ir/passes/target/gpu/tiles/rows.h"
#include "ir/passes/target/gpu/tiles/view.h"

namespace tsr::ir {

// Where the elements that a warp has of a row follow each other for less than an access, as in what was transposed, its
// accesses would touch a sector of 32 bytes for each few: such a tile goes to and from memory in rows.
Layout ThreadTiles::along_rows(const TileViewOp& op, const Layout& own) const {
    const Type& memory = code_.tile.type(op.memory());
    const int64_t bytes = bits(memory.elem) / 8;
    const bool rows = memory.kind == TypeKind::tensor && op.axes().back() + 1 == static_cast<int64_t>(memory.rank());
    if (!rows || own.shape.back() * bytes < kAccess) return own;
    const LinearMap offsets = row_offsets(own.atom);
    int64_t together = 1;
    const auto has_next = [&](Counted counted) {
        return std::ranges::count(offsets.columns(counted), static_cast<Bits>(together)) > 0;
    };
    while (together * bytes < kAccess && (has_next(Counted::reg) || has_next(Counted::lane))) together *= 2;
    if (together * bytes >= kAccess) return own;
    const int warp_bits = std::countr_zero(static_cast<uint64_t>(code_.plan.gpu().threads / kWarp));
    return layout_in_rows(own.shape, static_cast<int>(bytes), warp_bits);
}

ValueId ThreadTiles::both(ValueId a, ValueId b) {
    if (!a.valid() || !b.valid()) return a.valid() ? a : b;
    return emit_.binary(OpKind::bit_and, a, b);
}

ValueId ThreadTiles::within(ValueId index, ValueId extent) {
    return emit_.compare(OpKind::lt, emit_.cast(index, DType::u64), emit_.cast(extent, DType::u64));
}

ThreadTiles::View ThreadTiles::view(const TileViewOp& op, const Layout& lies) {
    std::vector<ValueId> starts;
    for (ValueId start : op.starts()) starts.push_back(emit_.cast(code_.scalars.at(start), DType::index));
    return view(code_.memories.at(op.memory()), elem(op.memory()), op.axes(), starts, lies);
}

ThreadTiles::View ThreadTiles::view(const Memory& memory, DType type, const std::vector<int64_t>& axes,
                                    std::vector<ValueId> starts, const Layout& lies) {
    View out;
    out.memory = &memory;
    out.layout = &lies;
    out.type = type;
    out.axes = axes;
    out.starts = std::move(starts);
    for (size_t i = 0; i < out.starts.size(); ++i) {
        if (std::ranges::find(out.axes, static_cast<int64_t>(i)) != out.axes.end()) continue;
        out.others = both(out.others, within(out.starts[i], out.memory->extent(i)));
    }
    if (out.memory->packed) return out;
    out.begin = code_.address(*out.memory, out.starts);
    const size_t rank = out.memory->dims.size();
    std::vector<ValueId> strides(rank);
    ValueId stride = emit_.integer(1);
    for (size_t i = rank; i-- > 0;) {
        strides[i] = stride;
        stride = emit_.mul(stride, out.memory->dims[i]);
    }
    for (int64_t axis : out.axes) out.strides.push_back(strides[static_cast<size_t>(axis)]);
    ValueId offset = emit_.integer(0);
    for (size_t i = 0; i < lies.rank(); ++i) {
        offset = emit_.add(offset, emit_.mul(thread_part(lies.atom, axis(i)).value, out.strides[i]));
    }
    out.mine = emit_.pointer_add(out.begin, offset);
    // Consecutive elements of the last axis, a whole number of them in the tile.
    int widest = 0;
    if (out.axes.back() + 1 == static_cast<int64_t>(rank)) {
        widest = std::min({std::countr_zero(static_cast<unsigned>(16 / std::clamp(bits(out.type) / 8, 1, 16))),
                           lies.atom.out_bits(axis(lies.rank() - 1)),
                           std::countr_zero(static_cast<uint64_t>(lies.shape.back()))});
    }
    out.accesses = vector_access(row_offsets(lies.atom), widest);
    return out;
}

// The register's place, as far as it is not beyond the tile.
ValueId ThreadTiles::address(const View& view, int64_t reg) {
    const Layout& lies = *view.layout;
    const Coordinates at = lies.at(reg), begin = lies.atom_begin(reg / lies.atom_size());
    bool plain = true;
    for (size_t i = 0; i < lies.rank(); ++i) {
        plain &= (static_cast<Bits>(at[i] - begin[i]) & thread_part(lies.atom, axis(i)).bits) == 0;
    }
    ValueId offset = emit_.integer(0);
    for (size_t i = 0; i < lies.rank(); ++i) {
        const ValueId along = plain ? emit_.integer(at[i]) : coordinate(lies, i, reg);
        offset = emit_.add(offset, emit_.mul(along, view.strides[i]));
    }
    return emit_.pointer_add(plain ? view.mine : view.begin, offset);
}

ValueId ThreadTiles::coordinate(const Layout& lies, size_t number, int64_t reg) {
    const int64_t at = lies.at(reg)[number], begin = lies.atom_begin(reg / lies.atom_size())[number];
    return emit_.add(plus(thread_part(lies.atom, axis(number)), static_cast<Bits>(at - begin)), emit_.integer(begin));
}

ThreadTiles::Beyond ThreadTiles::beyond_end(const Layout& lies, size_t number, int64_t reg) {
    const int64_t at = lies.at(reg)[number], begin = lies.atom_begin(reg / lies.atom_size())[number];
    const auto moves = static_cast<int64_t>(thread_part(lies.atom, axis(number)).bits);
    const int64_t shape = lies.shape[number];
    if (begin + ((at - begin) | moves) < shape) return {};
    if (begin + ((at - begin) & ~moves) >= shape) return {true, {}};
    return {false, emit_.compare(OpKind::lt, coordinate(lies, number, reg), emit_.integer(shape))};
}

ThreadTiles::Beyond ThreadTiles::beyond_end(const Layout& lies, int64_t reg) {
    Beyond all;
    for (size_t i = 0; i < lies.rank(); ++i) {
        const Beyond one = beyond_end(lies, i, reg);
        all.always |= one.always;
        all.inside = both(all.inside, one.inside);
    }
    return all;
}

// All of the view is inside of its memory.
ValueId ThreadTiles::whole(const View& view) {
    ValueId all = view.others;
    for (size_t i = 0; i < view.axes.size(); ++i) {
        const auto along = static_cast<size_t>(view.axes[i]);
        const ValueId start = view.starts[along];
        const ValueId end = emit_.add(start, emit_.integer(view.layout->shape[i]));
        all = both(all, both(emit_.compare(OpKind::ge, start, emit_.integer(0)),
                             emit_.compare(OpKind::le, end, view.memory->extent(along))));
    }
    return all;
}

// Accesses begin at multiples of their width: a memory's pointer is aligned, and so is what lies a whole number of
// accesses behind it. `ends`: rows end there too, each access is inside or outside as a whole.
ValueId ThreadTiles::aligned(const View& view, bool ends) {
    ValueId apart = view.starts.back();
    if (ends || view.starts.size() > 1) apart = emit_.binary(OpKind::bit_or, apart, view.memory->dims.back());
    const ValueId low = emit_.binary(OpKind::bit_and, apart, emit_.integer(view.accesses.width() - 1));
    return emit_.compare(OpKind::eq, low, emit_.integer(0));
}

// A register's element is inside of the memory; conditions along an axis are made once per position.
ValueId ThreadTiles::within_memory(const View& view, int64_t reg,
                                   std::map<std::pair<size_t, int64_t>, ValueId>& known) {
    ValueId inside = view.others;
    const Coordinates at = view.layout->at(reg);
    for (size_t i = 0; i < view.axes.size(); ++i) {
        const auto along = static_cast<size_t>(view.axes[i]);
        ValueId& one = known[{i, at[i]}];
        if (!one.valid()) {
            const ValueId position = emit_.add(view.starts[along], coordinate(*view.layout, i, reg));
            one = within(position, view.memory->extent(along));
        }
        inside = both(inside, one);
    }
    return inside;
}

void ThreadTiles::load(OpId id) {
    const TileViewOp op(code_.tile, id);
    const ValueId result = code_.tile.op(id).results[0];
    const ValueId fill = op.fill() ? code_.scalars.at(*op.fill()) : emit_.zero(elem(op.memory()));
    const Layout lies = along_rows(op, layout(result));
    code_.parts[result] = convert(load_view(view(op, lies), fill), lies, layout(result), elem(result));
}

ThreadTiles::Registers ThreadTiles::load_view(const View& seen, ValueId fill) {
    const auto count = static_cast<size_t>(seen.layout->size());
    const Type one = Type::scalar(seen.type);
    auto elements = [&] {
        Registers out(count, fill);
        each_element(seen, [&](int64_t r, ValueId inside) {
            auto take = [&] {
                if (!seen.memory->packed) return Registers{emit_.load(address(seen, r), 0)};
                return Registers{code_.load_packed(*seen.memory, indices(seen, r))};
            };
            out[static_cast<size_t>(r)] = choose(inside, {one}, take, [&] { return Registers{fill}; })[0];
        });
        return out;
    };
    auto accesses = [&](bool clipped) {
        Registers out(count, fill);
        each_access(seen, clipped, [&](const std::vector<int64_t>& registers, ValueId inside) {
            auto take = [&] { return load_vector(address(seen, registers[0]), seen.accesses.width()); };
            auto nothing = [&] { return Registers(registers.size(), fill); };
            const std::vector<Type> types(registers.size(), one);
            const Registers taken = inside.valid() ? choose(inside, types, take, nothing) : take();
            for (size_t i = 0; i < registers.size(); ++i) out[static_cast<size_t>(registers[i])] = taken[i];
        });
        return out;
    };
    return by_reach(seen, std::vector<Type>(count, one), accesses, elements);
}

std::vector<ValueId> ThreadTiles::indices(const View& view, int64_t reg) {
    std::vector<ValueId> at = view.starts;
    for (size_t i = 0; i < view.axes.size(); ++i) {
        ValueId& along = at[static_cast<size_t>(view.axes[i])];
        along = emit_.add(along, coordinate(*view.layout, i, reg));
    }
    return at;
}

void ThreadTiles::when(ValueId condition, const std::function<void()>& body) {
    if (condition.valid()) {
        code_.when(condition, body);
    } else {
        body();
    }
}

void ThreadTiles::store(OpId id) {
    if (goes_in_boxes(id)) return store_boxes(id);
    const TileViewOp op(code_.tile, id);
    if (code_.memories.at(op.memory()).packed) return store_packed(id);
    const Layout lies = along_rows(op, layout(op.value()));
    const Registers values = in(op.value(), lies);
    when(writers(lies.atom), [&] {
        const View seen = view(op, lies);
        auto accesses = [&](bool clipped) {
            each_access(seen, clipped, [&](const std::vector<int64_t>& registers, ValueId inside) {
                Registers parts;
                for (int64_t r : registers) parts.push_back(values[static_cast<size_t>(r)]);
                when(inside, [&] { store_vector(address(seen, registers[0]), parts); });
            });
            return Registers{};
        };
        auto elements = [&] {
            each_element(seen, [&](int64_t r, ValueId inside) {
                when(inside, [&] { emit_.store(address(seen, r), values[static_cast<size_t>(r)]); });
            });
            return Registers{};
        };
        by_reach(seen, {}, accesses, elements);
    });
}

}  // namespace tsr::ir
