#include "sema/elaborate/static_values.h"

#include "sema/program/round_values.h"

namespace tsr::elaborate {

using sema::Static;

namespace {

// The static value of what is fixed, part by part.
std::optional<Static> static_parts(const Val& value) {
    if (value.is_fixed()) return value.fixed;
    if (!value.is(Val::Kind::tuple) && !value.is(Val::Kind::list)) return std::nullopt;
    std::vector<Static> parts;
    for (const Val& part : value.parts) {
        auto known = static_parts(part);
        if (!known) return std::nullopt;
        parts.push_back(std::move(*known));
    }
    return value.is(Val::Kind::tuple) ? Static::of(std::move(parts)) : Static::list(std::move(parts));
}

}  // namespace

std::optional<Static> static_in_round(Body& b, const ast::Expr& e) {
    const auto variable = [&](sema::VariableId id) { return sema::Folded{static_parts(b.get(b.slot(id))), ""}; };
    return sema::value_in_round({b.program, b.instance(), variable}, e).value;
}

}  // namespace tsr::elaborate
