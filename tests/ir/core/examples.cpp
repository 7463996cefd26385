// The example in the record of each operation: its text is read and verified, and what the evaluator gives is what the
// record says.
#include <sstream>

#include "ir/core/names.h"
#include "ir/eval/one_tile/run.h"
#include "ir/law/scalar.h"
#include "ir/ops/effects.h"
#include "ir/ops/record.h"
#include "ir/text/parse_attrs.h"
#include "read.h"

using namespace tsr;
using namespace tsr::ir;

namespace {

Level level_of(const OpRecord& r) {
    for (const Level level : {Level::tile, Level::host, Level::target}) {
        if (r.levels.has(level)) return level;
    }
    return Level::graph;
}

// Kernels are of groups of four tiles; the one dimension is `n`.
std::string program(const OpRecord& r) {
    const size_t close = r.example.text.find(") ");
    REQUIRE(close != std::string_view::npos);
    const std::string parameters(r.example.text.substr(0, close + 1));
    const std::string body = "{\n" + std::string(r.example.text.substr(close + 2)) + "\n}\n";
    switch (level_of(r)) {
        case Level::tile:
            return "kernel @example<n>" + parameters + " group [4] " + body;
        case Level::host:
            return "host @example<n>" + parameters + " " + body;
        case Level::target:
            return "func @example<n>" + parameters + " target " + body;
        case Level::graph:
            return "graph @example<n>" + parameters + " " + body;
    }
    return "";
}

size_t count_of(const Function& function, OpKind kind) {
    size_t count = 0;
    for_each_op(function, function.body, [&](OpId id) { count += function.op(id).kind == kind ? 1 : 0; });
    return count;
}

// A kernel that gives a value has it as its result.
void take_result(Function& function) {
    std::optional<ValueId> given;
    for_each_op(function, function.body, [&](OpId id) {
        if (function.op(id).kind == OpKind::result) given = function.op(id).operands[0];
    });
    if (given) function.results = {function.type(*given)};
}

ValueId named(const Function& function, std::string_view name) {
    for (size_t i = 0; i < function.value_count(); ++i) {
        if (function.value(ValueId(i)).name == name) return ValueId(i);
    }
    FAIL("no value has the name " << name);
    return {};
}

uint64_t number(std::string_view text, DType type) {
    const auto value = parse_constant(text, type);
    REQUIRE_MESSAGE(value, text);
    return constant_bits({{Attr::type, type}, {Attr::value, *value}});
}

// `%r` becomes the result of a kernel that is run for one group.
eval::ScalarValue run(Function kernel, const Example& example) {
    std::vector<eval::KernelArgument> arguments;
    std::istringstream given{std::string(example.given)};
    for (ValueId param : kernel.params()) {
        std::string word;
        given >> word;
        const DType type = kernel.type(param).elem;
        arguments.push_back(eval::ScalarValue{type, number(word, type)});
    }
    const ValueId value = named(kernel, "r");
    const OpId result = kernel.add_op(OpKind::result, {}, {value}, {});
    kernel.insert(kernel.body, kernel.region(kernel.body).ops.size() - 1, result);
    kernel.results = {kernel.type(value)};
    const auto outcome = eval::run_one_tile(kernel, arguments, eval::LaunchSize{}, {}, {{"n", 8}});
    if (outcome.failure) FAIL(outcome.failure->message);
    REQUIRE(outcome.result);
    return *outcome.result;
}

}  // namespace

TEST_CASE("the example of each operation shows it, reads and verifies") {
    for (size_t i = 0; i < static_cast<size_t>(OpKind::count_); ++i) {
        const OpRecord& r = record(static_cast<OpKind>(i));
        CAPTURE(r.name);
        Function function = read(program(r)).functions[0];
        take_result(function);
        CHECK(count_of(function, r.kind) > 0);
        CHECK(faults(function) == "");
        const std::string text = print(function);
        CHECK(print(read(text).functions[0]) == text);
    }
}

TEST_CASE("the evaluator gives what examples say") {
    size_t run_of_them = 0;
    for (size_t i = 0; i < static_cast<size_t>(OpKind::count_); ++i) {
        const OpRecord& r = record(static_cast<OpKind>(i));
        CAPTURE(r.name);
        // Numbers of tiles, groups and dimensions, and what has no engine before its machine, are the rest.
        const bool computes =
            is_element(r.kind) || (is_pure(r.kind) && r.levels.has(Level::tile) && r.cost != Cost::unsaid);
        if (computes && r.kind != OpKind::pack_rows && r.kind != OpKind::mma_words) CHECK(!r.example.gives.empty());
        if (r.example.gives.empty()) continue;
        ++run_of_them;
        const eval::ScalarValue value = run(read(program(r)).functions[0], r.example);
        CHECK(value.bits == number(r.example.gives, value.type));
    }
    CHECK(run_of_them > 80);
}
