// What people call the values that a graph computes: in `--explain` and in schedules.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/sources.h"
#include "ir/core/function.h"

namespace tsr::ir {

// "y": the name in the program, where one value has it. "y@5" where several have it, and "exp@5" of what has none: with
// the line, as `line_text` says it. "exp@5.2": the second of the line.
class ValueNames {
public:
    ValueNames(const Function& graph, const Sources& sources);

    // Also of parameters and of what comes out of conditions and loops.
    [[nodiscard]] const std::string& of(ValueId value) const { return names_.at(value); }
    // The operation that gives a value of that name.
    [[nodiscard]] std::optional<OpId> find(const std::string& name) const;
    [[nodiscard]] bool has(const std::string& name) const { return values_.contains(name); }
    // Those that operations on tensors give.
    [[nodiscard]] std::vector<std::string> computed() const;

private:
    const Function& graph_;
    std::map<ValueId, std::string> names_;
    std::map<std::string, ValueId> values_;
};

// "reduce add", "exp": an operation in words.
std::string operation_text(const Function& graph, OpId op);

}  // namespace tsr::ir
