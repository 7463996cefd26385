// Files: results leave the compiler whole or not at all.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tsr::driver {

enum class FileKind { data, executable };

// Writes `bytes` to a temporary file beside `path` and renames it, so that nobody sees half of it; "-" is standard
// output, and what is no regular file (a pipe, a device) is written in place. A file that was there keeps its rights.
// Gives an empty text, or what went wrong.
std::string write_output(const std::string& path, std::string_view bytes, FileKind kind);

// What the file holds; nothing where it cannot be read.
std::optional<std::string> content(const std::string& path);

// Writes to an open file, to the last byte. Gives 0, or the error that stopped it.
int write_all(int file, std::string_view bytes);

// Writes to standard output, to the last byte. Gives an empty text, or what went wrong.
std::string write_stdout(std::string_view bytes);

}  // namespace tsr::driver
