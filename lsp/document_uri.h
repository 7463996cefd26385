// `file:` URIs (RFC 8089) and paths.
#pragma once

#include <string>
#include <string_view>

namespace tsr::lsp {

// The path of a `file:` URI; the URI itself where it names no file, as an editor's unsaved "untitled:Untitled-1" does.
std::string path_of(std::string_view uri);
std::string uri_of(std::string_view path);

}  // namespace tsr::lsp
