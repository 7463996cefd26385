// Two kinds of passes. A `Pass` rewrites one function, and its type says between which levels; a pipeline whose levels
// do not meet does not compile. A `ModulePass` rewrites the set of functions. Plan and machine are inputs: they stand
// in the function and the context.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "ir/core/function.h"

namespace tsr::ir {

struct PassContext {
    Module& module;  // a pass over a function may add others: they go through the same pipeline after it
    Diagnostics& diagnostics;
    std::string machine;  // empty above level Target
};

// False: the program was refused, with a diagnostic.
using PassFn = std::function<bool(Function&, PassContext&)>;

template <Level From, Level To>
struct Pass {
    std::string_view name;
    PassFn run;
    bool optional = false;  // it makes the function better, no later pass needs it: `--pass-limit` may leave it out
};

// Passes in order, for what runs them.
struct PassStep {
    std::string_view name;
    PassFn run;
    bool optional = false;
    Level to = Level::tile;
};

template <Level From, Level To>
struct Pipeline {
    std::vector<PassStep> steps;
};

template <Level At>
Pipeline<At, At> start() {
    return {};
}

// Adds, drops or renames functions; each keeps its level.
struct ModulePass {
    std::string_view name;
    std::function<bool(Module&, PassContext&)> run;  // false: the program was refused, with a diagnostic
};

template <Level From, Level Between, Level To>
Pipeline<From, To> operator|(Pipeline<From, Between> pipeline, Pass<Between, To> pass) {
    pipeline.steps.push_back({pass.name, std::move(pass.run), pass.optional, To});
    return {std::move(pipeline.steps)};
}

template <Level From, Level Between, Level To>
Pipeline<From, To> operator|(Pipeline<From, Between> first, Pipeline<Between, To> second) {
    for (PassStep& step : second.steps) first.steps.push_back(std::move(step));
    return {std::move(first.steps)};
}

}  // namespace tsr::ir
