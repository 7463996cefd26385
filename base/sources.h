// The texts that a run of the compiler reads: files, overlays of unsaved buffers, and the embedded standard library.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "base/span.h"

namespace tsr {

// A position as people read it: both count from 1, the column in code points.
struct LineColumn {
    uint32_t line = 1;
    uint32_t column = 1;
};

class Sources {
public:
    // Adds a text under a name; a second text of the same name replaces nothing and gets an id of its own.
    FileId add(std::string path, std::string text);

    // The file's text, an overlay of it if there is one. Fails with one message when it can not be read.
    Result<FileId> load(const std::string& path);

    // An unsaved buffer that stands for the file of this path from now on.
    void overlay(const std::string& path, std::string text);

    // How many texts there are; their ids count from 0.
    [[nodiscard]] size_t count() const { return files_.size(); }
    // True for a text that `load` read from a file; false for an added text or an overlay.
    [[nodiscard]] bool is_file(FileId file) const;
    // The paths that `load` could not read.
    [[nodiscard]] const std::vector<std::string>& looked_for() const { return looked_for_; }

    [[nodiscard]] std::string_view text(FileId file) const;
    [[nodiscard]] std::string_view text(Span span) const;
    [[nodiscard]] const std::string& path(FileId file) const;

    [[nodiscard]] LineColumn position(FileId file, uint32_t offset) const;
    // The line without its end of line. Lines count from 1.
    [[nodiscard]] std::string_view line(FileId file, uint32_t line) const;
    // Byte offset of the first character of a line.
    [[nodiscard]] uint32_t line_begin(FileId file, uint32_t line) const;
    [[nodiscard]] uint32_t line_count(FileId file) const;

private:
    struct File {
        std::string path;
        std::string text;
        std::vector<uint32_t> line_begins;
        bool from_file = false;
    };
    [[nodiscard]] const File& file(FileId id) const { return files_[id.index]; }

    std::deque<File> files_;
    std::unordered_map<std::string, std::string> overlays_;
    std::vector<std::string> looked_for_;
};

}  // namespace tsr
