// Attributes: what an operation carries beside its operands. Constants, names, modes.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "ir/core/type.h"

namespace tsr::ir {

// One list of names; which operation has which of them stands in the operation's record.
enum class Attr : uint8_t {
    value,      // constant: int64_t, double, or std::string
    type,       // DType
    dim,        // Dim
    axis,       // int64_t
    callee,     // a function of the module, or an entry of the host API
    text,       // message, format
    op,         // ReduceOp or AtomicOp as int64_t
    width,      // lanes or elements
    loop,       // LoopKind as int64_t
    over,       // LanesOver as int64_t
    prefetch,   // rounds
    layout,     // "row", "col", "blocked(…)", "interleaved(…)"
    swizzle,    // "xor", "none"
    alignment,  // bytes
    count,      // copies left in flight by wait_group; stages of a buffer
    name,       // what the programmer calls it, for messages
    axes,       // std::vector<int64_t>
    elements,   // of a table: the bits of each, std::vector<int64_t>
    shape,      // std::vector<Dim>
    mode,       // std::string
    masked,     // 1: the last operand is a mask
    unroll,     // int64_t
    machine,    // std::string
    names,      // std::vector<std::string>
    letters,    // of a product, one for each axis: "mk,kn->mn"
};

using AttrValue = std::variant<int64_t, double, std::string, DType, Dim, std::vector<int64_t>, std::vector<Dim>,
                               std::vector<std::string>>;

// How a loop of the source may be run (language reference, section 4, "Loops").
enum class LoopKind : uint8_t {
    in_order,    // `range`
    tile_range,  // `tile.range`: `classify` makes it a grid loop, a tile loop, or in order
};

// What the lanes of a `lanes` region are.
enum class LanesOver : uint8_t {
    tiles,   // the tiles of the group; the one region argument is the local linear id
    loop,    // the rounds of a tile loop
    domain,  // the tiles of a flat kernel's launch, or the rounds of a grid loop of single elements
};

enum class ReduceOp : uint8_t { add, mul, min, max, any, all };
enum class AtomicOp : uint8_t { add, min, max, bit_and, bit_or, bit_xor, exchange, compare_exchange };

// True when the value is of the kind that the attribute holds (the comment at its name).
bool holds_its_kind(Attr key, const AttrValue& value);

// Names in IR text.
std::string_view name(Attr key);
std::optional<Attr> attr_named(std::string_view text);
std::string_view name(LoopKind kind);
std::string_view name(LanesOver over);
std::string_view name(ReduceOp op);
std::string_view name(AtomicOp op);

class Attrs {
public:
    Attrs() = default;
    Attrs(std::initializer_list<std::pair<Attr, AttrValue>> entries) {
        for (const auto& [key, value] : entries) set(key, value);
    }

    void set(Attr key, AttrValue value);
    void erase(Attr key);
    [[nodiscard]] const AttrValue* find(Attr key) const;
    [[nodiscard]] bool has(Attr key) const { return find(key) != nullptr; }

    // The value. An absent one without `otherwise`, or one of another type, is an internal error.
    [[nodiscard]] int64_t integer(Attr key) const;
    [[nodiscard]] int64_t integer(Attr key, int64_t otherwise) const;
    [[nodiscard]] double real(Attr key) const;
    [[nodiscard]] const std::string& string(Attr key) const;
    [[nodiscard]] DType dtype(Attr key) const;
    [[nodiscard]] const Dim& dim(Attr key) const;
    [[nodiscard]] const std::vector<int64_t>& integers(Attr key) const;
    [[nodiscard]] const std::vector<Dim>& dims(Attr key) const;
    [[nodiscard]] const std::vector<std::string>& strings(Attr key) const;

    [[nodiscard]] auto begin() const { return entries_.begin(); }
    [[nodiscard]] auto end() const { return entries_.end(); }
    [[nodiscard]] bool empty() const { return entries_.empty(); }
    bool operator==(const Attrs&) const = default;

private:
    std::vector<std::pair<Attr, AttrValue>> entries_;  // sorted by key
};

}  // namespace tsr::ir
