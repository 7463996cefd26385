// Whole tensors (language reference, section 5): what operator graphs have beside element operations and the operations
// that they share with register tiles (register.cpp). A tensor of a graph is a value: nothing writes it.
#include "ir/ops/graph.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "ir/ops/family.h"

namespace tsr::ir {

namespace {

Inferred infer_full(Operands operands, const Attrs& attrs) {
    if (!operands[0].is_scalar()) return Failure{fmt::format("the value is {}, needs a scalar", operands[0].text())};
    const std::vector<Dim>& shape = attrs.dims(Attr::shape);
    if (shape.empty()) return Failure{"a tensor of a graph has an axis at least: without one it is a scalar"};
    return gives(Type::tensor(operands[0].elem, shape, false));
}

bool accumulates(DType a, DType b, DType in) {
    if (a != b || is_storage_only(in)) return false;
    return is_float(a) ? is_float(in) && !is_storage_only(a) && bits(in) >= bits(a) : in == DType::i32 && bits(a) <= 8;
}

// What the types of the operands say of the product, each kind where one of them says it (numerics rules 4 and 6).
std::optional<Failure> differs_from_policy(const Type& a, const Type& b, const Attrs& attrs) {
    if (const auto kind = policy_conflict(a.policy, b.policy)) {
        return Failure{fmt::format("the {} policies differ:{} and{}", *kind, a.policy.text(), b.policy.text())};
    }
    const Policy policy = join_policies(a.policy, b.policy);
    const DType in = attrs.dtype(Attr::type);
    if (policy.accum && *policy.accum != in) {
        return Failure{fmt::format("the operands have @accum({}), it sums in {}", name(*policy.accum), name(in))};
    }
    const bool singles = a.elem == DType::f32, rounds = attrs.has(Attr::tf32);
    if (rounds && !singles) return Failure{fmt::format("a product of {} is not computed in tf32", name(a.elem))};
    if (singles && policy.compute_tf32 && !rounds) return Failure{"the operands have @compute(tf32), it lacks tf32"};
    return std::nullopt;
}

// Each letter of the result stands in an operand, and each letter has one extent.
Inferred infer_contract(Operands operands, const Attrs& attrs) {
    const ContractOp::Letters letters = ContractOp::split(attrs.string(Attr::letters));
    const DType in = attrs.dtype(Attr::type);
    std::map<char, Dim> extents;
    for (size_t i = 0; i < 2; ++i) {
        const std::string_view of = i == 0 ? letters.a : letters.b;
        const Type& type = operands[i];
        if (type.kind != TypeKind::tensor || type.rank() != of.size() || of.empty()) {
            return Failure{fmt::format("{} has no axes '{}'", type.text(), of)};
        }
        for (size_t axis = 0; axis < of.size(); ++axis) {
            const auto [known, is_new] = extents.try_emplace(of[axis], type.shape[axis]);
            if (of.find(of[axis]) != axis) return Failure{fmt::format("'{}' stands twice in '{}'", of[axis], of)};
            if (!is_new && compare(known->second, type.shape[axis]) == Equality::different) {
                return Failure{
                    fmt::format("'{}' is {} and {}", of[axis], known->second.text(), type.shape[axis].text())};
            }
        }
    }
    if (!accumulates(operands[0].elem, operands[1].elem, in)) {
        return Failure{
            fmt::format("no product of {} and {} in {}", name(operands[0].elem), name(operands[1].elem), name(in))};
    }
    if (auto fault = differs_from_policy(operands[0], operands[1], attrs)) return *fault;
    std::vector<Dim> shape;
    for (char letter : letters.result) {
        const auto known = extents.find(letter);
        if (known == extents.end() || std::ranges::count(letters.result, letter) > 1) {
            return Failure{fmt::format("the result's axis '{}' is not one of the operands'", letter)};
        }
        shape.push_back(known->second);
    }
    const Policy policy = join_policies(operands[0].policy, operands[1].policy);
    return gives(shape.empty() ? Type::scalar(in) : Type::tensor(in, std::move(shape), false, policy));
}

constexpr std::array kGraphRecords{
    OpRecord{.kind = OpKind::full,
             .name = "full",
             .doc = "A tensor of the shape whose elements are all the scalar.",
             .operands = {Role{"value"}},
             .infer = infer_full,
             .levels = kGraph,
             .attrs = {needs(Attr::shape)},
             .axes = AxisRule::made,
             .cost = Cost::free,
             .example = {"(%a: f32) %t = full %a {shape = [4]} : f32[4]"}},
    OpRecord{
        .kind = OpKind::contract,
        .name = "contract",
        .doc = "The sum of products over the letters that the result lacks: `letters` names the axes of a, of b and "
               "of the result, \"bmk,bkn->bmn\". Every partial sum in `type`, in an order fixed per machine. Floats: "
               "|error| <= K u sum |a| |b| / (1 - K u), u the unit roundoff of `type`. Integers: exact, wrapping. "
               "Over nothing it is 0. With `tf32` operands of f32 are rounded to tf32 first, as in `mma`.",
        .operands = {Role{"a"}, Role{"b"}},
        .infer = infer_contract,
        .levels = kGraph,
        .attrs = {needs(Attr::letters), needs(Attr::type), may(Attr::tf32)},
        .axes = AxisRule::contract,
        .cost = Cost::light,
        .example =
            {"(%a: f32[2, 3], %b: f32[3, 4]) %r = contract %a, %b {type = f32, letters = \"mk,kn->mn\"} : f32[2, 4]"}},
};
static_assert(complete<kGraphRecords, kGraphFamily>(),
              "every operation of graphs has its record, in the order of ir/core/opkind.h");
static_assert(say_axes<kGraphRecords>() && say_cost<kGraphRecords>());

}  // namespace

ContractOp::Letters ContractOp::split(std::string_view text) {
    const size_t comma = text.find(',');
    const size_t arrow = text.find("->", comma == std::string_view::npos ? 0 : comma);
    if (comma == std::string_view::npos || arrow == std::string_view::npos) return {};
    return {text.substr(0, comma), text.substr(comma + 1, arrow - comma - 1), text.substr(arrow + 2)};
}

std::span<const OpRecord> graph_records() { return kGraphRecords; }

}  // namespace tsr::ir
