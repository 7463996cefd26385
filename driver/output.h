// Results leave the compiler whole or not at all.
#pragma once

#include <string>
#include <string_view>

namespace tsr::driver {

enum class FileKind { data, executable };

// Writes `bytes` to a temporary file beside `path` and renames it, so that nobody sees half of it; "-" is standard
// output, and what is no regular file (a pipe, a device) is written in place. Gives an empty text, or what went wrong.
std::string write_output(const std::string& path, std::string_view bytes, FileKind kind);

// False for pipes, devices and folders.
bool is_regular_or_new(const std::string& path);

// A name in TMPDIR (else /tmp) that only this process uses.
std::string scratch_file(std::string_view purpose);

// Writes to standard output, to the last byte. Gives an empty text, or what went wrong.
std::string write_stdout(std::string_view bytes);

// A name for a file that will be renamed to `path`: in the same folder, hidden, of this process alone.
std::string temporary_name(const std::string& path);

// Moves a finished temporary file to its place; removes it when that fails. Gives an empty text, or what went wrong.
std::string put_in_place(const std::string& temporary, const std::string& path);

}  // namespace tsr::driver
