// Files of the standard library and pages of diagnostics are carried inside the compiler. An editor that shall show one
// reads a copy of it, or asks the server for its text.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tsr::lsp {

// The path of a read-only copy in the user's cache folder, made where it is not there yet. `path`: as `Sources` has it,
// "stdlib/losses.tsr". Without a cache folder that can be written this is `path` itself.
std::string readable_copy(const std::string& path, std::string_view text);

// The URI of a file of the standard library in the server itself, "tessera:/stdlib/losses.tsr".
inline constexpr const char* kLibraryScheme = "tessera";
std::string library_uri(std::string_view path);
// The text behind such a URI; nothing where it is none.
std::optional<std::string_view> library_text(std::string_view uri);

// The path of a file in a folder below the user's cache folder, written anew; empty where that fails.
std::string cached_file(const std::string& folder, const std::string& name, std::string_view text);

}  // namespace tsr::lsp
