// Copies of operations and regions, in one function or from one function into another.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>

#include "ir/build/builder.h"

namespace tsr::ir {

using ValueMap = std::unordered_map<ValueId, ValueId>;

// A Host function without operations, with the name, the dimensions, the parameters and the results of a Graph
// function.
Function empty_host_of(const Function& graph);

// Types of results are what the records infer for the operands that the copies have.
class Cloner {
public:
    // `values`: what stands for values of `from` in `to`. Copies add their results and the arguments of their regions.
    Cloner(const Function& from, Function& to, ValueMap& values) : from_(from), to_(to), values_(values) {}

    // What copies differ in from what is copied. Each may be left empty.

    // What stands for a value that `values` lacks; nothing does where the answer is invalid. Empty: within one function
    // the value itself.
    std::function<ValueId(ValueId)> outside;
    // Makes something else of an operation and adds what stands for its results to `values`. False: it is copied.
    std::function<bool(Builder& at, OpId op)> replaces;
    // Empty: places stay, which two functions must share then.
    std::function<PlaceId(PlaceId)> place;
    // What a symbol of `from` is in `to`; no answer: the symbol of the same name.
    std::function<std::optional<Dim>(const std::string&)> dim;
    bool names = true;  // copies have the programmer's names
    // Symbols that get their value in what is copied (BoundDimOp) are others in the copy.
    bool own_symbols = false;

    // The operation with all in it.
    void copy(Builder& at, OpId op);
    // The operations of a region without its `yield`; gives what that yields.
    Values contents(Builder& at, RegionId region);
    // What stands for the value. Where nothing does, the operation that gives it is copied, with those before it that
    // this needs.
    ValueId value(Builder& at, ValueId value);

    // A copy that stands nowhere yet, with other attributes.
    OpId make(OpId op, Attrs attrs);
    OpId make(OpId op) { return make(op, from_.op(op).attrs); }

private:
    [[nodiscard]] ValueId known(ValueId value) const;
    [[nodiscard]] ValueId needed(ValueId value) const;
    [[nodiscard]] Dim dim_of(const Dim& of) const;
    [[nodiscard]] Type type_of(const Type& type) const;
    [[nodiscard]] Attrs attrs_of(const Attrs& attrs) const;
    [[nodiscard]] std::vector<Type> result_types(const Op& op, const Values& operands, const Attrs& attrs) const;
    void copy_region(OpId parent, const Op& op, RegionId region);
    void name_like(ValueId made, ValueId old);

    const Function& from_;
    Function& to_;
    ValueMap& values_;
    std::map<std::string, Dim> own_;
};

}  // namespace tsr::ir
