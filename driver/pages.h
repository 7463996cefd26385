// The pages of docs/errors, carried inside the compiler.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tsr::driver {

struct Page {
    std::string_view code;  // "E0101"
    std::string_view text;  // Markdown
};

// In the order of their codes.
std::span<const Page> error_pages();

// The first line of a page, without its code: "a file can not be read". Empty where there is no such page.
std::string page_title(std::string_view code);

}  // namespace tsr::driver
