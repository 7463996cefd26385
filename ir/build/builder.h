// Makes operations at a place in a function. Types of results come from the records' `infer`; an operation that its
// record refuses is an internal error: the caller has checked what the user wrote.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "ir/core/function.h"

namespace tsr::ir {

using Values = std::vector<ValueId>;

class Builder {
public:
    explicit Builder(Function& function) : fn_(function) {}
    // Before an operation that is being rewritten, with its place.
    static Builder at(Function& function, OpId op);
    static Builder at_end(Function& function, RegionId region);

    [[nodiscard]] Function& function() const { return fn_; }
    // Where the next operation goes. `to_end_of` a region that has its `yield` goes before it.
    void to_end_of(RegionId region);
    void before(OpId op);
    void after(OpId op);
    [[nodiscard]] RegionId region() const { return region_; }
    // The place that the next operations carry.
    void set_place(PlaceId place) { place_ = place; }
    void take_place(OpId of) { place_ = fn_.op(of).place; }
    [[nodiscard]] PlaceId place() const { return place_; }

    // Any operation with the types that `infer` gives, or, where its record says `given`, with the given ones.
    OpId emit(OpKind kind, Values operands, Attrs attrs = {});
    OpId emit(OpKind kind, Values operands, Attrs attrs, const std::vector<Type>& results);
    ValueId value(OpKind kind, Values operands, Attrs attrs = {});  // its only result
    // An operation that is made already and stands nowhere.
    OpId insert(OpId op);

    // Values. A float is rounded to the type, a whole number wraps into it.
    ValueId constant(int64_t value, DType type);
    ValueId constant(double value, DType type);
    ValueId constant(int value, DType type) { return constant(static_cast<int64_t>(value), type); }
    ValueId index(int64_t value) { return constant(value, DType::index); }
    ValueId boolean(bool value) { return constant(static_cast<int64_t>(value), DType::boolean); }
    ValueId dim(const Dim& dim);  // a constant where it is one

    // Element operations.
    ValueId element(OpKind kind, Values operands) { return value(kind, std::move(operands)); }
    ValueId add(ValueId a, ValueId b) { return element(OpKind::add, {a, b}); }
    ValueId sub(ValueId a, ValueId b) { return element(OpKind::sub, {a, b}); }
    ValueId mul(ValueId a, ValueId b) { return element(OpKind::mul, {a, b}); }
    ValueId div(ValueId a, ValueId b) { return element(OpKind::div, {a, b}); }
    ValueId floordiv(ValueId a, ValueId b) { return element(OpKind::floordiv, {a, b}); }
    ValueId mod(ValueId a, ValueId b) { return element(OpKind::mod, {a, b}); }
    ValueId neg(ValueId a) { return element(OpKind::neg, {a}); }
    ValueId fma(ValueId a, ValueId b, ValueId c) { return element(OpKind::fma, {a, b, c}); }
    ValueId minimum(ValueId a, ValueId b) { return element(OpKind::minimum, {a, b}); }
    ValueId maximum(ValueId a, ValueId b) { return element(OpKind::maximum, {a, b}); }
    ValueId bit_and(ValueId a, ValueId b) { return element(OpKind::bit_and, {a, b}); }
    ValueId bit_or(ValueId a, ValueId b) { return element(OpKind::bit_or, {a, b}); }
    ValueId bit_xor(ValueId a, ValueId b) { return element(OpKind::bit_xor, {a, b}); }
    ValueId bit_not(ValueId a) { return element(OpKind::bit_not, {a}); }
    ValueId shl(ValueId a, ValueId b) { return element(OpKind::shl, {a, b}); }
    ValueId shr(ValueId a, ValueId b) { return element(OpKind::shr, {a, b}); }
    ValueId eq(ValueId a, ValueId b) { return element(OpKind::eq, {a, b}); }
    ValueId ne(ValueId a, ValueId b) { return element(OpKind::ne, {a, b}); }
    ValueId lt(ValueId a, ValueId b) { return element(OpKind::lt, {a, b}); }
    ValueId le(ValueId a, ValueId b) { return element(OpKind::le, {a, b}); }
    ValueId gt(ValueId a, ValueId b) { return element(OpKind::gt, {a, b}); }
    ValueId ge(ValueId a, ValueId b) { return element(OpKind::ge, {a, b}); }
    ValueId select(ValueId condition, ValueId then, ValueId otherwise) {
        return element(OpKind::select, {condition, then, otherwise});
    }
    ValueId cast(ValueId v, DType to);  // v itself where it has the type
    ValueId bitcast(ValueId v, DType to);

    // Control. The callback fills the region and answers what it yields; the builder then stands behind the operation.
    using LoopBody = std::function<Values(Builder& body, ValueId iv, const Values& carried)>;
    using CarriedBody = std::function<Values(Builder& body, const Values& carried)>;
    using CarriedTest = std::function<ValueId(Builder& test, const Values& carried)>;
    using PlainBody = std::function<Values(Builder& body)>;
    using AxesBody = std::function<Values(Builder& body, const Values& ivs)>;
    OpId for_(ValueId lower, ValueId upper, ValueId step, const Values& initial, Attrs attrs, const LoopBody& body);
    OpId while_(const Values& initial, const CarriedTest& test, const CarriedBody& body, Attrs attrs = {});
    OpId if_(ValueId condition, const PlainBody& then, const PlainBody& otherwise);
    OpId if_(ValueId condition, const PlainBody& then);  // without results
    OpId yield(Values values) { return emit(OpKind::yield, std::move(values)); }
    // The same to be filled later: regions have their arguments, no operations and no `yield`. An `if` gets its results
    // by `add_result` of the function when they are known.
    OpId open_for(ValueId lower, ValueId upper, ValueId step, const Values& initial, Attrs attrs);
    OpId open_while(const Values& initial, Attrs attrs = {});
    OpId open_if(ValueId condition);
    OpId print(std::string text, Values values);
    OpId assert_(ValueId condition, std::string text);

    // Memory.
    ValueId read(ValueId memory, const Values& indices);
    OpId write(ValueId memory, ValueId value, const Values& indices);
    ValueId read_vector(ValueId memory, const Values& indices, int64_t width);
    OpId write_vector(ValueId memory, ValueId value, const Values& indices);

    // Kernels. Axis -1: linear.
    ValueId tile_id(int64_t axis = -1) { return along(OpKind::tile_id, axis); }
    ValueId group_id(int64_t axis = -1) { return along(OpKind::group_id, axis); }
    ValueId group_count(int64_t axis = -1) { return along(OpKind::group_count, axis); }
    ValueId buffer(DType type, std::vector<Dim> shape, Attrs more = {});
    ValueId stage(ValueId buffer, ValueId index) { return value(OpKind::stage, {buffer, index}); }
    // `compare` is given for compare_exchange alone.
    ValueId atomic(AtomicOp op, ValueId memory, ValueId value, const Values& indices, ValueId compare = {});
    OpId copy_async(ValueId to, ValueId from, const Values& starts);
    OpId barrier() { return emit(OpKind::barrier, {}); }
    ValueId group_reduce(ReduceOp op, ValueId value);
    struct Axis {
        ValueId lower, upper, step;
    };
    OpId grid(const std::vector<Axis>& axes, Attrs attrs, const AxesBody& body);
    OpId lanes(LanesOver over, const std::vector<Axis>& axes, Attrs attrs, const AxesBody& body);
    ValueId lane_read(ValueId array) { return value(OpKind::lane_read, {array}); }

    // Host.
    OpId host(std::string callee, Values arguments, const std::vector<Type>& results, Attrs more = {});
    ValueId shape_of(ValueId tensor, int64_t axis);
    ValueId string(std::string text);

private:
    ValueId along(OpKind kind, int64_t axis);
    // Fills a region and ends it with a `yield` of what the callback answers.
    void fill(RegionId region, const PlainBody& body);

    Function& fn_;
    RegionId region_;
    OpId anchor_;      // the next operation goes before it; invalid: at the end
    size_t hint_ = 0;  // where the anchor stood last
    PlaceId place_;
};

}  // namespace tsr::ir
