#include "ir/passes/graph/position_axes.h"

#include <map>

namespace tsr::ir {

namespace {

bool stands_in(std::string_view text, char letter) { return text.find(letter) != std::string_view::npos; }

// Whether two letters stand side by side in the text, or are both missing.
bool side_by_side(std::string_view text, char a, char b) {
    if (!stands_in(text, a) || !stands_in(text, b)) return stands_in(text, a) == stands_in(text, b);
    return text.find(a) + 1 == text.find(b);
}

}  // namespace

PositionAxes::PositionAxes(const IndexedOp& op) {
    const IndexLetters letters = op.letters();
    const auto extent = [&](char letter) {
        const bool in_x = stands_in(letters.x, letter);
        const Type& type = op.fn.type(in_x ? op.x() : op.ids());
        return type.shape[(in_x ? letters.x : letters.ids).find(letter)];
    };
    std::map<char, size_t> axis_of;
    char before = 0;
    for (char letter : letters.positions) {
        const bool joins =
            before != 0 && side_by_side(letters.x, before, letter) && side_by_side(letters.ids, before, letter);
        if (!joins) axes_.push_back({Dim::constant(1), stands_in(letters.x, letter), stands_in(letters.ids, letter)});
        axes_.back().extent = axes_.back().extent * extent(letter);
        axis_of[letter] = axes_.size() - 1;
        before = letter;
    }
    indexed_ = extent(letters.indexed());
    const auto joined = [&](std::string_view text) {
        std::vector<size_t> axes;
        for (char letter : text) {
            const size_t axis = letter == letters.indexed() ? kIndexed : axis_of.at(letter);
            if (axes.empty() || axes.back() != axis) axes.push_back(axis);
        }
        return axes;
    };
    x_axes_ = joined(letters.x);
    ids_axes_ = joined(letters.ids);
}

std::vector<Dim> PositionAxes::x_shape() const {
    std::vector<Dim> shape;
    for (size_t axis : x_axes_) shape.push_back(axis == kIndexed ? indexed_ : axes_[axis].extent);
    return shape;
}

std::vector<Dim> PositionAxes::ids_shape() const {
    std::vector<Dim> shape;
    for (size_t axis : ids_axes_) shape.push_back(axes_[axis].extent);
    return shape;
}

std::vector<Dim> PositionAxes::positions_shape() const {
    std::vector<Dim> shape;
    for (const PositionAxis& axis : axes_) shape.push_back(axis.extent);
    return shape;
}

bool PositionAxes::moves_rows() const { return x_axes_.back() + 1 == axes_.size() && !axes_.back().in_ids; }

Values PositionAxes::x_at(const Values& position, ValueId id) const {
    Values at;
    for (size_t axis : x_axes_) at.push_back(axis == kIndexed ? id : position[axis]);
    return at;
}

Values PositionAxes::ids_at(const Values& position) const {
    Values at;
    for (size_t axis : ids_axes_) at.push_back(position[axis]);
    return at;
}

CheckedId checked_id(Builder& b, ValueId id, ValueId extent) {
    // An index may be held in fewer bits than an id of 64 has.
    const DType type = bits(b.function().type(id).elem) == 64 ? DType::i64 : DType::index;
    const ValueId number = b.cast(id, type);
    const ValueId inside = b.bit_and(b.ge(number, b.constant(0, type)), b.lt(number, b.cast(extent, type)));
    return {number, inside};
}

void refuse_id(Builder& b, const CheckedId& id, ValueId place, ValueId extent) {
    b.emit(OpKind::assert_, {id.inside, id.number, place, extent},
           {{Attr::text, std::string("id {} at place {} is outside of an axis of {} elements")}});
}

}  // namespace tsr::ir
