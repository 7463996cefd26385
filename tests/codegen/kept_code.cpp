// Object files that are kept between compilations, and kernels with the same code.
#include <algorithm>
#include <map>

#include <doctest/doctest.h>

#include "harness.h"

using namespace tsr;

namespace {

class Store : public codegen::CodeStore {
public:
    std::optional<std::string> find(const std::string& key) override {
        const auto found = kept.find(key);
        if (found == kept.end()) return std::nullopt;
        ++found_;
        return found->second;
    }
    void keep(const std::string& key, const std::string& code) override { kept[key] = code; }
    size_t found() { return std::exchange(found_, 0); }

    std::map<std::string, std::string> kept;

private:
    size_t found_ = 0;
};

// y[i] = x[i] + `more`
void add_number(test::Kernel& k, const std::string& name, double more) {
    k.function.name = name;
    k.each(1, [&](ir::ValueId i) {
        const ir::ValueId sum =
            k.build.add(k.load(k.at(k.pointer(0, DType::f32), i)), k.build.constant(more, DType::f32));
        k.store(k.at(k.pointer(1, DType::f32), i), sum);
    });
    k.yield();
}

codegen::Program program_of(const std::vector<const ir::Function*>& kernels) {
    codegen::Program program;
    program.name = "kept";
    for (const ir::Function* kernel : kernels) {
        codegen::KernelFamily& family = program.families.emplace_back();
        family.name = kernel->name;
        for (const std::string machine : {"x86-64-v3", "x86-64"}) {
            codegen::KernelVariant& variant = family.variants.emplace_back();
            variant.function = kernel;
            variant.machine = machine;
        }
    }
    return program;
}

std::vector<std::string> compile(const codegen::Program& program, codegen::CodeStore* store, int level = 2,
                                 bool debug = false) {
    Sources sources;
    sources.add("kept.tsr", "\n");
    codegen::Options options;
    options.level = level;
    options.debug = debug;
    options.store = store;
    auto objects = codegen::compile(program, sources, options);
    REQUIRE_MESSAGE(objects.ok(), objects.message());
    return objects.value();
}

}  // namespace

TEST_CASE("kernels with the same code are compiled once, for each processor") {
    test::Kernel one, same, other;
    add_number(one, "one", 1.0);
    add_number(same, "same", 1.0);
    add_number(other, "other", 2.0);
    // Two processors, and the tables.
    CHECK(compile(program_of({&one.function}), nullptr).size() == 3);
    CHECK(compile(program_of({&one.function, &same.function}), nullptr).size() == 3);
    CHECK(compile(program_of({&one.function, &other.function}), nullptr).size() == 5);
    SUBCASE("and all of them run") {
        const test::Library library({&one.function, &same.function, &other.function}, "x86-64");
        REQUIRE_MESSAGE(library.failure().empty(), library.failure());
        for (const auto& [name, sum] : {std::pair<std::string, float>{"one", 4.0F}, {"same", 4.0F}, {"other", 5.0F}}) {
            const float x = 3.0F;
            float y = 0.0F;
            library.run(name, {test::slot(&x), test::slot(&y)}, 0, 1);
            CHECK(y == sum);
        }
        CHECK((library.family("one").variants[0].entry == library.family("same").variants[0].entry));
        CHECK((library.family("one").variants[0].entry != library.family("other").variants[0].entry));
    }
    SUBCASE("with line information each has its name") {
        CHECK(compile(program_of({&one.function, &same.function}), nullptr, 2, true).size() == 5);
    }
}

TEST_CASE("code that was kept is what is made without it") {
    test::Kernel one, other;
    add_number(one, "one", 1.0);
    add_number(other, "other", 2.0);
    const codegen::Program program = program_of({&one.function, &other.function});
    Store store;
    const std::vector<std::string> first = compile(program, &store);
    CHECK(store.kept.size() == 4);
    CHECK(store.found() == 0);
    CHECK(compile(program, &store) == first);
    CHECK(store.found() == 4);
    CHECK(compile(program, nullptr) == first);

    SUBCASE("in another program, under another name") {
        test::Kernel renamed;
        add_number(renamed, "renamed", 2.0);
        const std::vector<std::string> made = compile(program_of({&renamed.function}), &store);
        CHECK(store.found() == 2);
        CHECK(made.size() == 3);
        CHECK(std::ranges::count(first, made[0]) == 1);
    }
    SUBCASE("only at its level of optimization") {
        compile(program, &store, 0);
        CHECK(store.found() == 0);
    }
}
