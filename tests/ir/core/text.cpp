// IR text: what is printed reads back and prints the same; broken text is refused with its place.
#include <limits>

#include "ir/build/builder.h"
#include "ir/ops/same_code.h"
#include "read.h"
#include "samples.h"

using namespace tsr;
using namespace tsr::ir;

namespace {

std::string refusal(std::string_view text) {
    Result<Module> module = parse_text(text);
    return module ? "accepted" : module.message();
}

}  // namespace

TEST_CASE("text of every level is the same after it was read") {
    for (const char* text : samples::kAll) CHECK(print(read(text)) == text);
}

TEST_CASE("the policy of a tensor stands behind its shape and reads back") {
    const std::string text =
        "kernel @f<n>(%x: bf16[n] @accum(f32) @round(rz), %y: mut f32[n] @compute(tf32), %z: f16[] @compute(f16) "
        "@stochastic_round, %w: list bf16[n] @round(rn)) {\n}\n";
    const Module module = read(text);
    CHECK(print(module) == text);
    const Function& f = module.functions[0];
    CHECK(f.type(f.params()[0]).policy.round == Rounding::toward_zero);
    CHECK(f.type(f.params()[3]).parts[0].policy.round == Rounding::nearest_even);
    CHECK(refusal("kernel @f(%a: f32[4] @round(up)) {}") == "1:28: 'round(up)' is no policy");
    CHECK(refusal("kernel @f(%a: f32[4] @accum(f33)) {}") == "1:28: 'accum(f33)' is no policy");
    CHECK(refusal("kernel @f(%a: f32 @accum(f32)) {}") != "accepted");
}

TEST_CASE("places are printed on demand and read back") {
    Function f;
    f.name = "f";
    Builder b = Builder::at_end(f, f.body);
    b.set_place(f.add_place({Span{FileId(0), 3, 9}, {Span{FileId(1), 40, 50}}}));
    b.index(1);
    b.set_place(f.add_place({Span{}, {}}));
    b.yield({});
    const std::string text = print(f, {.places = true});
    CHECK(text == "func @f() tile {\n  %c1 = constant 1 : index !0:3-9<1:40-50\n  yield !?:0-0\n}\n");
    Module module = read(text);
    CHECK(print(module, {.places = true}) == text);
    CHECK(print(module).find('!') == std::string::npos);
}

TEST_CASE("names of the programmer are made unique and cleaned") {
    Function f;
    f.name = "f";
    ValueId x = f.add_arg(f.body, Type::scalar(DType::f32), "x");
    ValueId y = f.add_arg(f.body, Type::scalar(DType::f32), "x");
    f.add_arg(f.body, Type::scalar(DType::f32), "2 b");
    Builder b = Builder::at_end(f, f.body);
    b.add(x, y);
    b.yield({});
    const std::string text = print(f);
    CHECK(text == "func @f(%x: f32, %x.1: f32, %_2_b: f32) tile {\n  %0 = add %x, %x.1 : f32\n}\n");
    CHECK(print(read(text)) == text);
}

TEST_CASE("the text of a plan tells its kind of machine, and has the fields of that kind") {
    const std::string text =
        "func @f() target scratch 512 {\n} plan {machine = \"sm_90a\", threads = 256, tiles_per_thread = 4, task = "
        "1024, "
        "stages = 3, box_copies = true, box_stores = true, producers = 128, cluster_rows = 2, cluster_columns = 1, "
        "parts = [2, 1], narrow_index = true, reasons = [\"why\"]}\n";
    CHECK(print(read(text)) == text);
    const auto plan = [](const std::string& fields) { return refusal("func @f() target {\n} plan {" + fields + "}"); };
    CHECK(plan("machine = \"sm_80\", threads = 256, lanes = 4") == "2:50: a plan for a GPU has no 'lanes'");
    CHECK(plan("machine = \"x86-64\", lanes = 4, threads = 256") == "2:49: a plan for a CPU has no 'threads'");
    CHECK(plan("lanes = 4") == "2:9: a plan begins with its machine");
    CHECK(plan("machine = \"x86-64\"") == "accepted");
}

TEST_CASE("the text of code leaves out names of values, and nothing that code depends on") {
    const auto code = [](const std::string& head, const std::string& constant, const std::string& rest = "") {
        return text_of_code(read("kernel @f<n>(%" + head + ": f32[n], %y: mut f32[n]) {\n  %c0 = constant 0 : index\n" +
                                 "  %factor = constant " + constant + " : f32\n  %0 = read %" + head +
                                 "[%c0] : f32\n  %scaled = mul %0, %factor : f32\n  write %y[%c0], %scaled\n}" + rest +
                                 "\n")
                                .functions[0]);
    };
    const std::string text = code("x", "2.0");
    CHECK(code("model.layers.0.norm", "2.0") == text);
    CHECK(code("x", "2.5") != text);
    CHECK(code("x", "-0.0") != code("x", "0.0"));
    const std::string planned = R"( plan {machine = "x86-64-v3", lanes = 8, interleave = 1, task = 4})";
    CHECK(code("x", "2.0", planned) != text);
    CHECK(code("z", "2.0", planned) == code("x", "2.0", planned));
    CHECK(code("x", "2.0", R"( plan {machine = "x86-64-v3", lanes = 8, interleave = 1, task = 8})") !=
          code("x", "2.0", planned));
    const auto with = [](const std::string& extent) {
        return text_of_code(read("graph @f<n>(%x: f32[n, " + extent + "]) -> f32[n, " + extent +
                                 "] {\n  %0 = neg %x : f32[n, " + extent + "]\n  yield %0\n}\n")
                                .functions[0]);
    };
    CHECK(with("8") == with("8"));
    CHECK(with("8") != with("16"));
    CHECK(with("8") != with("n"));
}

TEST_CASE("the text of code has the places that a run may name, and no others") {
    const auto code = [](uint32_t sum, uint32_t assertion) {
        Function f;
        f.name = "f";
        Builder b = Builder::at_end(f, f.body);
        const ValueId x = f.add_arg(f.body, Type::scalar(DType::index), "x");
        b.set_place(f.add_place({Span{FileId(0), sum, sum + 2}, {}}));
        const ValueId inside = b.gt(b.add(x, x), x);
        b.set_place(f.add_place({Span{FileId(0), assertion, assertion + 2}, {Span{FileId(1), 4, 5}}}));
        b.assert_(inside, "no");
        b.yield({});
        return text_of_code(f);
    };
    CHECK(code(3, 20) == code(7, 20));
    CHECK(code(3, 20) != code(3, 30));
}

TEST_CASE("functions have the same code where their texts differ in names alone") {
    const auto made = [](const std::string& x, const std::string& constant, const std::string& op) {
        return read("kernel @f(%" + x + ": f32[4], %y: mut f32[4]) {\n  %c0 = constant 0 : index\n  %k = constant " +
                    constant + " : f32\n  %0 = read %" + x + "[%c0] : f32\n  %1 = " + op +
                    " %0, %k : f32\n  write %y[%c0], %1\n}\n")
            .functions[0];
    };
    const Function first = made("x", "0.0", "add");
    CHECK(same_code(first, made("z", "0.0", "add")));
    CHECK_FALSE(same_code(first, made("x", "-0.0", "add")));
    CHECK_FALSE(same_code(first, made("x", "0.0", "mul")));
    for (const char* text : samples::kAll) {
        const Module once = read(text), again = read(text);
        for (const Function& function : once.functions) CHECK(same_code(function, *again.find(function.name)));
    }
    CHECK(same_value(std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN()));
}

TEST_CASE("a NaN keeps its bits") {
    const std::string text = "func @f() tile {\n  host {value = nan(0xfff8000000000001), callee = \"x\"}\n}\n";
    CHECK(print(read(text)) == text);
}

TEST_CASE("the first error is told with line and column") {
    CHECK(refusal("kernel @f() {\n  %a = adt %b : f32\n}") == "2:11: there is no operation 'adt'");
    CHECK(refusal("kernel @f() {\n  %a = neg %b : f32\n}") == "2:14: %b is not defined before");
    CHECK(refusal("kernel @f(%a: f33) {}") == "1:18: 'f33' is no type");
    CHECK(refusal("kernel @f(%a: f32[n+]) {}") == "1:19: 'n+' is no dimension");
    CHECK(refusal("kernel @f(%a: f32, %a: f32) {}") == "1:27: %a is defined twice");
    CHECK(refusal("kernel @f() {\n  barrier\n") == "3:1: '}' is expected");
    CHECK(refusal("kernel @f() {\n  %a = constant 1.5 : i32\n}") == "2:16: '1.5' is no constant of i32");
    CHECK(refusal("kernel @f() {\n  print {text = \"abc}\n}\n}") == "4:2: the text in quotes does not end");
    CHECK(refusal("kernel @f() {\n  print {loop = often}\n}") == "2:22: no value of 'loop'");
    CHECK(refusal("thing @f() {}") == "1:1: 'kernel', 'host', 'graph' or 'func' is expected");
}

TEST_CASE("no prefix and no changed character crashes the parser") {
    for (const std::string text : samples::kAll) {
        for (size_t length = 0; length < text.size(); ++length) (void)parse_text(text.substr(0, length));
        for (size_t at = 0; at < text.size(); ++at) {
            for (char c : {'\0', '(', '}', '%', '9', '"', '`', '\xff'}) {
                std::string changed = text;
                changed[at] = c;
                Result<Module> module = parse_text(changed);
                if (!module) continue;
                (void)print(module.value());
                (void)verify(module.value());
            }
        }
    }
    const std::string deep(100000, '(');
    CHECK(!parse_text("kernel @f(%a: f32[" + deep).ok());
    std::string nested = "kernel @f(%c: bool) {";
    for (int i = 0; i < 100000; ++i) nested += "if %c {";
    CHECK(!parse_text(nested).ok());
}
