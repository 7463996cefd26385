// The pages of docs/ops: one for each name that is compiled, which begins as the table of names says.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "driver/pages.h"
#include "ir/ops/record.h"
#include "sema/builtins/builtins.h"
#include "sema/builtins/elementwise.h"
#include "sema/builtins/library.h"
#include "sema/program/host_methods.h"

using namespace tsr;

namespace {

bool has_page(const sema::BuiltinEntry& row) {
    return row.feature == sema::Feature::none && !row.paths.front().starts_with('.');  // `.sort` is a method of lists
}

}  // namespace

TEST_CASE("each name that is compiled has a page with its signature, and an example with what it prints") {
    size_t pages = 0;
    for (const sema::BuiltinEntry& row : sema::builtins()) {
        if (!has_page(row)) continue;
        ++pages;
        CAPTURE(row.paths.front());
        const driver::Page* page = driver::operation_page(row.paths.front());
        REQUIRE(page);
        CHECK(page->name == row.paths.front());
        const std::string head = fmt::format("# {}\n\n{}\n\n{}\n\n", sema::signature(row), row.doc, sema::usage(row));
        CHECK(page->text.substr(0, head.size()) == head);
        const size_t example = page->text.find("\n```tessera\n");
        REQUIRE(example != std::string_view::npos);
        CHECK(example > head.size());  // the law and the edge cases
        CHECK(page->text.find("\n```text\n", example) != std::string_view::npos);
        for (const std::string& path : row.paths) CHECK(driver::operation_page(path) == page);
    }
    CHECK(driver::operation_pages().size() == pages + 3);  // and one for the methods of each container
}

TEST_CASE("pages of element operations state the bound of the error that stands in the record") {
    for (const sema::BuiltinEntry& row : sema::builtins()) {
        const auto operation = sema::elementwise_operation(row.id);
        if (!operation || !has_page(row)) continue;
        CAPTURE(row.paths.front());
        const std::string bound = fmt::format("\nError: {}.\n", ir::record(*operation).error.text());
        CHECK(driver::operation_page(row.paths.front())->text.find(bound) != std::string_view::npos);
    }
}

TEST_CASE("the pages of methods name each method") {
    struct Receiver {
        std::string name;
        sema::Kind kind;
    };
    for (const auto& [name, kind] : {Receiver{"list", sema::Kind::list}, Receiver{"dict", sema::Kind::dict},
                                     Receiver{"str", sema::Kind::string}}) {
        for (const std::string& method : sema::host_method_names(kind)) {
            CAPTURE(method);
            const driver::Page* page = driver::operation_page(name + "." + method);
            REQUIRE(page);
            CHECK(page->text.find("| `" + method + "(") != std::string_view::npos);
        }
        CHECK_FALSE(driver::operation_page(name + ".unknown"));
    }
}

TEST_CASE("the page of a function of the standard library is its docstring, with an example") {
    REQUIRE_FALSE(sema::library_functions().empty());
    for (const sema::LibraryFunction& function : sema::library_functions()) {
        CAPTURE(function.name);
        CHECK(sema::builtin_at(function.name) == nullptr);  // one thing has the name
        const driver::Page* page = driver::operation_page(function.name);
        REQUIRE(page);
        CHECK(page->text == fmt::format("# {}\n\n{}", function.signature, function.doc));
        CHECK(function.doc.find("\n```tessera\n") != std::string_view::npos);
        CHECK(function.doc.find("\n```text\n") != std::string_view::npos);
    }
}

TEST_CASE("names are found by every spelling that programs use") {
    CHECK(driver::operation_page("ts.softmax") == driver::operation_page("softmax"));
    CHECK(driver::operation_page("ts.tile.scan") == driver::operation_page("tile.scan"));
    CHECK(driver::operation_page("tessera.math.sqrt") == driver::operation_page("sqrt"));
    CHECK_FALSE(driver::operation_page("all_gather"));  // not compiled
    CHECK_FALSE(driver::operation_page("tile.scam"));
}

TEST_CASE("signatures show what is optional and what is given by keyword") {
    CHECK(sema::signature(*sema::builtin_at("tile.scan")) == "tile.scan(value, *, op=…, axis=…)");
    CHECK(sema::signature(*sema::builtin_at("print")) == "print(*values, sep=…, end=…)");
    CHECK(sema::signature(*sema::builtin_at("math.pi")) == "math.pi");
}
