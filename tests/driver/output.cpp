#include "driver/output.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include <doctest/doctest.h>
#include <unistd.h>

using namespace tsr::driver;
namespace fs = std::filesystem;

namespace {

// A folder of its own for one test, removed at its end.
struct Folder {
    fs::path path = fs::temp_directory_path() / ("tesserac-output-" + std::to_string(::getpid()));
    Folder() { fs::create_directories(path); }
    ~Folder() { fs::remove_all(path); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    [[nodiscard]] std::string operator/(const char* name) const { return (path / name).string(); }
    [[nodiscard]] long entries() const { return std::distance(fs::directory_iterator(path), fs::directory_iterator()); }
};

std::string text_of(const std::string& path) {
    std::ostringstream out;
    out << std::ifstream(path, std::ios::binary).rdbuf();
    return out.str();
}

}  // namespace

TEST_CASE("an output replaces what was there and leaves nothing else") {
    Folder folder;
    CHECK(write_output(folder / "out", "one", FileKind::data).empty());
    CHECK(write_output(folder / "out", "two", FileKind::executable).empty());
    CHECK(text_of(folder / "out") == "two");
    CHECK(::access((folder / "out").c_str(), X_OK) == 0);
    CHECK(folder.entries() == 1);
}

TEST_CASE("an output that can not be written says why and leaves nothing") {
    Folder folder;
    CHECK(write_output(folder / "no/such/out", "x", FileKind::data).ends_with("No such file or directory"));
    CHECK(write_output(folder.path.string(), "x", FileKind::data).ends_with("it is a folder"));
    CHECK(write_output("/dev/full", "x", FileKind::data) == "can not write '/dev/full': No space left on device");
    CHECK(folder.entries() == 0);
}
