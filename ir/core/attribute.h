// Attributes: what an operation carries beside its operands. Constants, names, flags.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "ir/core/enumerations.h"
#include "ir/core/type.h"

namespace tsr::ir {

// One list of names; which operation has which of them stands in the operation's record. What is not said to be
// another kind is an int64_t.
enum class Attr : uint8_t {
    value,      // constant: int64_t, double, or std::string
    type,       // DType
    dim,        // Dim
    axis,       // one axis, or the position of an element
    callee,     // std::string: a function of the module, or an entry of the host API
    text,       // std::string: message, format
    op,         // ReduceOp or AtomicOp
    width,      // lanes or elements; of rows of a box in panels: bytes
    loop,       // LoopKind
    over,       // LanesOver
    prefetch,   // rounds
    layout,     // std::string: "row", "col", "blocked(…)", "interleaved(…)"
    swizzle,    // std::string: "xor", "none"
    alignment,  // bytes
    count,      // copies left in flight by wait_group; stages of a buffer
    name,       // std::string: what the programmer calls it, for messages
    axes,       // std::vector<int64_t>: for each axis of a tile the axis that it is elsewhere
    extents,    // std::vector<int64_t>: of a box, of a product, of a tensor of listed elements
    strides,    // std::vector<int64_t>: bytes from panel to panel, from eight rows to the next
    codes,      // std::vector<int64_t>: what each item in the brackets of a view is (IndexCode)
    elements,   // std::vector<int64_t>: of a table: the bits of each
    written,    // std::vector<int64_t>: of a launch in a graph: the arguments that the kernel writes
    shape,      // std::vector<Dim>
    packed,     // DType: of the elements that share a word
    ring,       // RingUse
    shuffle,    // ShuffleBy
    vote,       // Vote
    turn,       // Turn
    // flags: there or not
    a_transposed,
    b_transposed,
    transposed,   // matrices of a `load_matrix`
    tf32,         // a product's operands of f32 are rounded to tf32 first
    pending,      // a product is only started
    products,     // a wait is for products, not for copies
    local,        // the number in the group, in a kernel that names its groups
    of_tensor,    // the condition asks which tensor a variable of the program holds
    pointer,      // the slot of a launch holds an address
    past_caches,  // a store goes by the caches
    waits,        // what is stored is for loads of this kernel alone
    cluster,      // with the other blocks of the cluster
    anew,         // read where it stands, not kept from before
    lowered,      // a launch has its numbers of groups
    seeded,       // the program gives the seed of random numbers
    watched,      // of a `print`: reports the step from finite operands to a result that is not
    masked,       // the last operand is a mask; of a product: ends with the loop around it
    reverse,      // from the end of the axis
    descending,   // the greatest first
    outside,      // ids outside of the axis are none that are an error: they read 0 and write nothing
    // and more numbers, lists and texts
    unroll,
    names,    // std::vector<std::string>
    letters,  // std::string: of a product, one for each axis: "mk,kn->mn"
    steps,    // std::vector<int64_t>: of a slice, along each axis: elements of the operand from one to the next
    points,   // std::vector<std::string>: the kernels of which a launch runs one
};

using AttrValue = std::variant<int64_t, double, std::string, DType, Dim, std::vector<int64_t>, std::vector<Dim>,
                               std::vector<std::string>>;

// The value of a flag.
inline constexpr int64_t kFlag = 1;

bool is_flag(Attr key);
// True when the value is of the kind that the attribute holds (the comment at its name).
bool holds_its_kind(Attr key, const AttrValue& value);

// Names in IR text.
std::string_view name(Attr key);
std::optional<Attr> attr_named(std::string_view text);

class Attrs {
public:
    Attrs() = default;
    Attrs(std::initializer_list<std::pair<Attr, AttrValue>> entries) {
        for (const auto& [key, value] : entries) set(key, value);
    }

    void set(Attr key, AttrValue value);
    void set_flag(Attr key) { set(key, kFlag); }
    void erase(Attr key);
    [[nodiscard]] const AttrValue* find(Attr key) const;
    [[nodiscard]] bool has(Attr key) const { return find(key) != nullptr; }

    // The value. An absent one without `otherwise`, or one of another type, is an internal error.
    [[nodiscard]] int64_t integer(Attr key) const;
    [[nodiscard]] int64_t integer(Attr key, int64_t otherwise) const;
    // Of an attribute that holds an enumerator.
    template <typename Enumeration>
    [[nodiscard]] Enumeration as(Attr key) const {
        return static_cast<Enumeration>(integer(key));
    }
    template <typename Enumeration>
    [[nodiscard]] bool is(Attr key, Enumeration enumerator) const {
        return has(key) && as<Enumeration>(key) == enumerator;
    }
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
