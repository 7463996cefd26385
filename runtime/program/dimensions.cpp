#include "runtime/program/dimensions.h"

#include <vector>

namespace tsr::runtime {

namespace {

using Value = std::optional<int64_t>;

std::span<const TsrDimStep> steps(const TsrDimension& dimension) {
    return {dimension.steps, static_cast<size_t>(dimension.nsteps)};
}

int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0); }

Value exact_div(int64_t a, int64_t b) {
    if (b == 0 || (a == INT64_MIN && b == -1) || a % b != 0) return std::nullopt;
    return a / b;
}

template <typename Operation>
Value checked(Operation operation) {
    int64_t result = 0;
    if (operation(&result)) return std::nullopt;
    return result;
}
Value add(int64_t a, int64_t b) {
    return checked([&](int64_t* r) { return __builtin_add_overflow(a, b, r); });
}
Value sub(int64_t a, int64_t b) {
    return checked([&](int64_t* r) { return __builtin_sub_overflow(a, b, r); });
}
Value mul(int64_t a, int64_t b) {
    return checked([&](int64_t* r) { return __builtin_mul_overflow(a, b, r); });
}

Value apply(TsrDimOp op, int64_t a, int64_t b) {
    switch (op) {
        case TSR_DIM_ADD:
            return add(a, b);
        case TSR_DIM_SUB:
            return sub(a, b);
        case TSR_DIM_MUL:
            return mul(a, b);
        case TSR_DIM_EXACT_DIV:
            return exact_div(a, b);
        case TSR_DIM_FLOOR_DIV:
            if (b == 0 || (a == INT64_MIN && b == -1)) return std::nullopt;
            return floor_div(a, b);
        case TSR_DIM_MAXIMUM:
            return a > b ? a : b;
        case TSR_DIM_CONSTANT:
        case TSR_DIM_SYMBOL:
            break;
    }
    return std::nullopt;
}

// The value of the unknown operand of `op` whose result is `size`; `known` is the other one.
Value invert(TsrDimOp op, bool unknown_left, int64_t known, int64_t size) {
    switch (op) {
        case TSR_DIM_ADD:
            return sub(size, known);
        case TSR_DIM_SUB:
            return unknown_left ? add(size, known) : sub(known, size);
        case TSR_DIM_MUL:
            return exact_div(size, known);
        case TSR_DIM_EXACT_DIV:
            return unknown_left ? mul(size, known) : exact_div(known, size);
        case TSR_DIM_FLOOR_DIV:
        case TSR_DIM_MAXIMUM:
        case TSR_DIM_CONSTANT:
        case TSR_DIM_SYMBOL:
            break;
    }
    return std::nullopt;
}

// One operation on the way from the unknown to the whole expression.
struct Step {
    TsrDimOp op;
    bool unknown_left;
    int64_t known;
};

// A stack entry: a value, or the place of the unknown.
struct Entry {
    bool unknown;
    int64_t value;
};

}  // namespace

std::optional<int64_t> symbol_alone(const TsrDimension& dimension) {
    if (dimension.nsteps != 1 || dimension.steps[0].op != TSR_DIM_SYMBOL) return std::nullopt;
    return dimension.steps[0].value;
}

std::optional<int64_t> constant_alone(const TsrDimension& dimension) {
    if (dimension.nsteps != 1 || dimension.steps[0].op != TSR_DIM_CONSTANT) return std::nullopt;
    return dimension.steps[0].value;
}

bool all_bound(const TsrDimension& dimension, std::span<const int64_t> symbols) {
    for (const TsrDimStep& step : steps(dimension)) {
        if (step.op == TSR_DIM_SYMBOL && symbols[static_cast<size_t>(step.value)] == kUnbound) return false;
    }
    return true;
}

std::optional<int64_t> evaluate(const TsrDimension& dimension, std::span<const int64_t> symbols) {
    if (std::optional<int64_t> constant = constant_alone(dimension)) return constant;
    if (std::optional<int64_t> symbol = symbol_alone(dimension)) {
        const int64_t value = symbols[static_cast<size_t>(*symbol)];
        return value == kUnbound ? std::nullopt : std::optional(value);
    }
    std::vector<int64_t> stack;
    for (const TsrDimStep& step : steps(dimension)) {
        auto op = static_cast<TsrDimOp>(step.op);
        if (op == TSR_DIM_CONSTANT) {
            stack.push_back(step.value);
        } else if (op == TSR_DIM_SYMBOL) {
            int64_t value = symbols[static_cast<size_t>(step.value)];
            if (value == kUnbound) return std::nullopt;
            stack.push_back(value);
        } else {
            int64_t right = stack.back();
            stack.pop_back();
            Value value = apply(op, stack.back(), right);
            if (!value) return std::nullopt;
            stack.back() = *value;
        }
    }
    return stack.back();
}

std::optional<Solution> solve(const TsrDimension& dimension, std::span<const int64_t> symbols, int64_t size) {
    if (all_bound(dimension, symbols)) return std::nullopt;
    std::vector<Entry> stack;
    std::vector<Step> path;
    std::optional<int64_t> unknown;
    for (const TsrDimStep& step : steps(dimension)) {
        auto op = static_cast<TsrDimOp>(step.op);
        if (op == TSR_DIM_CONSTANT) {
            stack.push_back({false, step.value});
        } else if (op == TSR_DIM_SYMBOL) {
            int64_t value = symbols[static_cast<size_t>(step.value)];
            if (value == kUnbound && unknown) return std::nullopt;
            if (value == kUnbound) unknown = step.value;
            stack.push_back({value == kUnbound, value});
        } else {
            Entry right = stack.back();
            stack.pop_back();
            Entry& left = stack.back();
            if (left.unknown || right.unknown) {
                if (op == TSR_DIM_FLOOR_DIV) return std::nullopt;
                path.push_back({op, left.unknown, left.unknown ? right.value : left.value});
                left.unknown = true;
                continue;
            }
            Value value = apply(op, left.value, right.value);
            if (!value) return std::nullopt;
            left.value = *value;
        }
    }
    if (!unknown) return std::nullopt;
    Value value = size;
    for (size_t i = path.size(); value && i-- > 0;)
        value = invert(path[i].op, path[i].unknown_left, path[i].known, *value);
    if (value && *value < 0) value.reset();
    return Solution{*unknown, value};
}

}  // namespace tsr::runtime
