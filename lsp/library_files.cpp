#include "lsp/library_files.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>

#include <fmt/format.h>
#include <unistd.h>

#include "sema/builtins/library.h"

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

// Written beside it and renamed: another server may make the same file.
bool write_whole(const std::filesystem::path& path, std::string_view text, std::filesystem::perms mode) {
    std::error_code error;
    std::filesystem::create_directories(path.parent_path(), error);
    const std::filesystem::path fresh = path.string() + fmt::format(".{}", ::getpid());
    {
        std::ofstream out(fresh, std::ios::binary);
        out.write(text.data(), static_cast<std::streamsize>(text.size()));
        if (!out) return false;
    }
    std::filesystem::permissions(fresh, mode, error);
    std::filesystem::rename(fresh, path, error);
    return !error;
}

constexpr auto kReadable =
    std::filesystem::perms::owner_read | std::filesystem::perms::group_read | std::filesystem::perms::others_read;

}  // namespace

// Another compiler's text of the same file has a folder of its own.
std::string readable_copy(const std::string& path, std::string_view text) {
    const std::filesystem::path cache = cache_folder();
    if (cache.empty()) return path;
    const std::string version = fmt::format("{:016x}", std::hash<std::string_view>{}(text));
    const std::filesystem::path copy = cache / "library" / version / std::filesystem::path(path).filename();
    std::error_code error;
    if (std::filesystem::exists(copy, error)) return copy;
    return write_whole(copy, text, kReadable) ? copy.string() : path;
}

std::string library_uri(std::string_view path) { return fmt::format("{}:/{}", kLibraryScheme, path); }

std::optional<std::string_view> library_text(std::string_view uri) {
    const std::string_view name = uri.substr(uri.rfind('/') + 1);
    const sema::LibraryFile* file = sema::library_file(name.substr(0, name.rfind('.')));
    if (!file) return std::nullopt;
    // An editor may write the empty authority, too.
    const bool ours =
        uri == library_uri(fmt::format("stdlib/{}", name)) || uri == library_uri(fmt::format("//stdlib/{}", name));
    return ours ? std::optional(file->text) : std::nullopt;
}

std::string cached_file(const std::string& folder, const std::string& name, std::string_view text) {
    const std::filesystem::path cache = cache_folder();
    const std::filesystem::path path = cache / folder / name;
    const bool written = !cache.empty() && write_whole(path, text, kReadable | std::filesystem::perms::owner_write);
    return written ? path.string() : "";
}

}  // namespace tsr::lsp
