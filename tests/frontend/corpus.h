// The programs that the front end must read without a word: the seed documents' blocks and one of every construct.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "base/sources.h"
#include "frontend/format.h"
#include "frontend/parse.h"

namespace tsr::test {

struct Program {
    std::string name;
    std::string text;
};

inline std::vector<Program> corpus() {
    std::vector<std::filesystem::path> paths;
    for (const char* folder : {"corpus", "seeds"}) {
        for (const auto& entry : std::filesystem::directory_iterator(std::string(TSR_FRONTEND_TESTS "/") + folder)) {
            if (entry.path().extension() == ".tsr") paths.push_back(entry.path());
        }
    }
    std::ranges::sort(paths);
    std::vector<Program> out;
    for (const auto& path : paths) {
        std::ifstream in(path, std::ios::binary);
        out.push_back({path.filename(), {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()}});
    }
    return out;
}

// A text and what became of it.
struct Parsed {
    explicit Parsed(std::string text) {
        file = sources.add("t.tsr", std::move(text));
        module = parse(file, sources, diagnostics);
    }

    [[nodiscard]] std::string outline() const { return tsr::outline(*module); }
    [[nodiscard]] std::string format() const { return tsr::format(*module, sources); }
    [[nodiscard]] std::string messages() const { return render(diagnostics, sources, {}); }

    Sources sources;
    Diagnostics diagnostics;
    FileId file;
    std::unique_ptr<ast::Module> module;
};

}  // namespace tsr::test
