// Requests of HTTP/1.1 and their answers: what a page of this machine needs, and nothing more.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/result.h"

namespace tsr::play {

inline constexpr size_t kLongestHead = 16 << 10;

struct Request {
    std::string method;
    std::string path;                            // without `?…`; nothing is decoded
    std::map<std::string, std::string> headers;  // by names in lower case

    // Empty where there is none.
    [[nodiscard]] const std::string& header(const std::string& name) const;
    // Whether a header that is a list, `keep-alive, Upgrade`, has this word, in any case.
    [[nodiscard]] bool header_has(const std::string& name, std::string_view word) const;
};

// A request's lines with the empty one at their end. A request that has a body is refused: none of ours has one.
Result<Request> parse_request(std::string_view head);

// A whole answer, after which the connection is closed.
std::string answer(int status, std::string_view type, std::string_view body);
// One that says in a line what is wrong.
std::string refusal(int status, std::string_view why);

// "image/svg+xml" of "loss.svg".
std::string_view content_type(std::string_view name);

}  // namespace tsr::play
