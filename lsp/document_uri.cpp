#include "lsp/document_uri.h"

#include <cctype>

#include <fmt/format.h>

namespace tsr::lsp {

namespace {

int digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

std::string decoded(std::string_view text) {
    std::string out;
    for (size_t i = 0; i < text.size(); ++i) {
        const bool coded = text[i] == '%' && i + 2 < text.size() && digit(text[i + 1]) >= 0 && digit(text[i + 2]) >= 0;
        out += coded ? static_cast<char>(digit(text[i + 1]) * 16 + digit(text[i + 2])) : text[i];
        if (coded) i += 2;
    }
    return out;
}

}  // namespace

std::string path_of(std::string_view uri) {
    constexpr std::string_view kScheme = "file://";
    if (!uri.starts_with(kScheme)) return std::string(uri);
    const size_t slash = uri.find('/', kScheme.size());  // behind the host, which is empty or "localhost"
    if (slash == std::string_view::npos) return std::string(uri);
    return decoded(uri.substr(slash));
}

std::string uri_of(std::string_view path) {
    if (!path.starts_with('/')) return std::string(path);
    std::string out = "file://";
    for (const char c : path) {
        const auto byte = static_cast<unsigned char>(c);
        const bool plain = std::isalnum(byte) != 0 || std::string_view("/-._~").find(c) != std::string_view::npos;
        out += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
    }
    return out;
}

}  // namespace tsr::lsp
