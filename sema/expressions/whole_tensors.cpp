#include "sema/expressions/whole_tensors.h"

#include <algorithm>

#include <fmt/format.h>

#include "sema/types/elements.h"

namespace tsr::sema {

namespace {

bool is_tensor(const Value& value) { return value.type.is(Kind::tensor); }

std::vector<ir::Dim> extents_of(const Value& value) {
    return is_tensor(value) ? value.type.shape() : std::vector<ir::Dim>{};
}

// The operand, and where its extents come from where that is elsewhere.
void label_operand(const Body& b, Diagnostic& d, const ast::Expr& e, const Value& value) {
    d.label(e.span, shown(value.type));
    const auto* variable = std::get_if<VariableId>(&value.referent);
    if (!variable || variable->index >= b.instance.variables.size()) return;
    const Variable& named = b.instance.variables[variable->index];
    if (named.declared.valid()) d.label(named.declared, fmt::format("`{}` comes from here", named.name));
}

}  // namespace

bool require_no_kernel(Body& b, Span at, const std::string& what, const std::vector<Value>& operands) {
    if (b.rules().tensor_values || std::ranges::none_of(operands, is_tensor)) return true;
    b.error("E0308", at,
            fmt::format("{} of whole tensors is for host and graph functions, this runs in a kernel", what))
        .note("a kernel computes with elements, `x[i]`, and register tiles, `tile.load(view)`");
    return false;
}

bool require_extents(Body& b, const ast::Expr& le, const Value& l, const ast::Expr& re, const Value& r, Span at,
                     const std::string& what) {
    if (!is_tensor(l) || !is_tensor(r)) return true;
    const std::vector<ir::Dim> left = extents_of(l), right = extents_of(r);
    if (broadcast(left, right)) return true;
    const ir::Dim one = ir::Dim::constant(1);
    size_t back = 1;  // counted from the last axis
    while (left[left.size() - back] == one || right[right.size() - back] == one ||
           ir::compare(left[left.size() - back], right[right.size() - back]) != ir::Equality::different)
        ++back;
    auto& d = b.error("E0312", at,
                      fmt::format("{} of {} and {}: axis {} has {} and {} elements", what, shown(l.type), shown(r.type),
                                  -static_cast<int64_t>(back), readable(left[left.size() - back].text()),
                                  readable(right[right.size() - back].text())));
    label_operand(b, d, le, l);
    label_operand(b, d, re, r);
    return false;
}

void note_extents(Body& b, const ast::Expr& e, const std::vector<Value>& operands) {
    std::vector<DimCheck> checks;
    std::vector<ir::Dim> joint = extents_of(operands.front());
    const ir::Dim one = ir::Dim::constant(1);
    for (size_t i = 1; i < operands.size(); ++i) {
        const std::vector<ir::Dim> shape = extents_of(operands[i]);
        for (size_t back = 1; back <= std::min(joint.size(), shape.size()); ++back) {
            const ir::Dim &wanted = joint[joint.size() - back], &found = shape[shape.size() - back];
            if (wanted == one || found == one || ir::compare(wanted, found) != ir::Equality::unknown) continue;
            checks.push_back({0, shape.size() - back, found, wanted, wanted.text(), std::nullopt, {}});
        }
        joint = broadcast(joint, shape).value_or(joint);
    }
    if (!checks.empty()) b.instance.extents[e.id] = std::move(checks);
}

}  // namespace tsr::sema
