#include "sema/builtin_calls/allocations.h"

#include <fmt/format.h>

#include "sema/values/dimensions.h"
#include "sema/values/requirements.h"

namespace tsr::sema {

namespace {

// `blocked(8, 8)`: the word, and positive numbers in brackets.
bool is_sized(std::string_view layout, std::string_view word) {
    if (!layout.starts_with(word)) return false;
    layout.remove_prefix(word.size());
    if (layout.size() < 3 || layout.front() != '(' || layout.back() != ')') return false;
    layout = layout.substr(1, layout.size() - 2);
    bool number = false, positive = false;
    for (char c : layout) {
        if (c >= '0' && c <= '9') {
            number = true;
            positive |= c != '0';
        } else if (c == ',') {
            if (!positive) return false;
            number = positive = false;
        } else if (c != ' ') {
            return false;
        }
    }
    return number && positive;
}

// `layout=`, `swizzle=`, `alignment=`, which stand one behind the other; false after a message.
bool read_options(Body& b, const Matched& m, size_t first, BufferDetail& detail) {
    if (const ast::Expr* e = m.arguments[first]) {
        auto layout = static_string(b, *e, "a layout");
        if (!layout) return false;
        detail.layout = *layout;
        bool known =
            *layout == "row" || *layout == "col" || is_sized(*layout, "blocked") || is_sized(*layout, "interleaved");
        if (!known) {
            b.error(
                "E0411", e->span,
                fmt::format("\"{}\" is not a layout: \"row\", \"col\", \"blocked(…)\" or \"interleaved(…)\"", *layout));
            return false;
        }
    }
    if (const ast::Expr* e = m.arguments[first + 1]) {
        auto swizzle = static_string(b, *e, "a swizzle");
        if (!swizzle) return false;
        detail.swizzle = *swizzle;
        if (*swizzle != "xor" && *swizzle != "none") {
            b.error("E0411", e->span, fmt::format("\"{}\" is not a swizzle: \"xor\" or \"none\"", *swizzle));
            return false;
        }
    }
    if (const ast::Expr* e = m.arguments[first + 2]) {
        auto alignment = static_integer(b, *e, "an alignment");
        if (!alignment) return false;
        detail.alignment = *alignment;
        if (*alignment < 1 || *alignment > 1024 || (*alignment & (*alignment - 1)) != 0) {
            b.error("E0411", e->span, fmt::format("an alignment is a power of two up to 1024, not {}", *alignment));
            return false;
        }
    }
    return true;
}

// The extents as one tuple, or as one argument each; false after a message.
bool read_shape(Body& b, const ast::Expr& e, const Matched& m, bool by_tuple, BufferDetail& detail) {
    std::vector<const ast::Expr*> written = m.rest;
    if (by_tuple) written = {m.arguments[0]};
    bool ok = true;
    for (const ast::Expr* part : written) {
        auto shape = static_shape(b, *part, "the shape of a shared buffer", "E0411");
        ok &= shape.has_value();
        if (shape) detail.shape.insert(detail.shape.end(), shape->begin(), shape->end());
    }
    if (ok && detail.shape.empty()) {
        b.error("E0411", e.span, "a shared buffer has a shape");
        return false;
    }
    return ok;
}

// Nothing where no machine has as many.
std::optional<int64_t> element_count(const std::vector<int64_t>& shape) {
    constexpr int64_t kMost = int64_t{1} << 40;
    int64_t elements = 1;
    for (int64_t extent : shape) {
        if (__builtin_mul_overflow(elements, extent, &elements) || elements > kMost) return std::nullopt;
    }
    return elements;
}

}  // namespace

Value allocation(Body& b, const ast::Expr& e, const std::optional<DType>& elem, const Matched& m, bool by_tuple) {
    BufferDetail detail;
    if (!read_shape(b, e, m, by_tuple, detail)) return {};
    if (!read_options(b, m, by_tuple ? 2 : 1, detail)) return {};
    auto elements = element_count(detail.shape);
    if (!elements) {
        b.error("E0411", e.span, "this buffer is larger than any shared memory");
        return {};
    }
    b.name_group(e.span, "a shared buffer");
    b.state().allocations.push_back({e.span, {b.source(e), (*elements * bits(*elem) + 7) / 8}});
    CallInfo info;
    info.kind = CallKind::alloc;
    info.builtin = by_tuple ? Builtin::alloc_shared : Builtin::tshared_alloc;
    for (const ast::Expr* argument : m.arguments) info.arguments.push_back({id_of(argument), {}});
    info.rest = ids_of(m.rest);
    b.record_call(e, std::move(info));
    Value buffer;
    buffer.type = Type::buffer(*elem, std::move(detail));
    return buffer;
}

}  // namespace tsr::sema
