#include "play/http.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace tsr::play {

namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string in_lower_case(std::string_view text) {
    std::string made(text);
    std::ranges::transform(made, made.begin(), lower);
    return made;
}

// Characters of methods and of headers' names (RFC 9110, 5.6.2).
bool is_token(std::string_view text) {
    constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
    return !text.empty() && std::ranges::all_of(text, [&](char c) {
        const char small = lower(c);
        return (small >= 'a' && small <= 'z') || (c >= '0' && c <= '9') || kMarks.find(c) != std::string_view::npos;
    });
}

bool is_visible(char c) { return c > ' ' && c < 127; }

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
    return text;
}

// The text before a mark, which both leave `rest`; nothing where the mark is not there.
std::optional<std::string_view> cut(std::string_view& rest, std::string_view mark) {
    const size_t at = rest.find(mark);
    if (at == std::string_view::npos) return std::nullopt;
    const std::string_view before = rest.substr(0, at);
    rest.remove_prefix(at + mark.size());
    return before;
}

constexpr std::array<std::pair<int, std::string_view>, 8> kReasons{{{200, "OK"},
                                                                    {400, "Bad Request"},
                                                                    {403, "Forbidden"},
                                                                    {404, "Not Found"},
                                                                    {405, "Method Not Allowed"},
                                                                    {408, "Request Timeout"},
                                                                    {431, "Request Header Fields Too Large"},
                                                                    {503, "Service Unavailable"}}};

constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kTypes{
    {{".html", "text/html; charset=utf-8"},
     {".css", "text/css; charset=utf-8"},
     {".js", "text/javascript; charset=utf-8"},
     {".json", "application/json"},
     {".svg", "image/svg+xml"},
     {".png", "image/png"},
     {".csv", "text/csv; charset=utf-8"},
     {".txt", "text/plain; charset=utf-8"}}};

}  // namespace

const std::string& Request::header(const std::string& name) const {
    static const std::string none;
    const auto found = headers.find(name);
    return found == headers.end() ? none : found->second;
}

bool Request::header_has(const std::string& name, std::string_view word) const {
    const std::string list = in_lower_case(header(name)) + ",";
    std::string_view rest = list;
    while (const auto one = cut(rest, ",")) {
        if (trimmed(*one) == word) return true;
    }
    return false;
}

Result<Request> parse_request(std::string_view head) {
    Request request;
    const auto line = cut(head, "\r\n");
    if (!line) return Failure{"a request begins with a line"};
    std::string_view rest = *line;
    const auto method = cut(rest, " ");
    const auto target = cut(rest, " ");
    if (!method || !target || !is_token(*method) || (rest != "HTTP/1.1" && rest != "HTTP/1.0"))
        return Failure{"the first line is not METHOD PATH HTTP/1.1"};
    if (!target->starts_with('/') || !std::ranges::all_of(*target, is_visible))
        return Failure{"the path does not begin with `/`"};
    request.method = *method;
    request.path = target->substr(0, target->find('?'));
    while (const auto header = cut(head, "\r\n")) {
        if (header->empty()) break;
        std::string_view value = *header;
        const auto name = cut(value, ":");
        if (!name || !is_token(*name)) return Failure{"a header is not NAME: VALUE"};
        if (std::ranges::any_of(value, [](char c) { return (c >= 0 && c < ' ' && c != '\t') || c == 127; }))
            return Failure{"a header holds a control character"};
        if (!request.headers.emplace(in_lower_case(*name), trimmed(value)).second)
            return Failure{"a header stands there twice"};
    }
    const std::string& length = request.header("content-length");
    if (!(length.empty() || length == "0") || !request.header("transfer-encoding").empty())
        return Failure{"the request has a body"};
    return request;
}

std::string answer(int status, std::string_view type, std::string_view body) {
    const auto* reason = std::ranges::find(kReasons, status, &std::pair<int, std::string_view>::first);
    // Nothing is loaded from elsewhere, nobody else shows the page or reads what it shows.
    return fmt::format(
        "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\nCache-Control: no-store\r\n"
        "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
        "connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'\r\n"
        "Cross-Origin-Resource-Policy: same-origin\r\nReferrer-Policy: no-referrer\r\n"
        "X-Content-Type-Options: nosniff\r\n\r\n{}",
        status, reason == kReasons.end() ? "" : reason->second, type, body.size(), body);
}

std::string refusal(int status, std::string_view why) {
    return answer(status, "text/plain; charset=utf-8", fmt::format("{}\n", why));
}

std::string_view content_type(std::string_view name) {
    for (const auto& [ending, type] : kTypes) {
        if (name.ends_with(ending)) return type;
    }
    return "application/octet-stream";
}

}  // namespace tsr::play
