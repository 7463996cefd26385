// Every program of this folder gets exactly the diagnostics that its comments expect.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>

#include "base/diagnostics.h"
#include "driver/verify_expectations.h"
#include "frontend/parse.h"
#include "sema/program.h"

using namespace tsr;

namespace {

std::vector<std::string> programs() {
    std::vector<std::string> paths;
    for (const auto& entry : std::filesystem::directory_iterator(TSR_SEMA_PROGRAMS)) {
        if (entry.path().extension() == ".tsr") paths.push_back(entry.path().string());
    }
    std::ranges::sort(paths);
    return paths;
}

}  // namespace

TEST_CASE("programs get the diagnostics that they expect") {
    REQUIRE(programs().size() > 20);
    for (const std::string& path : programs()) {
        INFO(path);
        Sources sources;
        auto file = sources.load(path);
        REQUIRE(file.ok());
        Diagnostics diagnostics;
        auto tree = parse(file.value(), sources, diagnostics);
        sema::CheckOptions options;
        options.import_folders = {std::string(TSR_SEMA_PROGRAMS) + "/modules"};
        sema::Program program = sema::check(*tree, sources, options, diagnostics);
        std::string mismatches;
        for (const std::string& line : driver::verify_expectations(diagnostics, sources, file.value())) mismatches += line + "\n";
        CHECK_MESSAGE(mismatches.empty(), mismatches);
    }
}
