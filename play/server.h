// `tesserac play`: a page on this machine to write, check, run and look into programs.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tsr::play {

struct PlayOptions {
    std::string compiler;  // the path of its executable
    std::string version;
    std::string program;  // the file that the page shows and saves; empty: none
    std::vector<std::string> import_folders;
    uint16_t port = 0;                 // 0: one that is free
    std::vector<std::string> origins;  // of other pages that the language server answers
    int time_limit = 60;               // seconds of a run; 0: none
    // Writes a file whole or not at all. Gives an empty text, or what went wrong.
    std::function<std::string(const std::string& path, std::string_view bytes)> write;
    size_t memory_limit = 0;  // bytes of a run; 0: none
};

// Serves until SIGINT or SIGTERM. Gives the exit code: 0, or 1 after it has said on standard error what is wrong.
int serve(const PlayOptions& options);

}  // namespace tsr::play
