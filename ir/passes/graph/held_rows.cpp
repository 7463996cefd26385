#include "ir/passes/graph/held_rows.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>

#include "ir/ops/handle.h"
#include "ir/passes/graph/row_phases.h"

namespace tsr::ir {

namespace {

constexpr int64_t kBlockBytes = 128 << 10;  // of a row in registers: a multiprocessor has 256 KiB of them
constexpr int64_t kTileElements = 4096;     // elements of a tile of several rows, and of pieces of long rows
constexpr int64_t kManyRows = 1024;         // rows of no more elements are done some at a time
constexpr std::array<int64_t, 4> kWidths{256, 1024, 4096, 8192};  // of tiles, below the longest
constexpr int64_t kLongest = 16384;  // elements of a tile: the registers of 512 threads have room for them
constexpr int64_t kOneTile = 2048;   // static rows of no more are one tile everywhere

// What is in registers of each position of a row, in bytes.
struct Registers {
    int64_t waiting = 0;  // between two phases, where most does
    int64_t most = 0;     // with what a phase loads
};

Registers registers_of_rows(const Function& fused, const FusedAxes& axes, const RowPhases& phases) {
    struct Life {
        size_t first, last;
        bool loaded;
        int64_t bytes;
    };
    std::map<ValueId, Life> lives;
    for (OpId id : computed(fused)) {
        const size_t here = phases.phase_of(fused.op(id).results[0]);
        for (const AxisMap& source : sources_of(fused, id)) {
            const bool made = phases.is_computed(source.base);
            const bool loaded = fused.type(source.base).kind == TypeKind::tensor && !made &&
                                !defined_by(fused, source.base, OpKind::positions) &&
                                std::ranges::count(access_of(axes, fused, source, id).axes, *axes.axis) > 0;
            if (!loaded && !(made && phases.is_whole(source.base))) continue;
            const size_t first = made ? phases.phase_of(source.base) : here;
            // What is loaded as a narrower type stands beside what it is converted to.
            const int own = bits(fused.type(source.base).elem) / 8;
            const int64_t bytes = own < 4 && loaded ? 8 : std::max(own, 4);
            Life& life = lives.try_emplace(source.base, Life{first, first, loaded, bytes}).first->second;
            life.first = std::min(life.first, first);
            life.last = std::max(life.last, here);
        }
    }
    Registers out;
    for (size_t phase = 0; phase < phases.all.size(); ++phase) {
        int64_t before = 0, loaded = 0, behind = 0;
        for (const auto& [value, life] : lives) {
            if (life.first < phase && phase <= life.last) before += life.bytes;
            if (life.first == phase && life.loaded) loaded += life.bytes;
            if (life.first <= phase && phase < life.last) behind += life.bytes;
        }
        out.waiting = std::max(out.waiting, behind);
        out.most = std::max({out.most, before + loaded, behind});
    }
    return out;
}

// Whether a tile can have several rows: tensors have the rows' axis before that along the row, as the tile has.
bool have_tiles_of_rows(const Function& fused, const FusedAxes& axes) {
    const std::vector<size_t> outer = axes.outer();
    if (outer.empty()) return false;
    for (OpId id : computed(fused)) {
        for (const AxisMap& source : sources_of(fused, id)) {
            const TensorAccess access = access_of(axes, fused, source, id);
            const auto row = std::ranges::find(access.axes, outer.back());
            const auto along = std::ranges::find(access.axes, *axes.axis);
            if (std::ranges::count(access.axes, outer.back()) > 1 || std::ranges::count(access.axes, *axes.axis) > 1)
                return false;
            if (row != access.axes.end() && along < row) return false;
        }
    }
    return true;
}

// Elements of less than a byte are stored in packs, which tiles of other sizes would divide.
bool has_packs(const Function& fused) {
    const auto packed = [&](ValueId v) { return is_packed(fused.type(v).elem); };
    return std::ranges::any_of(fused.params(), packed) || std::ranges::any_of(yielded(fused, fused.body), packed);
}

}  // namespace

std::vector<RowsOnGpu> rows_on_gpu(const Function& fused, const FusedAxes& axes) {
    if (has_packs(fused)) return {};
    const auto extent = axes.extents[*axes.axis].constant_value();
    const Registers registers = registers_of_rows(fused, axes, row_phases(fused, axes));
    // Nothing is read twice of rows that nothing waits of, whatever their length.
    const int64_t longest =
        registers.waiting > 0 ? std::clamp(kBlockBytes / registers.most, kManyRows, kLongest) : kManyRows;
    const bool by_rows = have_tiles_of_rows(fused, axes);
    const auto held = [&](int64_t width) {
        const auto room = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(width)));
        return RowsOnGpu{{width, true, by_rows ? std::max<int64_t>(kTileElements / room, 1) : 1}, width};
    };
    const RowsOnGpu pieces{{.width = kTileElements}};
    if (extent) {
        if (*extent <= kManyRows && by_rows) return {held(*extent)};
        if (*extent <= kOneTile) return {};
        return {*extent <= longest ? held(*extent) : pieces};
    }
    std::vector<RowsOnGpu> all;
    for (const int64_t width : kWidths) {
        if (width < longest) all.push_back(held(width));
    }
    const auto last = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(longest)));
    if (last > all.back().longest) all.push_back(held(last));
    all.push_back(pieces);
    return all;
}

}  // namespace tsr::ir
