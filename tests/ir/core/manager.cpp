// The pass manager: order, limits, dumps, and who broke the function.
#include "ir/passes/manager.h"

#include "ir/passes/simplify/simplify.h"
#include "read.h"

using namespace tsr;
using namespace tsr::ir;

namespace {

constexpr const char* kText =
    "kernel @f(%x: mut f32[], %a: f32) {\n  %0 = neg %a : f32\n  %1 = exp %0 : f32\n  write %x[], %0\n}\n";

Pass<Level::tile, Level::tile> noted(std::string_view name, std::string& log, bool optional = false) {
    return {name,
            [&log, name](Function&, PassContext&) {
                log += std::string(name) + " ";
                return true;
            },
            optional};
}

struct Fixture {
    Module module = read(kText);
    Diagnostics diagnostics;
    PassContext context{module, diagnostics, ""};
    Function& kernel = module.functions[0];
    std::string log;
};

}  // namespace

TEST_CASE_FIXTURE(Fixture, "passes run in order; levels change where the pass says so") {
    Pass<Level::tile, Level::target> lower{"lower", [](Function& function, PassContext&) {
                                               function = Function();
                                               function.name = "f";
                                               function.level = Level::target;
                                               function.append(function.body,
                                                               function.add_op(OpKind::yield, {}, {}, {}));
                                               return true;
                                           }};
    auto pipeline = start<Level::tile>() | noted("a", log) | noted("b", log) | lower;
    static_assert(std::is_same_v<decltype(pipeline), Pipeline<Level::tile, Level::target>>);
    PassManager manager({.time_passes = true});
    CHECK(manager.run(pipeline, kernel, context) == PassOutcome::done);
    CHECK(log == "a b ");
    CHECK(kernel.level == Level::target);
    REQUIRE(manager.times().size() == 3);
    CHECK(manager.times()[2].pass == "lower");
    CHECK(manager.time_report().find("1 runs  lower") != std::string::npos);
}

TEST_CASE_FIXTURE(Fixture, "a pass that breaks the function is named, with the function before it") {
    Pass<Level::tile, Level::tile> wrong{"wrong", [](Function& function, PassContext&) {
                                             function.region(function.body).ops.pop_back();
                                             return true;
                                         }};
    PassManager manager({});
    try {
        manager.run(start<Level::tile>() | noted("a", log) | wrong, kernel, context);
        FAIL("accepted");
    } catch (const BrokenPass& broken) {
        CHECK(broken.pass == "wrong");
        CHECK(broken.before == kText);
        CHECK(std::string(broken.what()).find("pass 'wrong' broke the function:\n  @f: ") == 0);
    }
}

TEST_CASE_FIXTURE(Fixture, "a pass that does not reach its level is named") {
    Pass<Level::tile, Level::target> lazy{"lazy", [](Function&, PassContext&) { return true; }};
    CHECK_THROWS_AS(PassManager({}).run(start<Level::tile>() | lazy, kernel, context), BrokenPass);
    CHECK(PassManager({.verify = false}).run(start<Level::tile>() | lazy, kernel, context) == PassOutcome::done);
}

TEST_CASE_FIXTURE(Fixture, "a refusal ends the pipeline") {
    Pass<Level::tile, Level::tile> refuse{"refuse", [](Function& function, PassContext& with) {
                                              with.diagnostics.error("E0001", {}, "no");
                                              function.region(function.body).ops.pop_back();
                                              return false;
                                          }};
    CHECK(PassManager({}).run(start<Level::tile>() | refuse | noted("b", log), kernel, context) ==
          PassOutcome::refused);
    CHECK(log == "");
    CHECK(diagnostics.has_errors());
}

TEST_CASE_FIXTURE(Fixture, "the limit counts optional passes alone") {
    PassOptions options{.pass_limit = 1};
    auto pipeline = start<Level::tile>() | noted("a", log, true) | noted("b", log) | noted("c", log, true);
    PassManager manager(options);
    CHECK(manager.run(pipeline, kernel, context) == PassOutcome::done);
    CHECK(log == "a b ");
    CHECK(manager.optional_runs() == 1);
}

TEST_CASE_FIXTURE(Fixture, "dumps and stops after a pass") {
    std::string dumped;
    PassOptions options{.dump_after = {"simplify"}, .stop_after = "simplify"};
    options.dump = [&](const std::string& text) { dumped += text; };
    auto pipeline = start<Level::tile>() | noted("a", log) | simplify_pass<Level::tile>() | noted("b", log);
    CHECK(PassManager(options).run(pipeline, kernel, context) == PassOutcome::stopped);
    CHECK(log == "a ");
    CHECK(dumped ==
          "// after simplify\nkernel @f(%x: mut f32[], %a: f32) {\n  %0 = neg %a : f32\n  write %x[], %0\n}\n");
}

TEST_CASE_FIXTURE(Fixture, "a function that a pass adds goes through the same passes") {
    Pass<Level::tile, Level::tile> add{"add", [&](Function& function, PassContext& with) {
                                           log += function.name + " ";
                                           if (with.module.functions.size() > 2) return true;
                                           with.module.functions.push_back(function);
                                           with.module.functions.back().name += "x";
                                           return true;
                                       }};
    CHECK(PassManager({}).run_on_all(start<Level::tile>() | add, module, context) == PassOutcome::done);
    CHECK(log == "f fx fxx ");
}

TEST_CASE_FIXTURE(Fixture, "the worst outcome of all functions counts, and each is looked at") {
    module.functions.push_back(kernel);
    Pass<Level::tile, Level::tile> refuse{"refuse", [&](Function&, PassContext&) {
                                              log += "no ";
                                              return log.size() != 3;
                                          }};
    CHECK(PassManager({}).run_on_all(start<Level::tile>() | refuse, module, context) == PassOutcome::refused);
    CHECK(log == "no no ");
}

TEST_CASE_FIXTURE(Fixture, "a pass over the module drops functions; what it leaves is verified, dumped and timed") {
    module.functions.push_back(kernel);
    std::string dumped;
    PassManager manager(
        {.dump_after = {"drop"}, .time_passes = true, .dump = [&](const std::string& text) { dumped += text; }});
    const ModulePass drop{"drop", [](Module& all, PassContext&) {
                              all.functions.pop_back();
                              return true;
                          }};
    CHECK(manager.run(drop, context) == PassOutcome::done);
    CHECK(module.functions.size() == 1);
    CHECK(dumped == std::string("// after drop\n") + kText);
    CHECK(manager.times().at(0).pass == "drop");
    const ModulePass wrong{"wrong", [](Module& all, PassContext&) {
                               Function& first = all.functions[0];
                               first.region(first.body).ops.pop_back();
                               return true;
                           }};
    CHECK_THROWS_AS(manager.run(wrong, context), BrokenPass);
}
