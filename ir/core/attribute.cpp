#include "ir/core/attribute.h"

#include <algorithm>

#include "ir/core/internal.h"

namespace tsr::ir {

namespace {

template <typename Entries>
auto find_entry(Entries& entries, Attr key) {
    return std::lower_bound(entries.begin(), entries.end(), key,
                            [](const auto& entry, Attr k) { return entry.first < k; });
}

template <typename T>
const T& get(const Attrs& attrs, Attr key) {
    const AttrValue* value = attrs.find(key);
    const T* held = value != nullptr ? std::get_if<T>(value) : nullptr;
    if (held == nullptr) internal_error("an operation lacks its attribute '" + std::string(name(key)) + "'");
    return *held;
}

}  // namespace

void Attrs::set(Attr key, AttrValue value) {
    auto at = find_entry(entries_, key);
    if (at != entries_.end() && at->first == key) {
        at->second = std::move(value);
    } else {
        entries_.insert(at, {key, std::move(value)});
    }
}

void Attrs::erase(Attr key) {
    auto at = find_entry(entries_, key);
    if (at != entries_.end() && at->first == key) entries_.erase(at);
}

const AttrValue* Attrs::find(Attr key) const {
    auto at = find_entry(entries_, key);
    return at != entries_.end() && at->first == key ? &at->second : nullptr;
}

int64_t Attrs::integer(Attr key) const { return get<int64_t>(*this, key); }
int64_t Attrs::integer(Attr key, int64_t otherwise) const { return has(key) ? integer(key) : otherwise; }
double Attrs::real(Attr key) const { return get<double>(*this, key); }
const std::string& Attrs::string(Attr key) const { return get<std::string>(*this, key); }
DType Attrs::dtype(Attr key) const { return get<DType>(*this, key); }
const Dim& Attrs::dim(Attr key) const { return get<Dim>(*this, key); }
const std::vector<int64_t>& Attrs::integers(Attr key) const { return get<std::vector<int64_t>>(*this, key); }
const std::vector<Dim>& Attrs::dims(Attr key) const { return get<std::vector<Dim>>(*this, key); }
const std::vector<std::string>& Attrs::strings(Attr key) const { return get<std::vector<std::string>>(*this, key); }

namespace {

enum class AttrKind : uint8_t { number, flag, text, type, dim, numbers, dims, texts, constant };
struct AttrRow {
    Attr attr;
    std::string_view name;
    AttrKind kind;
};
#define TSR_ATTR(attr, kind) {Attr::attr, #attr, AttrKind::kind}
constexpr AttrRow kAttrRows[]{
    TSR_ATTR(value, constant),    TSR_ATTR(type, type),         TSR_ATTR(dim, dim),         TSR_ATTR(axis, number),
    TSR_ATTR(callee, text),       TSR_ATTR(text, text),         TSR_ATTR(op, number),       TSR_ATTR(width, number),
    TSR_ATTR(loop, number),       TSR_ATTR(over, number),       TSR_ATTR(prefetch, number), TSR_ATTR(layout, text),
    TSR_ATTR(swizzle, text),      TSR_ATTR(alignment, number),  TSR_ATTR(count, number),    TSR_ATTR(name, text),
    TSR_ATTR(axes, numbers),      TSR_ATTR(extents, numbers),   TSR_ATTR(strides, numbers), TSR_ATTR(codes, numbers),
    TSR_ATTR(elements, numbers),  TSR_ATTR(written, numbers),   TSR_ATTR(shape, dims),      TSR_ATTR(packed, type),
    TSR_ATTR(ring, number),       TSR_ATTR(shuffle, number),    TSR_ATTR(vote, number),     TSR_ATTR(turn, number),
    TSR_ATTR(a_transposed, flag), TSR_ATTR(b_transposed, flag), TSR_ATTR(transposed, flag), TSR_ATTR(tf32, flag),
    TSR_ATTR(pending, flag),      TSR_ATTR(products, flag),     TSR_ATTR(local, flag),      TSR_ATTR(of_tensor, flag),
    TSR_ATTR(pointer, flag),      TSR_ATTR(past_caches, flag),  TSR_ATTR(waits, flag),      TSR_ATTR(cluster, flag),
    TSR_ATTR(anew, flag),         TSR_ATTR(lowered, flag),      TSR_ATTR(seeded, flag),     TSR_ATTR(watched, flag),
    TSR_ATTR(masked, flag),       TSR_ATTR(reverse, flag),      TSR_ATTR(descending, flag), TSR_ATTR(outside, flag),
    TSR_ATTR(unroll, number),     TSR_ATTR(names, texts),       TSR_ATTR(letters, text),    TSR_ATTR(steps, numbers),
    TSR_ATTR(points, texts),
};
#undef TSR_ATTR

constexpr bool attrs_in_order() {
    size_t at = 0;
    for (const AttrRow& row : kAttrRows) {
        if (row.attr != static_cast<Attr>(at++)) return false;
    }
    return at == static_cast<size_t>(Attr::points) + 1;
}
static_assert(attrs_in_order(), "every attribute has its row, in the order of the enumeration");

const AttrRow& attr_row(Attr key) { return kAttrRows[static_cast<size_t>(key)]; }

}  // namespace

bool is_flag(Attr key) { return attr_row(key).kind == AttrKind::flag; }

bool holds_its_kind(Attr key, const AttrValue& value) {
    const auto is = [&]<typename T>(std::in_place_type_t<T>) { return std::holds_alternative<T>(value); };
    switch (attr_row(key).kind) {
        case AttrKind::number:
            return is(std::in_place_type<int64_t>);
        case AttrKind::flag:
            return value == AttrValue(kFlag);
        case AttrKind::text:
            return is(std::in_place_type<std::string>);
        case AttrKind::type:
            return is(std::in_place_type<DType>);
        case AttrKind::dim:
            return is(std::in_place_type<Dim>);
        case AttrKind::numbers:
            return is(std::in_place_type<std::vector<int64_t>>);
        case AttrKind::dims:
            return is(std::in_place_type<std::vector<Dim>>);
        case AttrKind::texts:
            return is(std::in_place_type<std::vector<std::string>>);
        case AttrKind::constant:
            return is(std::in_place_type<int64_t>) || is(std::in_place_type<double>) ||
                   is(std::in_place_type<std::string>);
    }
    return false;
}

std::string_view name(Attr key) { return attr_row(key).name; }

std::optional<Attr> attr_named(std::string_view text) {
    for (const AttrRow& row : kAttrRows) {
        if (row.name == text) return row.attr;
    }
    return std::nullopt;
}

}  // namespace tsr::ir
