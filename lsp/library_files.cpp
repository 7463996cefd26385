#include "lsp/library_files.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>

#include <fmt/format.h>
#include <unistd.h>

namespace tsr::lsp {

namespace {

std::filesystem::path cache_folder() {
    for (const char* variable : {"TESSERA_CACHE_DIR", "XDG_CACHE_HOME"}) {
        if (const char* folder = std::getenv(variable); folder != nullptr && *folder == '/') {
            return std::string_view(variable) == "XDG_CACHE_HOME" ? std::filesystem::path(folder) / "tesserac" : folder;
        }
    }
    const char* home = std::getenv("HOME");
    return home != nullptr && *home == '/' ? std::filesystem::path(home) / ".cache/tesserac" : "";
}

}  // namespace

// Another compiler's text of the same file has a folder of its own.
std::string readable_copy(const std::string& path, std::string_view text) {
    const std::filesystem::path cache = cache_folder();
    if (cache.empty()) return path;
    const std::string version = fmt::format("{:016x}", std::hash<std::string_view>{}(text));
    const std::filesystem::path copy = cache / "library" / version / std::filesystem::path(path).filename();
    std::error_code error;
    if (std::filesystem::exists(copy, error)) return copy;
    std::filesystem::create_directories(copy.parent_path(), error);
    // Written beside it and renamed: another server may make the same copy.
    const std::filesystem::path fresh = copy.string() + fmt::format(".{}", ::getpid());
    {
        std::ofstream out(fresh, std::ios::binary);
        out.write(text.data(), static_cast<std::streamsize>(text.size()));
        if (!out) return path;
    }
    using std::filesystem::perms;
    std::filesystem::permissions(fresh, perms::owner_read | perms::group_read | perms::others_read, error);
    std::filesystem::rename(fresh, copy, error);
    return error ? path : copy.string();
}

}  // namespace tsr::lsp
