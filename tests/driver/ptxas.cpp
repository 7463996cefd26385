// NVIDIA's assembler behind the compiler: cubins, what it finds slow, what it refuses. Without one nothing is tried.
#include "driver/ptxas.h"

#include <cstdlib>
#include <filesystem>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "driver/cache.h"
#include "driver/subprocess.h"

using namespace tsr::driver;

namespace {

// A kernel that holds `values` numbers over a barrier, with at most 24 registers.
std::string kernel(int values) {
    std::string text = fmt::format(
        ".version 8.1\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p)\n.maxnreg 24\n{{\n"
        ".reg .b64 %a;\n.reg .b32 %v<{}>;\nld.param.u64 %a, [p];\n",
        values);
    for (int i = 0; i < values; ++i) text += fmt::format("ld.volatile.global.b32 %v{}, [%a+{}];\n", i, 4 * i);
    text += "bar.sync 0;\n";
    for (int i = values; i-- > 0;) text += fmt::format("st.volatile.global.b32 [%a+{}], %v{};\n", 4 * i, i);
    return text + "ret;\n}\n";
}

// A cache of the test's own.
struct OwnCache {
    TemporaryFolder folder;
    OwnCache() { ::setenv("TESSERA_CACHE_DIR", folder.file("cache").c_str(), 1); }
    ~OwnCache() { ::unsetenv("TESSERA_CACHE_DIR"); }
    OwnCache(const OwnCache&) = delete;
    OwnCache& operator=(const OwnCache&) = delete;
    [[nodiscard]] long files() const {
        std::error_code none;
        return std::distance(std::filesystem::directory_iterator(cache_folder(), none), {});
    }
};

}  // namespace

TEST_CASE("PTX is assembled once and kept") {
    OwnCache cache;
    Ptxas ptxas;
    if (!ptxas.found()) {
        MESSAGE("skipped: ptxas is not installed");
        return;
    }
    auto first = ptxas.assemble(kernel(4), "sm_80");
    REQUIRE_MESSAGE(first.ok(), first.message());
    CHECK(first.value().substr(1, 3) == "ELF");
    CHECK(cache.files() == 1);
    auto again = ptxas.assemble(kernel(4), "sm_80");
    CHECK(again.value() == first.value());
    CHECK(cache.files() == 1);
    CHECK(ptxas.assemble(kernel(4), "sm_90").value() != first.value());
    CHECK(cache.files() == 2);
    CHECK(ptxas.remarks().empty());
}

TEST_CASE("registers that went to memory are told each time") {
    OwnCache cache;
    Ptxas ptxas;
    if (!ptxas.found()) return;
    for (size_t times = 1; times <= 2; ++times) {
        REQUIRE(ptxas.assemble(kernel(64), "sm_80").ok());
        REQUIRE(ptxas.remarks().size() == times);
        CHECK(ptxas.remarks().back().find("sm_80: ") == 0);
        CHECK(ptxas.remarks().back().find("bytes spill stores") != std::string::npos);
    }
}

TEST_CASE("what ptxas refuses comes with its words") {
    OwnCache cache;
    Ptxas ptxas;
    if (!ptxas.found()) return;
    auto wrong = ptxas.assemble(".version 8.1\n.target sm_80\n.address_size 64\nnonsense\n", "sm_80");
    REQUIRE(!wrong.ok());
    CHECK(wrong.message().find("ptxas for sm_80: ") == 0);
    CHECK(wrong.message().find("nonsense") != std::string::npos);
    CHECK(cache.files() == 0);
}
