// `tesserac explain E0301`, `tesserac explain tile.scan`: a page of docs/errors or docs/ops.
#include <algorithm>
#include <cctype>
#include <deque>

#include <fmt/core.h>

#include "base/diagnostics.h"
#include "driver/commands.h"
#include "driver/output.h"
#include "driver/pages.h"
#include "sema/builtins/builtins.h"
#include "sema/builtins/library.h"
#include "sema/program/host_methods.h"

namespace tsr::driver {

namespace {

const Page* find(std::span<const Page> pages, std::string_view name) {
    auto at = std::ranges::find(pages, name, &Page::name);
    return at == pages.end() ? nullptr : &*at;
}

// "tile.scan" for "ts.tile.scan" and "tessera.tile.scan": a program names the root as it likes.
std::string_view below_root(std::string_view path) {
    for (std::string_view root : {"tessera.", "ts."}) {
        if (path.starts_with(root)) return path.substr(root.size());
    }
    return path;
}

// The page that tells of a method of a kind of container: "list.append", "dict.items", "str.split".
const Page* method_page(std::string_view path) {
    struct Receiver {
        std::string_view name;
        sema::Kind kind;
    };
    constexpr Receiver kReceivers[] = {
        {"list", sema::Kind::list}, {"dict", sema::Kind::dict}, {"str", sema::Kind::string}};
    for (const Receiver& receiver : kReceivers) {
        if (!path.starts_with(receiver.name) || path.substr(receiver.name.size(), 1) != ".") continue;
        const auto names = sema::host_method_names(receiver.kind);
        const std::string_view method = path.substr(receiver.name.size() + 1);
        if (method != "methods" && std::ranges::find(names, method) == names.end()) return nullptr;
        return find(operation_pages(), std::string(receiver.name) + ".methods");
    }
    return nullptr;
}

// Of the functions of the standard library: signature and docstring, in the order of their names.
std::span<const Page> library_pages() {
    static const auto pages = [] {
        std::vector<Page> made;
        static std::deque<std::string> texts;
        for (const sema::LibraryFunction& function : sema::library_functions()) {
            texts.push_back(fmt::format("# {}\n\n{}", function.signature, function.doc));
            made.push_back({function.name, texts.back()});
        }
        return made;
    }();
    return pages;
}

// What is known of a name whose code is not made yet.
std::string not_compiled(const sema::BuiltinEntry& row, std::string_view path) {
    return fmt::format("# {}\n\n{}\n\nThis version of tesserac does not compile {}: `tesserac explain {}`.\n", path,
                       row.doc, sema::title(row.feature), sema::code(row.feature));
}

int show(std::string_view text) {
    auto wrong = write_stdout(text);
    if (wrong.empty()) return 0;
    fmt::print(stderr, "tesserac: {}\n", wrong);
    return 1;
}

}  // namespace

std::string page_title(std::string_view code) {
    const Page* page = find(error_pages(), code);
    if (!page) return {};
    auto line = page->text.substr(0, page->text.find('\n'));
    auto colon = line.find(": ");
    return std::string(colon == std::string_view::npos ? line : line.substr(colon + 2));
}

const Page* operation_page(std::string_view written) {
    const std::string_view path = below_root(written);
    if (const auto* function = sema::library_function(path)) return find(library_pages(), function->name);
    const sema::BuiltinEntry* row = sema::builtin_at(path);
    if (!row) return method_page(path);
    return row->feature == sema::Feature::none ? find(operation_pages(), row->paths.front()) : nullptr;
}

int explain(const Options& options) {
    std::string code = options.input;
    std::ranges::transform(code, code.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    if (const Page* page = find(error_pages(), code)) return show(page->text);
    if (const Page* page = operation_page(options.input)) return show(page->text);
    const sema::BuiltinEntry* row = sema::builtin_at(below_root(options.input));
    if (row && row->feature != sema::Feature::none) return show(not_compiled(*row, below_root(options.input)));

    std::vector<std::string> codes, names;
    for (const Page& page : error_pages()) codes.emplace_back(page.name);
    for (const Page& page : operation_pages()) names.emplace_back(page.name);
    for (const Page& page : library_pages()) names.emplace_back(page.name);
    auto meant = nearest(code, codes);
    if (!meant) meant = nearest(options.input, names);
    fmt::print(stderr, "tesserac: there is no diagnostic and no operation `{}`{}\n", options.input,
               meant ? fmt::format("; did you mean `{}`?", *meant) : "");
    return kUsageError;
}

}  // namespace tsr::driver
