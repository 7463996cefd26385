#include "driver/cache.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include <doctest/doctest.h>
#include <unistd.h>

#include "driver/code_store.h"
#include "driver/sha256.h"

using namespace tsr;
using namespace tsr::driver;
namespace fs = std::filesystem;

namespace {

void write(const fs::path& path, std::string_view text) { std::ofstream(path, std::ios::binary) << text; }

// A folder with a program that imports another, and a cache folder.
struct Project {
    fs::path folder = fs::temp_directory_path() / ("tesserac-cache-" + std::to_string(::getpid()));
    Options options;

    Project() {
        fs::remove_all(folder);
        fs::create_directories(folder);
        ::setenv("TESSERA_CACHE_DIR", (folder / "cache").c_str(), 1);
        write(folder / "main.tsr", "import layers\n");
        write(folder / "layers.tsr", "x = 1\n");
        options.input = (folder / "main.tsr").string();
    }
    ~Project() {
        fs::remove_all(folder);
        ::unsetenv("TESSERA_CACHE_DIR");
    }
    Project(const Project&) = delete;
    Project& operator=(const Project&) = delete;

    // Does what a compilation does: reads the files, makes the program, remembers it.
    [[nodiscard]] std::string compile() const {
        ProgramCache cache(options);
        Sources sources;
        REQUIRE(sources.load(options.input).ok());
        REQUIRE(!sources.load((folder / "near" / "layers.tsr").string()).ok());
        REQUIRE(sources.load((folder / "layers.tsr").string()).ok());
        auto program = cache.place_for(sources);
        REQUIRE(program.has_value());
        write(*program, "an executable");
        cache.remember(sources, *program);
        return *program;
    }
    [[nodiscard]] std::optional<std::string> find() const { return ProgramCache(options).find(); }
};

}  // namespace

TEST_CASE("SHA-256 of the standard's examples") {
    CHECK(sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    CHECK(sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    CHECK(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
          "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    CHECK(sha256(std::string(1000000, 'a')) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("an unchanged program is found") {
    Project project;
    CHECK(!project.find());
    auto program = project.compile();
    CHECK(project.find() == program);
}

TEST_CASE("a program is not found when something it follows from has changed") {
    Project project;
    auto program = project.compile();
    SUBCASE("its text") { write(project.folder / "main.tsr", "import layers \n"); }
    SUBCASE("a module's text") { write(project.folder / "layers.tsr", "x = 2\n"); }
    SUBCASE("a module is gone") { fs::remove(project.folder / "layers.tsr"); }
    SUBCASE("a module stands where it is looked for first") {
        fs::create_directories(project.folder / "near");
        write(project.folder / "near" / "layers.tsr", "x = 1\n");
    }
    SUBCASE("the options") { project.options.optimization = 0; }
    SUBCASE("the program was removed") { fs::remove(program); }
    SUBCASE("the program was cut") { write(program, "an exe"); }
    CHECK(!project.find());
}

TEST_CASE("code is found under its key, whole or not at all") {
    Project project;
    const fs::path folder = project.folder / "cache" / "code";
    KeptCode kept;
    CHECK(!kept.find("key"));
    kept.keep("key", "code");
    CHECK(kept.find("key") == "code");
    CHECK(KeptCode().find("key") == "code");
    CHECK(!kept.find("another"));
    REQUIRE(std::distance(fs::directory_iterator(folder), {}) == 1);
    const fs::path file = fs::directory_iterator(folder)->path();
    SUBCASE("a file that was cut") { fs::resize_file(file, fs::file_size(file) - 1); }
    SUBCASE("a file that is empty") { fs::resize_file(file, 0); }
    SUBCASE("a file that was changed") { std::ofstream(file, std::ios::app) << "x"; }
    CHECK((fs::file_size(file) == 68 || !kept.find("key")));
    kept.keep("key", "code");
    CHECK(kept.find("key") == "code");
}

TEST_CASE("several threads keep code at once") {
    Project project;
    KeptCode kept;
    const auto code_of = [](int number) { return std::string(50'000, static_cast<char>('a' + number)); };
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i) threads.emplace_back([&, i] { kept.keep("key" + std::to_string(i), code_of(i)); });
    for (std::thread& thread : threads) thread.join();
    for (int i = 0; i < 8; ++i) CHECK(kept.find("key" + std::to_string(i)) == code_of(i));
}

TEST_CASE("code that stands under the name of another is not taken") {
    Project project;
    KeptCode kept;
    kept.keep("one", "code");
    const fs::path first = fs::directory_iterator(project.folder / "cache" / "code")->path();
    kept.keep("other", "other code");
    for (const auto& file : fs::directory_iterator(project.folder / "cache" / "code")) {
        if (file.path() != first) fs::copy_file(first, file, fs::copy_options::overwrite_existing);
    }
    CHECK(kept.find("one") == "code");
    CHECK(!kept.find("other"));
}

TEST_CASE("files used longest ago are dropped beyond the limits") {
    Project project;
    const fs::path folder = project.folder / "cache";
    fs::create_directories(folder / "code");
    for (int i = 0; i < 5; ++i) {
        const fs::path file = folder / std::to_string(i);
        write(file, "0123456789");
        fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::hours(i));
    }
    SUBCASE("of their number") { drop_oldest(folder.string(), 3, 1000); }
    SUBCASE("of their size") { drop_oldest(folder.string(), 100, 35); }
    CHECK(fs::exists(folder / "2"));
    CHECK(!fs::exists(folder / "3"));
    CHECK(!fs::exists(folder / "4"));
    CHECK(fs::is_directory(folder / "code"));
}
