// The verifier accepts sound programs and finds each kind of break: mutations of a sound program, one by one.

#include "ir/build/builder.h"
#include "ir/ops/effects.h"
#include "read.h"
#include "samples.h"

using namespace tsr;
using namespace tsr::ir;

namespace {

OpId first(const Function& f, OpKind kind, int nth = 0) {
    OpId found;
    for_each_op(f, f.body, [&](OpId op) {
        if (f.op(op).kind == kind && nth-- == 0) found = op;
    });
    REQUIRE(found.valid());
    return found;
}

// The messages about a sound program after one change.
template <typename Change>
std::string after(const char* text, Change&& change) {
    Module module = read(text);
    Function& f = module.functions[0];
    REQUIRE(verify(f).empty());
    change(f);
    std::string all;
    for (const std::string& message : verify(f)) all += message + "\n";
    return all;
}

bool says(const std::string& messages, const std::string& what) {
    INFO(messages);
    const bool found = messages.find(what) != std::string::npos;
    CHECK(found);
    return found;
}

}  // namespace

TEST_CASE("sound programs of every level are accepted") {
    for (const char* text : samples::kAll) CHECK(faults(text) == "");
}

TEST_CASE("a message names the function and the operation") {
    CHECK(after(samples::kSaxpy, [](Function& f) { f.level = Level::host; }) != "");
    const std::string messages =
        after(samples::kSaxpy, [](Function& f) { f.op(first(f, OpKind::fma)).operands.pop_back(); });
    CHECK(messages.starts_with("@saxpy: `%s = fma %alpha, %a : f32`: 'fma' has 2 operands, needs 3\n"));
}

TEST_CASE("broken structure is found") {
    using enum OpKind;
    const char* text = samples::kGroupSum;
    says(after(text, [](Function& f) { f.op(first(f, add)).parent = f.body; }), "does not know the region");
    says(after(text, [](Function& f) { f.region(f.body).ops.push_back(first(f, barrier)); }), "stands in two places");
    says(after(text, [](Function& f) { f.region(f.body).ops.pop_back(); }), "ends with its only 'yield'");
    says(after(text, [](Function& f) { f.region(f.op(first(f, if_)).regions[0]).ops.clear(); }), "has no 'yield'");
    says(after(text, [](Function& f) { f.op(first(f, if_)).regions.pop_back(); }), "has 1 regions, needs 2");
    says(after(text, [](Function& f) { f.op(first(f, if_)).regions[1] = f.op(first(f, if_)).regions[0]; }),
         "belongs to two operations");
    says(after(text, [](Function& f) { f.region(f.op(first(f, for_)).regions[0]).parent = first(f, while_); }),
         "does not know its operation");
    says(after(text, [](Function& f) { f.value(f.op(first(f, add)).results[0]).number = 3; }), "where it is defined");
    says(after(text, [](Function& f) { f.op(first(f, add)).operands[0] = ValueId(); }), "an operand is missing");
    says(after(text, [](Function& f) { f.op(first(f, add)).operands[0] = ValueId(12345); }), "an operand is missing");
    // Used before it is defined, and outside of the region that defines it.
    says(after(text, [](Function& f) { f.op(first(f, lanes)).operands[0] = f.op(first(f, read, 3)).results[0]; }),
         "is not visible");
    says(after(text, [](Function& f) { f.op(first(f, group_reduce)).operands[0] = f.op(first(f, add)).results[0]; }),
         "is not visible");
}

TEST_CASE("wrong types are found") {
    using enum OpKind;
    const char* text = samples::kGroupSum;
    auto retype = [](OpKind kind, Type type) {
        return [=](Function& f) { f.value(f.op(first(f, kind)).results[0]).type = type; };
    };
    says(after(text, retype(add, Type::scalar(DType::f64))), "its record says (f32)");
    says(after(text, retype(lanes, Type::lane_array(DType::i32))), "gives (lanes i32), needs (lanes f32)");
    says(after(text, retype(for_, Type::scalar(DType::f16))), "its record says (f32)");
    says(after(text,
               [](Function& f) { f.value(f.region(f.op(first(f, for_)).regions[0]).args[1]).type.elem = DType::i8; }),
         "a region takes (index, i8), needs (index, f32)");
    says(after(text,
               [](Function& f) {
                   const OpId loop = first(f, for_);
                   f.op(f.region(f.op(loop).regions[0]).ops.back()).operands.clear();
               }),
         "a region yields (), needs (f32)");
    says(after(text, [](Function& f) { f.op(first(f, buffer)).attrs.erase(Attr::type); }),
         "lacks its attribute 'type'");
    says(after(text, [](Function& f) { f.op(first(f, barrier)).attrs.set(Attr::axis, int64_t{1}); }),
         "has no attribute 'axis'");
    says(after(text, [](Function& f) { f.op(first(f, buffer)).attrs.set(Attr::alignment, 1.5); }), "of another kind");
    says(after(text, [](Function& f) { f.value(f.params()[1]).type.mut = false; }), "not 'mut'");
    says(after(text, [](Function& f) { f.symbols = {"grid_groups"}; }), "no dimension 'n'");
    says(after(samples::kHost, [](Function& f) { f.results[0].elem = DType::f64; }), "gives f32[n], needs f64[n]");
    says(faults("kernel @f() {\n %a = constant 300 : i8\n}"), "does not hold the constant exactly");
    says(faults("kernel @f() {\n %a = constant 0.1 : fp4_e2m1\n}"), "does not hold the constant exactly");
    says(faults("kernel @f(%a: bool) {\n %b = add %a, %a : bool\n}"), "the operands are bool, need a number");
}

TEST_CASE("operations stand where they may") {
    says(faults("host @f() {\n barrier\n}"), "does not belong to level host");
    says(faults("kernel @f() {\n %a = task_begin : index\n}"), "does not belong to level tile");
    says(faults("kernel @f(%a: index) {\n lanes %a, %a, %a {over = tiles} (%i: index) {\n barrier\n }\n}"),
         "all tiles do it together");
    says(faults(
             "kernel @f(%a: index) {\n lanes %a, %a, %a {over = tiles} (%i: index) {\n lanes %a, %a, %a {over = loop} "
             "(%j: index) {\n }\n }\n}"),
         "stands in a 'lanes' region");
    says(faults("kernel @f(%a: index) {\n %v = lanes %a, %a, %a {over = loop} : lanes index (%i: index) {\n yield %i\n "
                "}\n}"),
         "only lanes over tiles yield");
    says(faults("kernel @f(%x: f32[], %a: index) {\n} launch {\n %v = read %x[] : f32\n yield %a\n}"),
         "computes with parameters alone");
    says(faults("kernel @f() {\n %a = group_id : index\n} launch {\n %b = constant 1.5 : f32\n yield %b\n}"),
         "something else than index");
}

TEST_CASE("calls and launches are checked against what they name") {
    const std::string kernel = "kernel @k<n>(%x: mut f32[n]) {\n}\n";
    says(faults("host @f<n>(%x: f32[n]) {\n launch %x {callee = \"g\"}\n}"), "there is no function @g");
    says(faults(kernel + "host @f<n>(%x: f64[n]) {\n launch %x {callee = \"k\"}\n}"), "argument 0 is f64[n]");
    says(faults(kernel + "host @f() {\n launch {callee = \"k\"}\n}"), "gives 0 arguments, @k takes 1");
    says(faults(kernel + "host @f<n>(%x: f32[n]) {\n call %x {callee = \"k\"}\n}"), "kernels are launched");
    says(faults(kernel + kernel), "two functions of this name");
    CHECK(faults(kernel + "host @f<n>(%x: f32[n], %g: index) {\n launch %x, %g {callee = \"k\", count = 1}\n}") == "");
    const std::string graph = kernel + "graph @f<n>(%x: f32[n]) -> f32[n] {\n ";
    CHECK(faults(graph + "%y = launch %x {callee = \"k\", written = [0]} : f32[n]\n yield %y\n}") == "");
    says(faults(graph + "%y = launch %x {callee = \"k\", written = [1]} : f32[n]\n yield %y\n}"),
         "a written argument that is not there");
    says(faults(graph + "launch %x {callee = \"k\", written = [0]}\n yield %x\n}"), "gives no tensor for it");
    says(faults(graph + "%y = launch %x {callee = \"k\", written = [0]} : f32[4]\n yield %y\n}"),
         "gives f32[4] for the written f32[n]");
    says(faults(kernel + "host @f<n>(%x: f32[n]) {\n launch %x {callee = \"k\", written = [0]}\n}"),
         "only in a graph it gives new values");
}
