// Derivatives of functions, in graphs.
#pragma once

#include "sema/elaborate/body.h"
#include "sema/elaborate/host_calls.h"

namespace tsr::elaborate {

// What the operation on a function takes: the leaves of a call's arguments, hidden ones too.
struct CallLeaves {
    std::vector<ir::ValueId> arguments;
    Dims dims;
};
CallLeaves leaves_of_call(Body& b, const sema::CallInfo& info, const std::vector<Val>& values);

// In a graph: what an instance that `grad` made gives for these arguments, flattened as a result is.
std::vector<ir::ValueId> derivative(Body& b, const sema::Instance& made, std::vector<ir::ValueId> arguments,
                                    const Dims& dims);
// The same of one with parameters of its own, which is the function of the frame.
std::vector<ir::ValueId> transformed(Body& b, const sema::Instance& made);
// What a function gives whose rule says what its derivative is.
std::vector<ir::ValueId> call_with_rule(Body& b, const sema::Instance& callee, std::vector<ir::ValueId> arguments,
                                        const Dims& dims);
std::string name_with_rule(const sema::Instance& function);  // of the function that calls it so
// Both derivatives of an instance, in all its floats: nobody takes what they give.
void differentiate_both_ways(Body& b, const sema::Instance& of, const std::vector<ir::ValueId>& arguments);
// The value, in a graph function. Where the type says `@loss_scale` of a tensor, its cotangent is stored so.
Val with_stored_cotangents(Body& b, const Val& value, const sema::Type& type);
// The value, through which no derivative passes.
Val stop(Body& b, const Val& value);

}  // namespace tsr::elaborate
