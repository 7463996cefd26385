#include "sema/elaborate/text.h"

#include <algorithm>

#include "base/string_repr.h"
#include "sema/elaborate/arguments.h"
#include "sema/elaborate/choices.h"
#include "sema/elaborate/complex_values.h"
#include "sema/elaborate/containers.h"
#include "sema/elaborate/host.h"
#include "sema/elaborate/recursion.h"
#include "sema/elaborate/strings.h"
#include "sema/types/containers.h"
#include "sema/types/elements.h"

namespace tsr::elaborate {

using ir::Attr;
using ir::OpKind;
using ir::ValueId;
using sema::Kind;
using sema::Static;

namespace {

// A text with holes: what `print` and `assert` of kernels take, and what strings of the host are joined from.
struct Pieces {
    struct Hole {
        Val value;
        sema::Type type;
        std::string format;
        ValueId spec;  // a format that the program makes; `format` is empty then
    };
    std::vector<std::string> texts{{}};  // one more than holes
    std::vector<Hole> holes;

    void add(const std::string& text) { texts.back() += text; }
    void add(Hole hole) {
        holes.push_back(std::move(hole));
        texts.emplace_back();
    }
};

std::string static_text(const Static& value) {
    const std::string* text = value.string();
    return text ? *text : value.text();
}

void add_value(Body& b, Pieces& pieces, const Val& value, const sema::Type& type, const std::string& format);

// A string as it stands inside of containers: in quotes.
void add_quoted(Body& b, Pieces& pieces, const Val& value, const std::string& format) {
    Val quoted;
    if (value.is_fixed())
        quoted = Val::of(Static::of(string_repr(*value.fixed.string())));
    else
        quoted = Val::ssa(host(b, "string_repr", {b.handle(value, sema::Type::string())}, ir::Type::string()));
    add_value(b, pieces, quoted, sema::Type::string(), format);
}

// Tuples and lists of named elements are written out.
void add_elements(Body& b, Pieces& pieces, const Val& value, const sema::Type& type) {
    if (type.is(Kind::dict)) return pieces.add("{}");
    const bool list = type.is(Kind::list);
    pieces.add(list ? "[" : "(");
    for (size_t i = 0; i < value.element_count(); ++i) {
        if (i > 0) pieces.add(", ");
        const size_t part = list ? 0 : i;
        const sema::Type held = part < type.parts().size() ? type.parts()[part] : sema::Type();
        const Val element = value.element(i);
        is_text(b, element) ? add_quoted(b, pieces, element, {}) : add_value(b, pieces, element, held, {});
    }
    if (!list && value.element_count() == 1) pieces.add(",");
    pieces.add(list ? "]" : ")");
}

// A complex number, as Python writes it: `(1+2j)`, with a format `1.00+2.00j`.
void add_complex(Body& b, Pieces& pieces, const Val& value, const std::string& format) {
    if (b.rules().host_io) {
        const sema::Type type = sema::Type::tensor(DType::c64, {});
        return pieces.add({Val::ssa(tensor_of_number(b, value)), type, format, {}});
    }
    const Val parts = complex_number(b, value);
    const sema::Type& part = parts_of_complex().parts()[0];
    if (format.empty()) pieces.add("(");
    pieces.add({parts.element(0), part, format, {}});
    pieces.add({parts.element(1), part, "+" + format, {}});
    pieces.add(format.empty() ? "j)" : "j");
}

void add_value(Body& b, Pieces& pieces, const Val& value, const sema::Type& type, const std::string& format) {
    if (sema::is_complex_number(type)) return add_complex(b, pieces, value, format);
    const bool container = type.is(Kind::list) || type.is(Kind::dict);
    if (value.has_elements() && container && !sema::names_no_type(type)) {
        return pieces.add({value, container_type(type), format, {}});
    }
    if (value.has_elements()) return add_elements(b, pieces, value, type);
    // A float literal alone is an f32, also in its text.
    const bool literal = value.is_fixed() && !value.type && std::holds_alternative<double>(value.fixed.value);
    if (literal) return pieces.add({value, sema::Type::scalar(DType::f32), format, {}});
    if (value.is_fixed() && format.empty() && !value.type) return pieces.add(static_text(value.fixed));
    if (value.is_fixed() && format.empty() && (value.fixed.boolean() || value.fixed.is_integer())) {
        return pieces.add(static_text(value.fixed));
    }
    if (value.is(Val::Kind::none)) return pieces.add("None");
    pieces.add({value, type, format, {}});
}

ValueId string_constant(Body& b, const std::string& text) {
    return b.emit.inferred(OpKind::string, {}, {{Attr::value, text}});
}

// `{x!r}` and `{x!s}`: a string in quotes; of another value the text, where a format is for strings.
void add_converted(Body& b, Pieces& pieces, const Val& value, const sema::Type& type, const ast::FString::Part& part) {
    const sema::Type text = sema::Type::string();
    if (part.conversion == 'r' && is_text(b, value)) return add_quoted(b, pieces, value, part.format);
    if (part.format.empty()) return add_value(b, pieces, value, type, {});
    add_value(b, pieces, text_of(b, value, type), text, part.format);
}

// A value whose format has holes of its own.
void add_with_spec(Body& b, Pieces& pieces, const ast::FString::Part& part) {
    Val value = expression(b, *part.value);
    sema::Type type = b.info(*part.value).type;
    const Val spec = format_string(b, std::get<ast::FString>(part.spec->node));
    ast::FString::Part known = part;
    if (spec.is_fixed()) {
        known.format = *spec.fixed.string();
        return part.conversion != 0 ? add_converted(b, pieces, value, type, known)
                                    : add_value(b, pieces, value, type, known.format);
    }
    if (part.conversion == 'r' && is_text(b, value)) {
        value = Val::ssa(host(b, "string_repr", {b.handle(value, type)}, ir::Type::string()));
    } else if (part.conversion != 0) {
        value = text_of(b, value, type);
    }
    if (part.conversion != 0) type = sema::Type::string();
    if (value.has_elements()) return add_value(b, pieces, value, type, {});  // containers take no format
    // A float literal alone is an f32, also in its text.
    const bool literal = value.is_fixed() && !value.type && std::holds_alternative<double>(value.fixed.value);
    pieces.add({value, literal ? sema::Type::scalar(DType::f32) : type, {}, b.handle(spec, sema::Type::string())});
}

void add_parts(Body& b, Pieces& pieces, const ast::FString& node) {
    for (const ast::FString::Part& part : node.parts) {
        pieces.add(part.text);
        if (!part.value) continue;
        if (part.spec) {
            add_with_spec(b, pieces, part);
            continue;
        }
        const Val value = expression(b, *part.value);
        const sema::Type& type = b.info(*part.value).type;
        part.conversion != 0 ? add_converted(b, pieces, value, type, part)
                             : add_value(b, pieces, value, type, part.format);
    }
}

void add_expression(Body& b, Pieces& pieces, const ast::Expr& e) {
    if (const auto* node = std::get_if<ast::FString>(&e.node)) return add_parts(b, pieces, *node);
    add_value(b, pieces, expression(b, e), b.info(e).type, {});
}

// The value of a hole, rounded to its type: it leaves the expression.
ValueId hole_value(Body& b, const Pieces::Hole& hole) {
    if (hole.type.is_scalar()) return b.scalar(hole.value, hole.type.elem());
    if (hole.type.is(Kind::tensor)) return b.coerce(b.rounded(hole.value), hole.type).id;
    if (hole.value.is_fixed() && !hole.type.is(Kind::list)) return b.handle(hole.value, sema::Type::unknown());
    return b.handle(hole.value, hole.type);
}

std::string escaped(const std::string& text) {
    std::string out;
    for (const char c : text) {
        out += c;
        if (c == '{' || c == '}') out += c;
    }
    return out;
}

// `{}` and `{:spec}` for the holes; braces of the text are doubled.
std::string pattern(Body& b, const Pieces& pieces, std::vector<ValueId>& values) {
    std::string text;
    for (size_t i = 0; i < pieces.texts.size(); ++i) {
        text += escaped(pieces.texts[i]);
        if (i == pieces.holes.size()) break;
        const Pieces::Hole& hole = pieces.holes[i];
        const std::string spec = hole.format.empty() ? "{}" : "{:" + hole.format + "}";
        ValueId value = hole_value(b, hole);
        if (!b.type_of(value).is_vector()) {
            values.push_back(value);
            text += spec;
            continue;
        }
        for (uint32_t k = 0; k < b.type_of(value).width; ++k) {
            text += (k == 0 ? "" : " ") + spec;
            values.push_back(b.emit.inferred(OpKind::vector_extract, {value}, {{Attr::axis, static_cast<int64_t>(k)}}));
        }
    }
    return text;
}

ValueId formatted(Body& b, ValueId value, const Pieces::Hole& hole) {
    const std::string& format = hole.format;
    std::string entry;
    switch (b.type_of(value).kind) {
        case ir::TypeKind::string:
            if (format.empty() && !hole.spec.valid()) return value;
            entry = "format_string";
            break;
        case ir::TypeKind::tensor:
            entry = "format_tensor";
            break;
        case ir::TypeKind::list:
        case ir::TypeKind::dict:
        case ir::TypeKind::tuple:
        case ir::TypeKind::record:
            return host(b, "format_list", {value}, ir::Type::string());
        case ir::TypeKind::none:
        case ir::TypeKind::scalar:
        case ir::TypeKind::vector:
        case ir::TypeKind::buffer:
        case ir::TypeKind::lane_array:
        case ir::TypeKind::tile:
        case ir::TypeKind::pointer:
            entry = "format";
            break;
    }
    if (hole.spec.valid()) return host(b, entry + "_with", {value, hole.spec}, ir::Type::string());
    return host(b, entry, {value}, ir::Type::string(), {{Attr::text, format}});
}

ValueId joined_text(Body& b, const Pieces& pieces) {
    std::vector<ValueId> parts;
    for (size_t i = 0; i < pieces.texts.size(); ++i) {
        if (!pieces.texts[i].empty()) parts.push_back(string_constant(b, pieces.texts[i]));
        if (i < pieces.holes.size()) parts.push_back(formatted(b, hole_value(b, pieces.holes[i]), pieces.holes[i]));
    }
    if (parts.empty()) return string_constant(b, "");
    if (parts.size() == 1) return parts[0];
    return host(b, "join", std::move(parts), ir::Type::string(), {{Attr::text, std::string()}});
}

}  // namespace

Val format_string(Body& b, const ast::FString& node) {
    Pieces pieces;
    add_parts(b, pieces, node);
    if (pieces.holes.empty()) return Val::of(Static::of(pieces.texts[0]));
    return Val::ssa(joined_text(b, pieces));
}

Val text_of(Body& b, const Val& value, const sema::Type& type) {
    Pieces pieces;
    add_value(b, pieces, value, type, {});
    if (pieces.holes.empty()) return Val::of(Static::of(pieces.texts[0]));
    return Val::ssa(joined_text(b, pieces));
}

Val print_call(Body& b, const sema::CallInfo& info) {
    const auto option = [&](size_t i) -> std::optional<std::string> {
        const Val value = argument_value(b, info, i);
        return value.is_fixed() && value.fixed.string() ? std::optional(*value.fixed.string()) : std::nullopt;
    };
    // The row of `print`: values…, sep, end.
    const std::string separator = option(1).value_or(" ");
    std::string end = option(2).value_or("\n");
    Pieces pieces;
    for (size_t i = 0; i < info.rest.size(); ++i) {
        if (i > 0) pieces.add(separator);
        add_expression(b, pieces, *b.expr(info.rest[i]));
    }
    // In kernels a message is a line; the host may leave one open.
    const bool line = !b.rules().host_io || (!end.empty() && end.back() == '\n');
    if (!end.empty() && end.back() == '\n') end.pop_back();
    pieces.add(end);
    if (!b.rules().host_io) {
        std::vector<ValueId> values;
        const std::string text = pattern(b, pieces, values);
        b.emit.op(OpKind::print, std::move(values), {{Attr::text, text}});
    } else {
        host_effect(b, line ? "print" : "write", {joined_text(b, pieces)});
    }
    return Val::none();
}

// Whether the message, an f-string, shows an element: `x[at]`, `x[at] - 1`.
static bool holds_index(const ast::Expr* e) {
    if (!e) return false;
    if (const auto* text = std::get_if<ast::FString>(&e->node))
        return std::ranges::any_of(text->parts, [](const auto& part) { return holds_index(part.value); });
    if (const auto* both = std::get_if<ast::Binary>(&e->node)) return holds_index(both->lhs) || holds_index(both->rhs);
    if (const auto* one = std::get_if<ast::Unary>(&e->node)) return holds_index(one->operand);
    if (const auto* call = std::get_if<ast::Call>(&e->node))
        return std::ranges::any_of(call->arguments, [](const auto& argument) { return holds_index(argument.value); });
    return std::holds_alternative<ast::Subscript>(e->node);
}

void assert_statement(Body& b, const ast::Assert& statement) {
    const Val holds_already = condition(b, *statement.condition);
    if (holds_already.is_fixed_bool(true)) return;
    Pieces pieces;
    const auto message = [&] {
        if (statement.message) add_expression(b, pieces, *statement.message);
    };
    const ValueId holds = b.truth(holds_already);
    if (!b.rules().host_io) {
        const auto assertion = [&] {
            message();
            std::vector<ValueId> operands{holds};
            std::vector<ValueId> values;
            const std::string text = pattern(b, pieces, values);
            operands.insert(operands.end(), values.begin(), values.end());
            b.emit.op(OpKind::assert_, std::move(operands), {{Attr::text, text}});
        };
        if (b.function().level != ir::Level::graph || !holds_index(statement.message)) return assertion();
        // What an index of the message names may be there only where the condition does not hold.
        Body::OpenIf open = b.open_if(holds);
        b.in_side(open, 1, assertion);
        b.close_if(open);
        return;
    }
    const bool plain = !statement.message || b.info(*statement.message).value;
    if (plain) {
        message();
        b.emit.op(OpKind::assert_, {holds}, {{Attr::text, escaped(pieces.texts[0])}});
        return;
    }
    // The message is made only when it is needed.
    Body::OpenIf open = b.open_if(holds);
    b.in_side(open, 1, [&] {
        message();
        host_effect(b, "assert_failed", {joined_text(b, pieces)});
    });
    b.close_if(open);
}

}  // namespace tsr::elaborate
