#include "sema/value.h"

#include "sema/containers.h"
#include "sema/numeric.h"

namespace tsr::sema {

namespace {

// Of a list of static values; its elements joined when it was written. A literal that an i32 does not hold makes it a
// list of a larger type.
Type list_type(const std::vector<Value>& elements) {
    std::optional<Type> joined;
    for (const Value& element : elements) {
        const bool large = element.type.is(Kind::int_literal) && settled(element.type, element.value) != DType::i32;
        const Type type = large ? settled_type(element.type, element.value) : element.type;
        joined = joined ? join(*joined, type) : type;
    }
    return Type::list(joined.value_or(Type::unknown()), static_cast<int64_t>(elements.size()));
}

}  // namespace

void set_rounds(Value& value, uint64_t rounds) {
    value.rounds = rounds;
    for (Value& element : value.elements) set_rounds(element, rounds);
}

Value typed(Type type) {
    Value value;
    value.type = std::move(type);
    return value;
}

Value static_value(const Static& value, Referent referent) {
    Value result;
    result.value = value;
    result.referent = std::move(referent);
    if (value.is_integer()) {
        result.type = Type::int_literal();
        if (auto n = value.integer()) result.dim = ir::Dim::constant(*n);
    } else if (value.real()) {
        result.type = Type::float_literal();
    } else if (value.boolean()) {
        result.type = Type::boolean();
    } else if (value.string()) {
        result.type = Type::string();
    } else if (auto elem = value.dtype()) {
        result.type = Type::dtype_value(*elem);
    } else if (const auto* parts = value.tuple()) {
        std::vector<Type> types;
        for (const Static& part : *parts) {
            result.elements.push_back(static_value(part, {}));
            types.push_back(result.elements.back().type);
        }
        result.type = value.is_list ? list_type(result.elements) : Type::tuple(std::move(types));
        if (value.is_list) result.elements.clear();
    } else {
        result.type = Type::none();
    }
    return result;
}

}  // namespace tsr::sema
