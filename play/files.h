// Files that the compiler carries: the page, and the samples that it opens.
#pragma once

#include <span>
#include <string_view>

namespace tsr::play {

struct File {
    std::string_view name;  // "samples/saxpy.tsr", "index.html"
    std::string_view content;
};

std::span<const File> page_files();
std::span<const File> sample_files();

}  // namespace tsr::play
