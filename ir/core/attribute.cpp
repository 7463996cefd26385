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

bool holds_its_kind(Attr key, const AttrValue& value) {
    switch (key) {
        case Attr::value:
            return std::holds_alternative<int64_t>(value) || std::holds_alternative<double>(value) ||
                   std::holds_alternative<std::string>(value);
        case Attr::type:
            return std::holds_alternative<DType>(value);
        case Attr::dim:
            return std::holds_alternative<Dim>(value);
        case Attr::callee:
        case Attr::text:
        case Attr::layout:
        case Attr::swizzle:
        case Attr::name:
        case Attr::mode:
        case Attr::machine:
        case Attr::letters:
            return std::holds_alternative<std::string>(value);
        case Attr::axis:
        case Attr::op:
        case Attr::width:
        case Attr::loop:
        case Attr::over:
        case Attr::prefetch:
        case Attr::alignment:
        case Attr::count:
        case Attr::masked:
        case Attr::unroll:
            return std::holds_alternative<int64_t>(value);
        case Attr::axes:
        case Attr::elements:
            return std::holds_alternative<std::vector<int64_t>>(value);
        case Attr::shape:
            return std::holds_alternative<std::vector<Dim>>(value);
        case Attr::names:
            return std::holds_alternative<std::vector<std::string>>(value);
    }
    return false;
}

std::string_view name(Attr key) {
    switch (key) {
        case Attr::value:
            return "value";
        case Attr::type:
            return "type";
        case Attr::dim:
            return "dim";
        case Attr::axis:
            return "axis";
        case Attr::callee:
            return "callee";
        case Attr::text:
            return "text";
        case Attr::op:
            return "op";
        case Attr::width:
            return "width";
        case Attr::loop:
            return "loop";
        case Attr::over:
            return "over";
        case Attr::prefetch:
            return "prefetch";
        case Attr::layout:
            return "layout";
        case Attr::swizzle:
            return "swizzle";
        case Attr::alignment:
            return "alignment";
        case Attr::count:
            return "count";
        case Attr::name:
            return "name";
        case Attr::axes:
            return "axes";
        case Attr::elements:
            return "elements";
        case Attr::shape:
            return "shape";
        case Attr::mode:
            return "mode";
        case Attr::masked:
            return "masked";
        case Attr::unroll:
            return "unroll";
        case Attr::machine:
            return "machine";
        case Attr::letters:
            return "letters";
        case Attr::names:
            return "names";
    }
    return "";
}

std::optional<Attr> attr_named(std::string_view text) {
    for (int i = 0; i <= static_cast<int>(Attr::letters); ++i) {
        if (name(static_cast<Attr>(i)) == text) return static_cast<Attr>(i);
    }
    return std::nullopt;
}

std::string_view name(LoopKind kind) {
    switch (kind) {
        case LoopKind::in_order:
            return "in_order";
        case LoopKind::tile_range:
            return "tile_range";
    }
    return "";
}

std::string_view name(LanesOver over) {
    switch (over) {
        case LanesOver::tiles:
            return "tiles";
        case LanesOver::loop:
            return "loop";
        case LanesOver::domain:
            return "domain";
    }
    return "";
}

std::string_view name(ReduceOp op) {
    switch (op) {
        case ReduceOp::add:
            return "add";
        case ReduceOp::mul:
            return "mul";
        case ReduceOp::min:
            return "min";
        case ReduceOp::max:
            return "max";
        case ReduceOp::any:
            return "any";
        case ReduceOp::all:
            return "all";
    }
    return "";
}

std::string_view name(AtomicOp op) {
    switch (op) {
        case AtomicOp::add:
            return "add";
        case AtomicOp::min:
            return "min";
        case AtomicOp::max:
            return "max";
        case AtomicOp::bit_and:
            return "bit_and";
        case AtomicOp::bit_or:
            return "bit_or";
        case AtomicOp::bit_xor:
            return "bit_xor";
        case AtomicOp::exchange:
            return "exchange";
        case AtomicOp::compare_exchange:
            return "compare_exchange";
    }
    return "";
}

}  // namespace tsr::ir
