#include "base/sources.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tsr {

namespace {

// No program is larger. What never ends, as `/dev/zero`, must not fill the memory.
constexpr size_t kMostBytes = 64U << 20U;

// `text`: what was read before.
Result<std::string> read_all(FILE* in, const std::string& name, std::string text) {
    char chunk[1 << 16];
    size_t got = 0;
    do {
        got = std::fread(chunk, 1, sizeof chunk, in);
        text.append(chunk, got);
        if (text.size() > kMostBytes) return Failure{fmt::format("'{}' has more than 64 MiB: no program has", name)};
    } while (got == sizeof chunk);
    if (std::ferror(in) != 0) return Failure{fmt::format("can not read '{}': {}", name, std::strerror(errno))};
    return text;
}

// How long a named pipe is waited for whose writer has not come yet.
constexpr int kPatience = 2000;  // milliseconds

// What a pipe gave at once, behind which reading goes on; nothing where nobody writes into it.
std::optional<std::string> begin_pipe(int pipe) {
    pollfd waiting{pipe, POLLIN, 0};
    if (poll(&waiting, 1, kPatience) > 0) return "";
    char byte = 0;
    const ssize_t got = read(pipe, &byte, 1);
    if (got == 0) return std::nullopt;  // the end of a text that nobody began
    return std::string(got > 0 ? 1 : 0, byte);
}

Result<std::string> read_file(const std::string& path) {
    const auto failure = [&](const std::string& why) {
        return Failure{fmt::format("can not read '{}': {}", path, why)};
    };
    // Opened without waiting: a named pipe may have nobody at its other end.
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) return failure(std::strerror(errno));
    std::unique_ptr<FILE, int (*)(FILE*)> in(fdopen(file, "rb"), &std::fclose);
    struct stat info{};
    if (fstat(file, &info) != 0) return failure(std::strerror(errno));
    if (S_ISDIR(info.st_mode)) return Failure{fmt::format("'{}' is a folder, not a file", path)};
    const auto begin = S_ISFIFO(info.st_mode) ? begin_pipe(file) : std::optional<std::string>("");
    if (!begin) return failure("nobody writes into this pipe");
    fcntl(file, F_SETFL, O_RDONLY);
    return read_all(in.get(), path, *begin);
}

}  // namespace

FileId Sources::add(std::string path, std::string text) {
    FileId id(files_.size());
    std::vector<uint32_t> begins{0};
    for (size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\n') begins.push_back(static_cast<uint32_t>(i + 1));
    }
    files_.push_back({std::move(path), std::move(text), std::move(begins), false});
    return id;
}

Result<FileId> Sources::load(const std::string& path) {
    if (auto found = overlays_.find(path); found != overlays_.end()) return add(path, found->second);
    auto text = read_file(path);
    if (!text) {
        looked_for_.push_back(path);
        return Failure{text.message()};
    }
    FileId id = add(path, std::move(text).value());
    files_.back().from_file = true;
    return id;
}

bool Sources::is_file(FileId id) const { return file(id).from_file; }

void Sources::overlay(const std::string& path, std::string text) { overlays_[path] = std::move(text); }

std::string_view Sources::text(FileId id) const { return file(id).text; }

std::string_view Sources::text(Span span) const {
    return std::string_view(file(span.file).text).substr(span.begin, span.end - span.begin);
}

const std::string& Sources::path(FileId id) const { return file(id).path; }

LineColumn Sources::position(FileId id, uint32_t offset) const {
    const File& in = file(id);
    offset = std::min<uint32_t>(offset, static_cast<uint32_t>(in.text.size()));
    auto next = std::ranges::upper_bound(in.line_begins, offset);
    auto number = static_cast<uint32_t>(next - in.line_begins.begin());
    uint32_t column = 1;
    for (uint32_t i = in.line_begins[number - 1]; i < offset; ++i) {
        if ((static_cast<unsigned char>(in.text[i]) & 0xC0U) != 0x80U) ++column;  // not a continuation byte
    }
    return {number, column};
}

std::string_view Sources::line(FileId id, uint32_t number) const {
    const File& in = file(id);
    if (number == 0 || number > in.line_begins.size()) return {};
    uint32_t begin = in.line_begins[number - 1];
    auto rest = std::string_view(in.text).substr(begin);
    rest = rest.substr(0, rest.find('\n'));
    if (rest.ends_with('\r')) rest.remove_suffix(1);
    return rest;
}

uint32_t Sources::line_begin(FileId id, uint32_t number) const { return file(id).line_begins[number - 1]; }

uint32_t Sources::line_count(FileId id) const { return static_cast<uint32_t>(file(id).line_begins.size()); }

}  // namespace tsr
