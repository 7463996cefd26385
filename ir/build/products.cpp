#include "ir/build/products.h"

#include <algorithm>
#include <string_view>

#include "base/numerics.h"
#include "ir/ops/graph.h"
#include "ir/ops/register.h"

namespace tsr::ir {

namespace {

bool has(std::string_view letters, char letter) { return letters.find(letter) != std::string_view::npos; }

// Whether the letters of `part` stand in `whole`, in the same order.
bool in_order(std::string_view part, std::string_view whole) {
    size_t at = 0;
    for (char letter : whole) at += at < part.size() && part[at] == letter ? 1 : 0;
    return at == part.size();
}

class ProductMaker {
public:
    ProductMaker(const Function& function, const MakeOperation& make, SumOfProducts of)
        : function_(function), make_(make), of_(std::move(of)) {}

    ValueId run() {
        sum_own_letters(of_.a, of_.a_letters, of_.b_letters);
        sum_own_letters(of_.b, of_.b_letters, of_.a_letters);
        if (takes_contract()) {
            Attrs attrs{{Attr::type, of_.type},
                        {Attr::letters, of_.a_letters + "," + of_.b_letters + "->" + of_.result}};
            if (of_.tf32) attrs.set_flag(Attr::tf32);
            if (!of_.blocks.empty()) attrs.set(Attr::shape, of_.blocks);
            return make_(OpKind::contract, {of_.a, of_.b}, std::move(attrs));
        }
        choose_joint_letters();
        ValueId value = make_(OpKind::mul, {spread(of_.a, of_.a_letters), spread(of_.b, of_.b_letters)}, {});
        std::string left = joint_;
        for (size_t i = left.size(); i-- > 0;) {
            if (has(of_.result, left[i])) continue;
            value = summed(value, i);
            left.erase(i, 1);
        }
        return value;
    }

private:
    ValueId cast(ValueId value) {
        if (function_.type(value).elem == of_.type) return value;
        return make_(OpKind::cast, {value}, {{Attr::type, of_.type}});
    }
    ValueId summed(ValueId value, size_t axis) {
        return make_(OpKind::reduce, {value},
                     {{Attr::op, static_cast<int64_t>(ReduceOp::add)}, {Attr::axis, static_cast<int64_t>(axis)}});
    }

    void sum_own_letters(ValueId& value, std::string& letters, std::string_view others) {
        for (size_t i = letters.size(); i-- > 0;) {
            if (has(others, letters[i]) || has(of_.result, letters[i])) continue;
            value = summed(cast(value), i);
            letters.erase(i, 1);
        }
    }

    // Integers of more bits than 8 are no operands of `contract`. One that was summed is of another type.
    bool takes_contract() {
        if (!ContractOp::multiplies_matrices({of_.a_letters, of_.b_letters, of_.result})) return false;
        const DType a = function_.type(of_.a).elem, b = function_.type(of_.b).elem;
        const auto product = product_type(a, b);
        const bool as_they_are = product && (a == b || keeps_factors(*product));
        if (is_float(of_.type) && !as_they_are) {
            of_.a = cast(of_.a);
            of_.b = cast(of_.b);
        }
        return is_float(of_.type) || (product && keeps_factors(*product) && of_.type == DType::i32);
    }

    // An operand that has all letters is gone through in its own order where the result's letters stand so in it.
    void choose_joint_letters() {
        joint_ = of_.result;
        for (char letter : of_.a_letters) {
            if (!has(joint_, letter)) joint_ += letter;
        }
        for (const std::string& letters : {of_.a_letters, of_.b_letters}) {
            if (letters.size() != joint_.size() || !in_order(of_.result, letters)) continue;
            joint_ = letters;
            break;
        }
        for (char letter : joint_) {
            const bool in_a = has(of_.a_letters, letter);
            const size_t axis = (in_a ? of_.a_letters : of_.b_letters).find(letter);
            shape_.push_back(function_.type(in_a ? of_.a : of_.b).shape[axis]);
        }
    }

    // An operand with the axes of all letters.
    ValueId spread(ValueId value, const std::string& letters) {
        value = cast(value);
        if (joint_.empty()) return value;
        if (letters.empty()) return make_(OpKind::full, {value}, {{Attr::shape, shape_}});
        std::string ordered;
        std::vector<int64_t> order, axes;
        for (size_t i = 0; i < joint_.size(); ++i) {
            const size_t axis = letters.find(joint_[i]);
            if (axis == std::string::npos) continue;
            ordered += joint_[i];
            order.push_back(static_cast<int64_t>(axis));
            axes.push_back(static_cast<int64_t>(i));
        }
        if (ordered != letters) value = make_(OpKind::transpose, {value}, {{Attr::axes, order}});
        if (ordered.size() == joint_.size()) return value;
        return make_(OpKind::expand, {value}, {{Attr::axes, axes}, {Attr::shape, shape_}});
    }

    const Function& function_;
    const MakeOperation& make_;
    SumOfProducts of_;
    std::string joint_;
    std::vector<Dim> shape_;
};

}  // namespace

ValueId sum_of_products(const Function& function, const MakeOperation& make, SumOfProducts of) {
    return ProductMaker(function, make, std::move(of)).run();
}

}  // namespace tsr::ir
