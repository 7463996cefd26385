// The pages of docs/errors and docs/ops, and other texts, carried inside the compiler.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tsr::driver {

struct Page {
    std::string_view name;  // "E0101", "tile.scan"
    std::string_view text;  // Markdown
};

// A page for each diagnostic, in the order of their codes.
std::span<const Page> error_pages();
// A page for each name of the root namespace that is compiled, by its usual spelling, and one for the methods of each
// kind of container: "list.methods".
std::span<const Page> operation_pages();

// What `tesserac jupyter install` writes, by file names.
std::span<const Page> kernel_files();

// What each package of `--emit=python` has, by file names.
std::span<const Page> python_files();

// The page of a name as a program writes it: "math.sqrt", "ts.tile.scan", "list.append"; of a function of the standard
// library its docstring: "softmax". Null where there is none.
const Page* operation_page(std::string_view path);

// The first line of the page of a diagnostic, without its code: "a file can not be read". Empty where there is no such
// page.
std::string page_title(std::string_view code);

}  // namespace tsr::driver
