// Whole tensors (language reference, section 5): what operator graphs have beside element operations and the operations
// that they share with register tiles (register.cpp). A tensor of a graph is a value: nothing writes it.
#include "ir/ops/graph.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/numerics.h"
#include "ir/ops/family.h"
#include "ir/ops/indexed.h"
#include "ir/ops/movements.h"

namespace tsr::ir {

namespace {

Inferred infer_full(Operands operands, const Attrs& attrs) {
    if (!operands[0].is_scalar()) return Failure{fmt::format("the value is {}, needs a scalar", operands[0].text())};
    const std::vector<Dim>& shape = attrs.dims(Attr::shape);
    if (shape.empty()) return Failure{"a tensor of a graph has an axis at least: without one it is a scalar"};
    return gives(Type::tensor(operands[0].elem, shape, false));
}

bool accumulates(DType a, DType b, DType in) {
    const auto product = product_type(a, b);
    if (!product || (a != b && !keeps_factors(*product)) || !accumulates_in(*product, in)) return false;
    return is_float(a) ? bits(in) >= bits(a) : keeps_factors(*product);
}

Inferred infer_stop(Operands operands, const Attrs&) {
    Type type = operands[0];
    type.mut = false;
    return gives(std::move(type));
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
    if (!ContractOp::multiplies_matrices(letters))
        return Failure{"a product has rows, columns, and a letter that it is summed along"};
    if (!accumulates(operands[0].elem, operands[1].elem, in)) {
        return Failure{
            fmt::format("no product of {} and {} in {}", name(operands[0].elem), name(operands[1].elem), name(in))};
    }
    if (auto fault = differs_from_policy(operands[0], operands[1], attrs)) return *fault;
    if (attrs.has(Attr::shape)) {
        const std::vector<Dim>& blocks = attrs.dims(Attr::shape);
        const bool known = std::ranges::all_of(blocks, [](const Dim& size) { return size.constant_value() > 0; });
        if (blocks.size() != 3 || !known) return Failure{"blocks have rows, columns and a depth, all from 1 on"};
    }
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
               "of the result, \"bmk,bkn->bmn\": one at least of each kind, rows, columns, summed. Every partial sum "
               "in `type`, in an order fixed per machine. Floats: "
               "|error| <= K u sum |a| |b| / (1 - K u), u the unit roundoff of `type`. Integers: exact, wrapping. "
               "Over nothing it is 0. With `tf32` operands of f32 are rounded to tf32 first, as in `mma`. `shape`: the "
               "rows "
               "of a, the columns of b and the depth of the sum's steps that its blocks shall have.",
        .operands = {Role{"a"}, Role{"b"}},
        .infer = infer_contract,
        .levels = kGraph,
        .attrs = {needs(Attr::letters), needs(Attr::type), may(Attr::tf32), may(Attr::shape)},
        .axes = AxisRule::contract,
        .cost = Cost::light,
        .example =
            {"(%a: f32[2, 3], %b: f32[3, 4]) %r = contract %a, %b {type = f32, letters = \"mk,kn->mn\"} : f32[2, 4]"}},
    OpRecord{
        .kind = OpKind::vjp,
        .name = "vjp",
        .doc =
            "The results of a Graph function, then for each of its parameters `axes` the product of the "
            "cotangents with "
            "the function's Jacobian in that parameter. Takes what the function takes, then a cotangent for each "
            "result that is a float: f64 of f64, else f32. With `shape` of so many cotangents at once, along a first "
            "axis. The pass `differentiate` puts the derivative here.",
        .operands = {Role{"arguments and cotangents", Many::any}},
        .levels = kGraph,
        .attrs = {needs(Attr::callee), needs(Attr::axes), may(Attr::shape)},
        .results = ResultsFrom::given,
        .axes = AxisRule::made,
        .cost = Cost::heavy,
        .example = {"() vjp {callee = \"f\", axes = []}"}},
    OpRecord{
        .kind = OpKind::jvp,
        .name = "jvp",
        .doc =
            "The results of a Graph function, then for each of them that is a float the product of its Jacobian in "
            "the parameters `axes` with the tangents. Takes what the function takes, then a tangent for each of "
            "these parameters: f64 of f64, else f32. With `shape` of so many tangents at once, along a first axis. The "
            "pass `differentiate` puts the derivative here.",
        .operands = {Role{"arguments and tangents", Many::any}},
        .levels = kGraph,
        .attrs = {needs(Attr::callee), needs(Attr::axes), may(Attr::shape)},
        .results = ResultsFrom::given,
        .axes = AxisRule::made,
        .cost = Cost::heavy,
        .example = {"() jvp {callee = \"f\", axes = []}"}},
    OpRecord{
        .kind = OpKind::batch,
        .name = "batch",
        .doc =
            "A Graph function on each of `shape` examples: what it gives for each, along a first axis of the result. "
            "Arguments that `axes` marks with 1 have such an axis first, those that it marks with 0 are the same for "
            "all. The pass `differentiate` puts in its place what computes all examples at once.",
        .operands = {Role{"arguments", Many::any}},
        .levels = kGraph,
        .attrs = {needs(Attr::callee), needs(Attr::axes), needs(Attr::shape)},
        .results = ResultsFrom::given,
        .axes = AxisRule::made,
        .cost = Cost::heavy,
        .example = {"() batch {callee = \"f\", axes = [], shape = [3]}"}},
    OpRecord{.kind = OpKind::stop,
             .name = "stop",
             .doc = "The value, through which no derivative passes. The pass `differentiate` takes it out.",
             .operands = {Role{"value"}},
             .infer = infer_stop,
             .levels = kGraph,
             .axes = AxisRule::move,
             .cost = Cost::free,
             .example = {"(%a: f32[4]) %r = stop %a : f32[4]"}},
    OpRecord{.kind = OpKind::positions,
             .name = "positions",
             .doc = "0, 1, 2, …: at each position of the only axis its number, in `type`.",
             .operands = {},
             .infer = infer_positions,
             .levels = kGraph,
             .attrs = {needs(Attr::shape), needs(Attr::type)},
             .axes = AxisRule::made,
             .cost = Cost::free,
             .example = {"() %t = positions {type = i32, shape = [4]} : i32[4]"}},
    OpRecord{.kind = OpKind::reshape,
             .name = "reshape",
             .doc = "The same elements in the same order, the last axis fastest, in the shape; the shape of no axes "
                    "gives a scalar. With `anew` what is computed from the result is computed again, not taken from "
                    "what was computed from the value.",
             .operands = {Role{"value"}},
             .infer = infer_reshape,
             .levels = kGraph,
             .attrs = {needs(Attr::shape), may(Attr::anew)},
             .axes = AxisRule::move,
             .conditional = true,
             .cost = Cost::free,
             .example = {"(%a: f32[2, 3]) %r = reshape %a {shape = [6]} : f32[6]"}},
    OpRecord{.kind = OpKind::slice,
             .name = "slice",
             .doc = "A block: along each axis as many elements as the shape says, from `start` on, each by one of "
                    "`steps` (1 where there are none) behind the one before. Whoever makes it has seen that it lies "
                    "inside.",
             .operands = {Role{"value"}, Role{"start", Many::any}},
             .infer = infer_slice,
             .levels = kGraph,
             .attrs = {needs(Attr::shape), may(Attr::steps)},
             .axes = AxisRule::move,
             .cost = Cost::free,
             .example = {"(%a: f32[8], %i: index) %r = slice %a, %i {shape = [3], steps = [2]} : f32[3]"}},
    OpRecord{.kind = OpKind::pad,
             .name = "pad",
             .doc =
                 "The value in a tensor of the shape, its first element at `start`; around it `fill`. What would lie "
                 "outside is cut off.",
             .operands = {Role{"value"}, Role{"fill"}, Role{"start", Many::any}},
             .infer = infer_pad,
             .levels = kGraph,
             .attrs = {needs(Attr::shape)},
             .axes = AxisRule::move,
             .cost = Cost::light,
             .example = {"(%a: f32[2], %f: f32, %i: index) %r = pad %a, %f, %i {shape = [5]} : f32[5]"}},
    OpRecord{.kind = OpKind::concat,
             .name = "concat",
             .doc = "The tensors one behind the other along `axis`; the other axes are the same in all.",
             .operands = {Role{"values", Many::any}},
             .infer = infer_concat,
             .levels = kGraph,
             .attrs = {needs(Attr::axis), needs(Attr::shape)},
             .axes = AxisRule::move,
             .conditional = true,
             .cost = Cost::light,
             .example = {"(%a: f32[2], %b: f32[3]) %r = concat %a, %b {axis = 0, shape = [5]} : f32[5]"}},
    OpRecord{.kind = OpKind::update,
             .name = "update",
             .doc = "The value with another in place of a block: `slice` with the same starts and steps gives that.",
             .operands = {Role{"value"}, Role{"block"}, Role{"start", Many::any}},
             .infer = infer_update,
             .levels = kGraph,
             .attrs = {may(Attr::steps)},
             .axes = AxisRule::move,
             .cost = Cost::light,
             .example = {"(%a: f32[5], %b: f32[2], %i: index) %r = update %a, %b, %i : f32[5]"}},
    OpRecord{.kind = OpKind::reduce_index,
             .name = "reduce_index",
             .doc =
                 "The number along the axis of the greatest element (op = max) or the least (op = min), the first of "
                 "equal ones; a NaN is before all others, -0 equals 0. Without `axis` of all elements in row-major "
                 "order. An axis without elements is an error when the program runs.",
             .operands = {Role{"value"}},
             .infer = infer_reduce_index,
             .levels = kGraph,
             .attrs = {needs(Attr::op), may(Attr::axis)},
             .axes = AxisRule::drop,
             .cost = Cost::light,
             .example = {"(%a: f32[2, 3]) %r = reduce_index %a {axis = 1, op = max} : i64[2]"}},
    OpRecord{.kind = OpKind::gather_axis,
             .name = "gather_axis",
             .doc =
                 "Elements of x by their number along one axis. `letters` names the axes of x, of the ids and of the "
                 "result, \"nd,bs->bsd\": the letter that x alone has is the axis that ids number, from 0. An id "
                 "outside of it ends the program with the id and its place; with `outside` it reads 0.",
             .operands = {Role{"x"}, Role{"ids"}},
             .infer = infer_gather_axis,
             .levels = kGraph,
             .attrs = {needs(Attr::letters), may(Attr::outside)},
             .axes = AxisRule::made,
             .cost = Cost::light,
             .example = {"(%x: f32[4, 3], %i: i32[2]) %r = gather_axis %x, %i {letters = \"nd,b->bd\"} : f32[2, 3]"}},
    OpRecord{.kind = OpKind::scatter_axis,
             .name = "scatter_axis",
             .doc = "x with values put where the ids say, the letters being those of the gather that reads there: "
                    "`values` has the shape that it would give. `op`: a value is joined to what is there; without it "
                    "it takes its place. Several for one place come in their row-major order. An id outside ends the "
                    "program; with `outside` it writes nothing.",
             .operands = {Role{"x"}, Role{"ids"}, Role{"values"}},
             .infer = infer_scatter_axis,
             .levels = kGraph,
             .attrs = {needs(Attr::letters), may(Attr::op), may(Attr::outside)},
             .axes = AxisRule::made,
             .cost = Cost::light,
             .example = {"(%x: f32[4, 3], %i: i32[2], %v: f32[2, 3]) %r = scatter_axis %x, %i, %v {op = add, letters "
                         "= \"nd,b->bd\"} : f32[4, 3]"}},
    OpRecord{.kind = OpKind::sort,
             .name = "sort",
             .doc = "The elements along the axis from the least to the greatest, with `descending` the other way "
                    "round. Equal ones keep their order, -0 equals 0, NaNs stand last.",
             .operands = {Role{"value"}},
             .infer = infer_sort,
             .levels = kGraph,
             .attrs = {needs(Attr::axis), may(Attr::descending)},
             .axes = AxisRule::along,
             .cost = Cost::heavy,
             .example = {"(%a: f32[2, 3]) %r = sort %a {axis = 1} : f32[2, 3]"}},
    OpRecord{.kind = OpKind::sort_index,
             .name = "sort_index",
             .doc =
                 "The numbers along the axis of the elements in the order of `sort`; of the first `count` where that "
                 "is given.",
             .operands = {Role{"value"}},
             .infer = infer_sort_index,
             .levels = kGraph,
             .attrs = {needs(Attr::axis), may(Attr::descending), may(Attr::count)},
             .axes = AxisRule::along,
             .cost = Cost::heavy,
             .example = {"(%a: f32[2, 3]) %r = sort_index %a {axis = 1} : i64[2, 3]"}},
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

bool ContractOp::multiplies_matrices(const Letters& letters) {
    const auto has = [](std::string_view text, char letter) { return text.find(letter) != std::string_view::npos; };
    const auto kept_alone = [&](std::string_view own, std::string_view other) {
        return std::ranges::any_of(own,
                                   [&](char letter) { return has(letters.result, letter) && !has(other, letter); });
    };
    const auto is_summed = [&](char letter) { return has(letters.b, letter) && !has(letters.result, letter); };
    return std::ranges::any_of(letters.a, is_summed) && kept_alone(letters.a, letters.b) &&
           kept_alone(letters.b, letters.a);
}

std::span<const OpRecord> graph_records() { return kGraphRecords; }

}  // namespace tsr::ir
