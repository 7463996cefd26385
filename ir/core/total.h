// Tables that answer one question for every operation of a family: what a machine makes of it, how it moves the axes
// of a tile. A table that forgets an operation does not compile, and the error names the operation and the table.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "ir/core/internal.h"
#include "ir/core/opkind.h"

namespace tsr::ir {

#define TSR_KIND(op) OpKind::op,

// The lists of opkind.h.
inline constexpr std::array kElementFamily{TSR_ELEMENT_OPS(TSR_KIND)};
inline constexpr std::array kControlFamily{TSR_CONTROL_OPS(TSR_KIND)};
inline constexpr std::array kMemoryFamily{TSR_MEMORY_OPS(TSR_KIND)};
inline constexpr std::array kGroupFamily{TSR_GROUP_OPS(TSR_KIND)};
inline constexpr std::array kPipelineFamily{TSR_PIPELINE_OPS(TSR_KIND)};
inline constexpr std::array kTileFamily{TSR_TILE_OPS(TSR_KIND)};
inline constexpr std::array kRegisterFamily{TSR_REGISTER_OPS(TSR_KIND)};
inline constexpr std::array kGraphFamily{TSR_GRAPH_OPS(TSR_KIND)};
inline constexpr std::array kHostFamily{TSR_HOST_OPS(TSR_KIND)};
inline constexpr std::array kTargetFamily{TSR_TARGET_OPS(TSR_KIND)};
inline constexpr std::array kGpuFamily{TSR_GPU_OPS(TSR_KIND)};
inline constexpr std::array kBoxFamily{TSR_BOX_OPS(TSR_KIND)};
// Parts of them.
inline constexpr std::array kArithmeticFamily{TSR_ARITHMETIC_OPS(TSR_KIND)};
inline constexpr std::array kComparisonFamily{TSR_COMPARISON_OPS(TSR_KIND)};
inline constexpr std::array kAxisFamily{TSR_AXIS_OPS(TSR_KIND)};
// What becomes a formula; checked against the records in ir/ops/element.cpp.
inline constexpr std::array kFormulaFamily{TSR_LIBRARY_OPS(TSR_KIND) TSR_FORMULA_OPS(TSR_KIND)};
inline constexpr std::array kRoundingFamily{TSR_ROUNDING_OPS(TSR_KIND)};
inline constexpr std::array kCopyFamily{TSR_COPY_OPS(TSR_KIND)};
inline constexpr std::array kRingFamily{TSR_RING_OPS(TSR_KIND)};

// One row of a table whose answer is a single thing. A table may have rows of its own type: they have a `kind`.
template <typename Answer>
struct Row {
    OpKind kind;
    Answer answer;
};

namespace total {

inline constexpr size_t kKinds = static_cast<size_t>(OpKind::count_);
static_assert(kKinds < UINT8_MAX, "a place in a table fits into a byte beside `kNoRow`");
inline constexpr uint8_t kNoRow = UINT8_MAX;

// As in opkind.h; the names in IR text are those of the records.
constexpr const char* spelled(OpKind kind) {
#define TSR_TEXT(op) #op,
    constexpr const char* kTexts[]{TSR_ELEMENT_OPS(TSR_TEXT) TSR_CONTROL_OPS(TSR_TEXT) TSR_MEMORY_OPS(TSR_TEXT)
                                       TSR_TILE_OPS(TSR_TEXT) TSR_REGISTER_OPS(TSR_TEXT) TSR_GRAPH_OPS(TSR_TEXT)
                                           TSR_HOST_OPS(TSR_TEXT) TSR_TARGET_OPS(TSR_TEXT) TSR_GPU_OPS(TSR_TEXT)
                                               TSR_BOX_OPS(TSR_TEXT)};
#undef TSR_TEXT
    return kTexts[static_cast<size_t>(kind)];
}

// How often each operation stands in a list of operations or rows.
using Counts = std::array<uint8_t, kKinds>;
constexpr void count(Counts& counts, OpKind kind) { ++counts[static_cast<size_t>(kind)]; }

template <typename Rows>
constexpr Counts counts_of_rows(const Rows& rows) {
    Counts counts{};
    for (const auto& row : rows) count(counts, row.kind);
    return counts;
}

template <typename... Families>
constexpr Counts counts_of_families(const Families&... families) {
    Counts counts{};
    const auto add = [&](const auto& family) {
        for (OpKind kind : family) count(counts, kind);
    };
    (add(families), ...);
    return counts;
}

// The first operation with more rows than places in the families, or with fewer; `count_` when there is none.
constexpr OpKind first_greater(const Counts& a, const Counts& b) {
    size_t i = 0;
    while (i < kKinds && a[i] <= b[i]) ++i;
    return static_cast<OpKind>(i);
}

// The assertions stand in templates of their own: compilers print the arguments, which are the table and the operation.
template <const auto& table, OpKind operation>
struct NoRowFor {
    static_assert(operation == OpKind::count_, "an operation has no row in this table");
    static constexpr bool kChecked = true;
};
template <const auto& table, OpKind operation>
struct RowTooManyFor {
    static_assert(operation == OpKind::count_, "an operation has two rows in this table, or is not of its families");
    static constexpr bool kChecked = true;
};

}  // namespace total

// Exactly one row for each operation of the families, in any order. `rows` is a constexpr array of static storage:
//
//     constexpr Row<AxisRule> kAxisRules[]{{OpKind::load_tile, AxisRule::made}, …};
//     constexpr Total<kAxisRules, kRegisterFamily> kAxes;
//     … kAxes[op.kind].answer …
//
// What a machine does not have stands in a row that says so. TSR_GPU_OPS(TSR_REFUSED) makes such rows for a family.
template <const auto& rows, const auto&... families>
class Total {
    static constexpr total::Counts kRows = total::counts_of_rows(rows);
    static constexpr total::Counts kWanted = total::counts_of_families(families...);

public:
    static constexpr bool kChecked = total::NoRowFor<rows, total::first_greater(kWanted, kRows)>::kChecked &&
                                     total::RowTooManyFor<rows, total::first_greater(kRows, kWanted)>::kChecked;
    static_assert(kChecked);

    static constexpr bool has(OpKind kind) { return kPlaces[static_cast<size_t>(kind)] != total::kNoRow; }

    // The row of an operation of the families.
    constexpr const auto& operator[](OpKind kind) const {
        if (!has(kind)) internal_error(std::string("an operation of another family: ") + total::spelled(kind));
        return rows[kPlaces[static_cast<size_t>(kind)]];
    }

private:
    static constexpr std::array<uint8_t, total::kKinds> places() {
        std::array<uint8_t, total::kKinds> out{};
        for (uint8_t& place : out) place = total::kNoRow;
        uint8_t at = 0;
        for (const auto& row : rows) out[static_cast<size_t>(row.kind)] = at++;
        return out;
    }
    static constexpr std::array<uint8_t, total::kKinds> kPlaces = places();
};

}  // namespace tsr::ir
