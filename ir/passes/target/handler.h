// What the code of a machine does with an operation: the member function of a table's row.
#pragma once

#include "ir/core/function.h"

namespace tsr::ir {

// Takes the operation, or its id.
template <typename Code>
class Handler {
public:
    using OfOp = void (Code::*)(const Op&);
    using OfId = void (Code::*)(OpId);
    constexpr Handler(OfOp of_op) : of_op_(of_op) {}
    constexpr Handler(OfId of_id) : of_id_(of_id) {}

    void operator()(Code& code, const Function& function, OpId id) const {
        if (of_id_ != nullptr) return (code.*of_id_)(id);
        (code.*of_op_)(function.op(id));
    }

private:
    OfOp of_op_ = nullptr;
    OfId of_id_ = nullptr;
};

}  // namespace tsr::ir
