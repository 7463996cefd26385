// Values and structured control flow, on every level.
#include <cmath>

#include <fmt/format.h>

#include "ir/law/scalar.h"
#include "ir/ops/family.h"

namespace tsr::ir {

namespace {

Inferred infer_constant(Operands, const Attrs& attrs) {
    const DType type = attrs.dtype(Attr::type);
    const AttrValue& value = *attrs.find(Attr::value);
    if (type == DType::c64) return Failure{"a constant can not be c64"};
    const bool whole = is_integer(type) || type == DType::boolean;
    if (whole != std::holds_alternative<int64_t>(value) || std::holds_alternative<std::string>(value)) {
        return Failure{fmt::format("a constant of {} holds a value of another kind", name(type))};
    }
    if (type == DType::boolean && std::get<int64_t>(value) != 0 && std::get<int64_t>(value) != 1) {
        return Failure{"a bool constant is 0 or 1"};
    }
    const Bits bits = constant_bits(attrs);
    const AttrValue held = constant_value(type, bits);
    const bool number = !std::holds_alternative<double>(value) || !std::isnan(std::get<double>(value));
    if (number && held != value) return Failure{fmt::format("{} does not hold the constant exactly", name(type))};
    return gives(Type::scalar(type));
}

// lower, upper, step, then what the loop carries.
Inferred infer_for(Operands operands, const Attrs&) {
    if (auto fault = want_integers(operands.first(3), 0, "loop bound")) return *fault;
    if (operands[0] != operands[1] || operands[0] != operands[2]) {
        return Failure{fmt::format("the bounds of a loop are {}, {} and step {}, need one type", operands[0].text(),
                                   operands[1].text(), operands[2].text())};
    }
    return gives_all({operands.begin() + 3, operands.end()});
}

Inferred infer_while(Operands operands, const Attrs&) { return gives_all({operands.begin(), operands.end()}); }

Inferred infer_dim(Operands operands, const Attrs& attrs) {
    if (!operands.empty() && operands[0] != Type::scalar(DType::index))
        return Failure{fmt::format("the value of a dimension is {}, needs index", operands[0].text())};
    if (!operands.empty() && !attrs.dim(Attr::dim).symbol_name()) return Failure{"only a symbol is given a value"};
    return gives(Type::scalar(DType::index));
}

Inferred infer_assert(Operands operands, const Attrs&) {
    if (!operands[0].is_bool()) return Failure{fmt::format("the condition is {}, needs bool", operands[0].text())};
    return gives_nothing();
}

constexpr std::array kControlRecords{
    OpRecord{.kind = OpKind::constant,
             .name = "constant",
             .doc = "A number known at compile time: a whole one for integers, index and bool, else a float that its "
                    "type holds exactly.",
             .infer = infer_constant,
             .levels = kEveryLevel,
             .attrs = {needs(Attr::value), needs(Attr::type)},
             .example = {"() %r = constant 2.5 : f32", "", "2.5"}},
    OpRecord{.kind = OpKind::yield,
             .name = "yield",
             .doc = "Ends a region and gives its values to the operation that the region belongs to; ends a function "
                    "with its results.",
             .operands = {Role{"values", Many::any}},
             .infer = infer_nothing,
             .levels = kEveryLevel,
             .effects = {Effect::in_order},
             .example = {"(%c: bool) %r = if %c : i32 {\n"
                         "%a = constant 1 : i32\n"
                         "yield %a\n"
                         "} else {\n"
                         "%b = constant 2 : i32\n"
                         "yield %b\n"
                         "}",
                         "false", "2"}},
    OpRecord{
        .kind = OpKind::for_,
        .name = "for",
        .doc =
            "Rounds with iv = lower, lower + step, … while iv < upper (step > 0) or iv > upper (step < 0); a "
            "step of 0 gives none. The region takes iv and what is carried, and yields what is carried on; "
            "the results are what the last round gave, the initial values without rounds. `axis` marks the inner loops "
            "of one N-dimensional range. `width` 32: neither iv nor iv + step passes 32 bits.",
        .operands = {Role{"lower"}, Role{"upper"}, Role{"step"}, Role{"initial", Many::any}},
        .infer = infer_for,
        .levels = kEveryLevel,
        .attrs = {may(Attr::loop), may(Attr::axis), may(Attr::prefetch), may(Attr::unroll), may(Attr::width),
                  may(Attr::name)},
        .regions = 1,
        .flow = Flow::counted,
        .example = {"(%n: index) %c0 = constant 0 : index\n"
                    "%c1 = constant 1 : index\n"
                    "%r = for %c0, %n, %c1, %c0 : index (%i: index, %s: index) {\n"
                    "%t = add %s, %i : index\n"
                    "yield %t\n"
                    "}",
                    "4", "6"}},
    OpRecord{.kind = OpKind::while_,
             .name = "while",
             .doc = "The first region takes what is carried and yields a bool; while it is true the second runs and "
                    "yields what is carried on. A loop without effects is taken to end. A counted loop that may be "
                    "left early stands as one: `loop`, `axis` and `prefetch` are those of its `for`, and the yield of "
                    "its rounds comes from the place where it is left.",
             .operands = {Role{"initial", Many::any}},
             .infer = infer_while,
             .levels = kEveryLevel,
             .attrs = {may(Attr::name), may(Attr::loop), may(Attr::axis), may(Attr::prefetch)},
             .regions = 2,
             .flow = Flow::repeated,
             .example = {"(%n: index) %c1 = constant 1 : index\n"
                         "%r = while %n : index (%a: index) {\n"
                         "%t = gt %a, %c1 : bool\n"
                         "yield %t\n"
                         "} do (%b: index) {\n"
                         "%h = shr %b, %c1 : index\n"
                         "yield %h\n"
                         "}",
                         "9", "1"}},
    OpRecord{.kind = OpKind::if_,
             .name = "if",
             .doc = "Runs the first region where the condition holds, else the second; gives what it yields. Both "
                    "regions are there, be it with a bare yield. `of_tensor`: the condition asks which tensor a "
                    "variable of the program holds.",
             .operands = {Role{"condition"}},
             .levels = kEveryLevel,
             .attrs = {may(Attr::of_tensor)},
             .regions = 2,
             .flow = Flow::branch,
             .results = ResultsFrom::regions,
             .example = {"(%c: bool, %a: f32, %b: f32) %r = if %c : f32 {\n"
                         "yield %a\n"
                         "} else {\n"
                         "yield %b\n"
                         "}",
                         "true 1.5 2", "1.5"}},
    OpRecord{.kind = OpKind::call,
             .name = "call",
             .doc =
                 "Calls a Host or Graph function of the module. What a Graph function is given it only reads. In a "
                 "graph `names` says where its derivative comes from (`CustomCallOp`), `count` how many arguments the "
                 "rule is not told of; the pass `differentiate` puts the function in its place.",
             .operands = {Role{"arguments", Many::any, Access::reads_writes}},
             .levels = kGraphAndHost,
             .attrs = {needs(Attr::callee), may(Attr::names), may(Attr::count)},
             .effects = {Effect::io},
             .results = ResultsFrom::given,
             .example = {"() call {callee = \"f\"}"}},
    OpRecord{.kind = OpKind::dim,
             .name = "dim",
             .doc = "The value of an expression over the function's dimension symbols, which are bound on entry (Host, "
                    "Graph) or by the launch (kernels). With an operand, of 0 or more, it binds a symbol that has no "
                    "value on entry, from here to the end of the region (Host, Graph: `BoundDimOp`).",
             .operands = {Role{"value", Many::optional}},
             .infer = infer_dim,
             .levels = kGraphHostTile,
             .attrs = {needs(Attr::dim)},
             .example = {"() %r = dim {dim = n} : index", "", "8"}},
    OpRecord{.kind = OpKind::print,
             .name = "print",
             .doc = "One line: the text with each `{}` or `{:spec}` replaced by the next value. In a kernel once per "
                    "tile that reaches it; lines appear when the host next waits. "
                    "`watched`, of an operation that became a formula, the values being its operands and its result: "
                    "nothing is printed, but reported where finite operands gave a result that is not.",
             .operands = {Role{"values", Many::any, Access::reads}},
             .infer = infer_nothing,
             .levels = kEveryLevel,
             .attrs = {needs(Attr::text), may(Attr::watched)},
             .effects = {Effect::io},
             .example = {"(%a: f32) print %a {text = \"it is {}\"}"}},
    OpRecord{.kind = OpKind::assert_,
             .name = "assert",
             .doc = "Ends the program with the message where the condition is false.",
             .operands = {Role{"condition"}, Role{"values", Many::any}},
             .infer = infer_assert,
             .levels = kEveryLevel,
             .attrs = {needs(Attr::text)},
             .effects = {Effect::io},
             .example = {"(%c: bool) assert %c {text = \"it is not so\"}"}},
};
static_assert(complete<kControlRecords, kControlFamily>(),
              "every control operation has its record, in the order of ir/core/opkind.h");

}  // namespace

std::span<const OpRecord> control_records() { return kControlRecords; }

}  // namespace tsr::ir
