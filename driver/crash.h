// What is left behind when the compiler itself fails: a folder from which the failure can be replayed.
//
// The folder holds `what` (the error and the version), `source/` (the texts read so far), `last.ir` (the IR before the
// step that failed, if there was one) and `replay` (a script that runs the same command on the copies).
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tsr::driver {

inline constexpr int kInternalError = 70;

// From now on a fatal signal writes the folder, names it on standard error and ends the process with code 70.
// `arguments` without the program's name; `input` is the one among them that is the program, if any.
void watch_for_crashes(std::span<const std::string> arguments, std::string_view input);

// A text that was read. It must live as long as the process.
void note_source(std::string_view path, std::string_view text);

// The IR before the step that runs next. The text is copied.
void note_ir(std::string_view step, std::string text);

// Writes the folder for an error that was noticed, names it on standard error; gives the exit code.
int report_internal_error(std::string_view what);

}  // namespace tsr::driver
