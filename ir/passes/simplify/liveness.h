// What of a function is needed, and what can go.
#pragma once

#include <functional>
#include <vector>

#include "ir/core/function.h"
#include "ir/ops/handle.h"

namespace tsr::ir {

// Marks what is needed, beginning at operations that happen whether their results are used or not and at what the
// function gives. A carried value that only feeds itself is not needed. Loops are taken to end.
class Liveness {
public:
    // `happens` is asked of each operation but `yield`s, and says nothing of what stands in its regions.
    Liveness(const Function& function, const std::function<bool(OpId)>& happens);

    [[nodiscard]] bool op(OpId id) const { return ops_[id.index]; }
    // The result of that number, of an operation with regions: also where only what is carried for it is needed.
    [[nodiscard]] bool position(OpId id, size_t number) const;

private:
    void need(ValueId value);
    void need_all(ValueSpan values);
    void need_op(OpId id);
    void follow(ValueId value);
    void result(OpId id, size_t number);

    const Function& fn_;
    std::vector<bool> ops_;
    std::vector<bool> values_;
    std::vector<ValueId> work_;
};

// Takes out what is not needed. True when something was.
bool sweep(Function& function, const Liveness& liveness);

// Whether something remains of an operation whose results nobody uses: of itself, not of what stands in its regions.
bool has_effect(const Op& op);

}  // namespace tsr::ir
