#include "sema/expressions/formatted_strings.h"

#include "sema/state/recursion.h"
#include "sema/values/requirements.h"

namespace tsr::sema {

namespace {

// `{x:<{width}}`: the format, itself a text with holes. True where it is known when the program is compiled, as it must
// be in a kernel.
bool formatted_spec(Body& b, const ast::Expr& spec) {
    bool known = true;
    for (const ast::FString::Part& part : std::get<ast::FString>(spec.node).parts) {
        if (!part.value) continue;
        const Value value = expression(b, *part.value);
        if (!b.rules().host_objects)
            known &= require_static(b, *part.value, value, "the format of a value in a kernel");
        known &= value.value.has_value();
    }
    Value text;
    text.type = Type::string();
    b.record(spec, text);
    return known;
}

// The type of an f-string, and whether all its values are known when the program is compiled.
std::pair<Value, bool> formatted(Body& b, const ast::FString& f) {
    bool fixed = true;
    for (const ast::FString::Part& part : f.parts) {
        if (!part.value) continue;
        const Value value = expression(b, *part.value);
        if (part.spec) fixed &= formatted_spec(b, *part.spec);
        if (!b.rules().host_objects && part.conversion != 0 && !part.format.empty())
            b.error("E0417", part.value->span, "in a kernel a value has a conversion or a format, not both");
        fixed &= value.broken() || value.value.has_value();
    }
    Value text;
    text.type = Type::string();
    return {text, fixed};
}

}  // namespace

Value formatted_string(Body& b, const ast::Expr& e, const ast::FString& f) {
    auto [text, fixed] = formatted(b, f);
    if (!b.rules().host_objects && !fixed) {
        b.error("E0417", e.span, "a kernel has no text made of values")
            .note("an f-string of values stands directly in `print(…)` or behind the comma of an `assert`");
        return {};
    }
    return text;
}

Value message_part(Body& b, const ast::Expr& e) {
    const auto* text = std::get_if<ast::FString>(&e.node);
    if (!text || b.found(e)) return expression(b, e);
    const Value value = formatted(b, *text).first;
    b.record(e, value);
    return value;
}

}  // namespace tsr::sema
