#include "lsp/message_stream.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <string_view>

#include <fmt/format.h>
#include <unistd.h>

namespace tsr::lsp {

namespace {

constexpr size_t kLongestContent = 256U << 20U;
constexpr size_t kLongestHeader = 1U << 16U;

bool same_letters(std::string_view one, std::string_view other) {
    return std::ranges::equal(one, other, [](char a, char b) {
        return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
    });
}

// The length that a header names; nothing where it is another header or says no number.
std::optional<size_t> length_in(std::string_view header) {
    const size_t colon = header.find(':');
    if (colon == std::string_view::npos || !same_letters(header.substr(0, colon), "Content-Length"))
        return std::nullopt;
    std::string_view value = header.substr(colon + 1);
    while (value.starts_with(' ')) value.remove_prefix(1);
    while (value.ends_with(' ')) value.remove_suffix(1);
    size_t length = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), length);
    const bool whole = error == std::errc() && end == value.data() + value.size();
    return whole && length <= kLongestContent ? std::optional(length) : std::nullopt;
}

}  // namespace

bool MessageReader::fill() {
    buffer_.erase(0, at_);
    at_ = 0;
    char piece[1 << 16];
    while (true) {
        const ssize_t got = ::read(file_, piece, sizeof piece);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        buffer_.append(piece, static_cast<size_t>(got));
        return true;
    }
}

// Without its end. A line that is too long for a header is given in pieces.
std::optional<std::string> MessageReader::line() {
    while (true) {
        const size_t end = buffer_.find('\n', at_);
        if (end == std::string::npos && buffer_.size() - at_ < kLongestHeader) {
            if (!fill()) return std::nullopt;
            continue;
        }
        std::string found = buffer_.substr(at_, std::min(end, at_ + kLongestHeader) - at_);
        at_ = end == std::string::npos ? at_ + kLongestHeader : end + 1;
        if (found.ends_with('\r')) found.pop_back();
        return found;
    }
}

std::optional<std::string> MessageReader::content(size_t length) {
    while (buffer_.size() - at_ < length) {
        if (!fill()) return std::nullopt;
    }
    std::string found = buffer_.substr(at_, length);
    at_ += length;
    return found;
}

std::optional<std::string> MessageReader::next() {
    std::optional<size_t> length;
    while (const auto header = line()) {
        if (!header->empty()) {
            if (const auto found = length_in(*header)) length = found;
            continue;
        }
        if (length) return content(*length);
    }
    return std::nullopt;
}

void MessageWriter::write(const std::string& content) {
    const std::string all = fmt::format("Content-Length: {}\r\n\r\n{}", content.size(), content);
    const std::lock_guard lock(mutex_);
    for (size_t done = 0; done < all.size() && !failed_;) {
        const ssize_t put = ::write(file_, all.data() + done, all.size() - done);
        if (put < 0 && errno == EINTR) continue;
        failed_ = put <= 0;
        if (!failed_) done += static_cast<size_t>(put);
    }
}

bool MessageWriter::failed() {
    const std::lock_guard lock(mutex_);
    return failed_;
}

}  // namespace tsr::lsp
