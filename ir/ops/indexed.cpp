#include "ir/ops/indexed.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "ir/ops/graph.h"
#include "ir/ops/reduction.h"

namespace tsr::ir {

namespace {

bool names_letter(std::string_view text, char letter) { return text.find(letter) != std::string_view::npos; }

bool repeats(std::string_view text) {
    return std::ranges::any_of(text, [&](char letter) { return std::ranges::count(text, letter) > 1; });
}

IndexLetters index_letters(const Attrs& attrs) {
    const ContractOp::Letters split = ContractOp::split(attrs.string(Attr::letters));
    return {split.a, split.b, split.result};
}

// The extent of each letter; a fault where a tensor has not as many axes as letters, or two that share one differ.
using Extents = std::map<char, Dim>;
std::optional<Failure> add_extents(Extents& extents, const Type& type, std::string_view letters) {
    if (type.kind != TypeKind::tensor || type.rank() != letters.size() || letters.empty()) {
        return Failure{fmt::format("{} has no axes '{}'", type.text(), letters)};
    }
    for (size_t axis = 0; axis < letters.size(); ++axis) {
        const auto [known, is_new] = extents.try_emplace(letters[axis], type.shape[axis]);
        if (!is_new && compare(known->second, type.shape[axis]) == Equality::different) {
            return Failure{
                fmt::format("'{}' is {} and {}", letters[axis], known->second.text(), type.shape[axis].text())};
        }
    }
    return std::nullopt;
}

// The shape of the positions.
Result<std::vector<Dim>> positions(std::span<const Type> operands, const IndexLetters& letters) {
    Extents extents;
    if (auto fault = add_extents(extents, operands[0], letters.x)) return *fault;
    if (auto fault = add_extents(extents, operands[1], letters.ids)) return *fault;
    if (!is_integer(operands[1].elem)) return Failure{fmt::format("ids are integers, not {}", operands[1].text())};
    if (letters.indexed() == 0 || repeats(letters.x) || repeats(letters.ids) || repeats(letters.positions)) {
        return Failure{fmt::format("'{}' and '{}' do not give '{}'", letters.x, letters.ids, letters.positions)};
    }
    std::vector<Dim> shape;
    for (char letter : letters.positions) {
        const auto found = extents.find(letter);
        if (found == extents.end()) return Failure{fmt::format("no operand has the axis '{}'", letter)};
        shape.push_back(found->second);
    }
    return shape;
}

bool has_order(DType type) {
    return type == DType::boolean || ((is_float(type) || is_integer(type)) && type != DType::index);
}

}  // namespace

char IndexLetters::indexed() const {
    char found = 0;
    for (char letter : x) {
        if (names_letter(positions, letter)) continue;
        if (found != 0 || names_letter(ids, letter)) return 0;
        found = letter;
    }
    const bool all = std::ranges::all_of(ids, [&](char letter) { return names_letter(positions, letter); });
    return all ? found : 0;
}

IndexLetters IndexedOp::letters() const { return index_letters(attrs()); }

std::optional<ReduceOp> IndexedOp::what() const {
    return attrs().has(Attr::op) ? std::optional(attrs().as<ReduceOp>(Attr::op)) : std::nullopt;
}

std::optional<size_t> ReduceIndexOp::axis() const {
    return attrs().has(Attr::axis) ? std::optional(static_cast<size_t>(attrs().integer(Attr::axis))) : std::nullopt;
}

Inferred infer_reduce_index(std::span<const Type> operands, const Attrs& attrs) {
    const Type& value = operands[0];
    if (value.kind != TypeKind::tensor || value.rank() == 0)
        return Failure{fmt::format("{} has no axis", value.text())};
    if (!attrs.is(Attr::op, ReduceOp::min) && !attrs.is(Attr::op, ReduceOp::max)) {
        return Failure{"an index is that of the least or of the greatest"};
    }
    if (!has_order(value.elem)) return Failure{fmt::format("the elements of {} have no order", value.text())};
    const bool whole = !attrs.has(Attr::axis);
    const int64_t axis = attrs.integer(Attr::axis, 0);
    if (axis < 0 || axis >= static_cast<int64_t>(value.rank())) {
        return Failure{fmt::format("{} has no axis {}", value.text(), axis)};
    }
    std::vector<Dim> shape = value.shape;
    shape.erase(shape.begin() + axis);
    const bool scalar = whole || shape.empty();
    return ResultTypes{{scalar ? Type::scalar(DType::i64) : Type::tensor(DType::i64, std::move(shape), false)}, {}};
}

Inferred infer_gather_axis(std::span<const Type> operands, const Attrs& attrs) {
    Result<std::vector<Dim>> shape = positions(operands, index_letters(attrs));
    if (!shape) return Failure{shape.message()};
    return ResultTypes{{Type::tensor(operands[0].elem, std::move(shape.value()), false)}, {}};
}

Inferred infer_scatter_axis(std::span<const Type> operands, const Attrs& attrs) {
    const Result<std::vector<Dim>> shape = positions(operands, index_letters(attrs));
    if (!shape) return Failure{shape.message()};
    const Type &x = operands[0], &values = operands[2];
    bool fits = values.kind == TypeKind::tensor && values.rank() == shape.value().size() && values.elem == x.elem;
    for (size_t axis = 0; fits && axis < shape.value().size(); ++axis) {
        fits = compare(shape.value()[axis], values.shape[axis]) != Equality::different;
    }
    if (!fits) {
        return Failure{fmt::format("the values are {}, need {}", values.text(),
                                   Type::tensor(x.elem, shape.value(), false).text())};
    }
    if (attrs.has(Attr::op)) {
        if (is_logical(attrs.as<ReduceOp>(Attr::op))) return Failure{"numbers are added, multiplied or compared"};
        if (auto fault = check_reduce(x, attrs)) return *fault;
    }
    return ResultTypes{{Type::tensor(x.elem, x.shape, false)}, {}};
}

Inferred infer_sort(std::span<const Type> operands, const Attrs& attrs) {
    const Type& value = operands[0];
    const int64_t axis = attrs.integer(Attr::axis);
    if (value.kind != TypeKind::tensor || axis < 0 || axis >= static_cast<int64_t>(value.rank())) {
        return Failure{fmt::format("{} has no axis {}", value.text(), axis)};
    }
    if (!has_order(value.elem)) return Failure{fmt::format("the elements of {} have no order", value.text())};
    return ResultTypes{{Type::tensor(value.elem, value.shape, false)}, {}};
}

Inferred infer_sort_index(std::span<const Type> operands, const Attrs& attrs) {
    Inferred sorted = infer_sort(operands, attrs);
    if (!sorted) return sorted;
    Type type = sorted.value().types[0];
    type.elem = DType::i64;
    if (!attrs.has(Attr::count)) return ResultTypes{{type}, {}};
    const Dim count = Dim::constant(attrs.integer(Attr::count));
    Dim& length = type.shape[static_cast<size_t>(attrs.integer(Attr::axis))];
    const auto known = length.constant_value();
    if (attrs.integer(Attr::count) < 0 || (known && *known < attrs.integer(Attr::count))) {
        return Failure{fmt::format("an axis of {} elements has no first {}", length.text(), count.text())};
    }
    length = count;
    return ResultTypes{{type}, {}};
}

}  // namespace tsr::ir
