// Makes Target operations at the end of a region. Types of results come from the records' `infer`; an operation that
// its record refuses is an internal error.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ir/core/function.h"

namespace tsr::ir {

class Emit {
public:
    explicit Emit(Function& function) : function_(function) {}

    RegionId region;
    PlaceId place;

    ValueId op(OpKind kind, std::vector<ValueId> operands, Attrs attrs = {});  // its only result
    std::vector<ValueId> many(OpKind kind, std::vector<ValueId> operands, Attrs attrs = {});
    // What a function of the runtime gives.
    ValueId runtime(const std::string& callee, std::vector<ValueId> operands, const Type& result);
    void statement(OpKind kind, std::vector<ValueId> operands, Attrs attrs = {});
    void yield(std::vector<ValueId> values) { statement(OpKind::yield, std::move(values)); }

    ValueId integer(int64_t value, DType type = DType::index);
    ValueId real(double value, DType type);
    ValueId boolean(bool value) { return integer(value ? 1 : 0, DType::boolean); }
    ValueId constant(AttrValue value, DType type);
    ValueId zero(DType type);  // the number whose bits are 0

    ValueId binary(OpKind kind, ValueId a, ValueId b) { return op(kind, {a, b}); }
    ValueId compare(OpKind kind, ValueId a, ValueId b) { return op(kind, {a, b}); }
    ValueId select(ValueId condition, ValueId then, ValueId otherwise) {
        return op(OpKind::select, {condition, then, otherwise});
    }
    ValueId cast(ValueId value, DType type);
    ValueId splat(ValueId value, int64_t width);
    ValueId iota(int64_t width, DType type);
    ValueId add(ValueId a, ValueId b);  // leaves out what adds 0
    ValueId mul(ValueId a, ValueId b);  // leaves out what multiplies by 1
    ValueId pointer_add(ValueId pointer, ValueId offset);
    // `mask` may be invalid: all lanes. `width` 0: a scalar.
    ValueId load(ValueId pointer, int64_t width, ValueId mask = {});
    ValueId gather(ValueId pointer, ValueId offsets, ValueId mask);
    void store(ValueId pointer, ValueId value, ValueId mask = {});

    // An operation with regions: made now, appended by `close` once its regions are filled. What follows it has its
    // place again. `open_if`: both regions yield values of the types.
    OpId open(OpKind kind, std::vector<ValueId> operands, Attrs attrs = {});
    OpId open_if(ValueId condition, const std::vector<Type>& results = {});
    RegionId add_region(OpId op) { return function_.add_region(op); }
    void close(OpId op, RegionId into) {
        function_.append(into, op);
        region = into;
        place = function_.op(op).place;
    }
    // A loop over [from, to) that carries values on: the body is given the index, and changes them.
    template <typename Body>
    void carrying_loop(ValueId from, ValueId to, int64_t step, std::vector<ValueId>& carried, Body body) {
        std::vector<ValueId> operands{from, to, integer(step)};
        operands.insert(operands.end(), carried.begin(), carried.end());
        const RegionId outside = region;
        const OpId loop = open(OpKind::for_, operands);
        region = add_region(loop);
        const ValueId index = function_.add_arg(region, Type::scalar(DType::index));
        for (ValueId& value : carried) value = function_.add_arg(region, Type(function_.type(value)));
        body(index);
        yield(carried);
        close(loop, outside);
        carried = function_.op(loop).results;
    }
    // What one branch or the other gives, of these types.
    template <typename Then, typename Otherwise>
    std::vector<ValueId> either(ValueId condition, const std::vector<Type>& types, Then then, Otherwise otherwise) {
        const RegionId outside = region;
        const OpId made = open_if(condition, types);
        region = add_region(made);
        yield(then());
        region = add_region(made);
        yield(otherwise());
        close(made, outside);
        return function_.op(made).results;
    }
    template <typename Then, typename Otherwise>
    void either(ValueId condition, Then then, Otherwise otherwise) {
        auto nothing = [](auto& branch) { return [&] { return branch(), std::vector<ValueId>{}; }; };
        either(condition, {}, nothing(then), nothing(otherwise));
    }

    // The value of an integer constant; nothing for other values.
    [[nodiscard]] std::optional<int64_t> integer_value(ValueId value) const;
    [[nodiscard]] bool is_integer(ValueId value, int64_t expected) const { return integer_value(value) == expected; }
    [[nodiscard]] int64_t width(ValueId vector) const { return function_.type(vector).width; }
    [[nodiscard]] DType element_type(ValueId value) const { return function_.type(value).elem; }

private:
    [[nodiscard]] std::vector<Type> results(OpKind kind, const std::vector<ValueId>& operands,
                                            const Attrs& attrs) const;
    OpId append(OpKind kind, std::vector<ValueId> operands, const std::vector<Type>& types, Attrs attrs);

    Function& function_;
};

}  // namespace tsr::ir
