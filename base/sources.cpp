#include "base/sources.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include <fmt/core.h>
#include <sys/stat.h>

namespace tsr {

namespace {

// No program is larger. What never ends, as `/dev/zero`, must not fill the memory.
constexpr size_t kMostBytes = 64U << 20U;

Result<std::string> read_all(FILE* in, const std::string& name) {
    std::string text;
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

Result<std::string> read_file(const std::string& path) {
    struct stat info{};
    if (stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) {
        return Failure{fmt::format("'{}' is a folder, not a file", path)};
    }
    std::unique_ptr<FILE, int (*)(FILE*)> in(std::fopen(path.c_str(), "rb"), &std::fclose);
    if (!in) return Failure{fmt::format("can not read '{}': {}", path, std::strerror(errno))};
    return read_all(in.get(), path);
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
