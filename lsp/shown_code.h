// The code that a program becomes, for editors to show beside its text. Who makes it stands above this folder.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tsr::lsp {

struct CodeOrder {
    std::string path;                                       // of the program
    std::vector<std::pair<std::string, std::string>> open;  // texts by path that stand for their files
    std::vector<std::string> import_folders;
    std::string level;               // "graph", "tile", "schedule", "target" or "ptx"
    std::string target;              // the GPU of PTX and plans; empty: what the compiler takes
    std::optional<uint32_t> offset;  // in the function that is shown, with what it launches; none: the whole program
};

struct ShownCode {
    std::string failure;  // why there is none; else empty
    std::string text;
    std::vector<uint32_t> lines;  // of the program's text, from 1, that each line comes from; 0: none of them
};

using ShowCode = std::function<ShownCode(const CodeOrder&)>;

}  // namespace tsr::lsp
