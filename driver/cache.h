// Compiled programs, kept under the content they were made from.
//
// Two kinds of file in one folder: `KEY.inputs` lists what a compilation read (each file with its digest, and each
// place where an import was looked for and not found), for one program under one set of options; `KEY.program` is the
// executable. A program is taken from the cache when every listed file still has its digest and nothing has appeared
// where nothing was. Beside them stand what ptxas made (`KEY.cubin`) and two folders: `code` (driver/code_store.h) and
// `tuning`, the runtime's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/sources.h"
#include "driver/options.h"

namespace tsr::driver {

// TESSERA_CACHE_DIR, else XDG_CACHE_HOME/tesserac, else HOME/.cache/tesserac; empty: there is none.
std::string cache_folder();
// What is wrong with TESSERA_CACHE_DIR; empty: nothing.
std::string check_cache_folder();

// Removes the files of a folder that were used longest ago, until what is left is within the limits. Others may do the
// same at the same time.
void drop_oldest(const std::string& folder, size_t most_files, uintmax_t most_bytes);

class ProgramCache {
public:
    // The folder is made when needed.
    explicit ProgramCache(const Options& options);

    // The executable made from exactly what the files hold now.
    [[nodiscard]] std::optional<std::string> find() const;

    // Where to put the executable made from these sources; nothing when there is no folder to write to.
    [[nodiscard]] std::optional<std::string> place_for(const Sources& sources) const;

    // Remembers that the program at `program` was made from `sources`, and drops the oldest programs beyond the limits.
    void remember(const Sources& sources, const std::string& program) const;

private:
    std::string folder_;  // empty: no cache
    std::string inputs_;  // the list's file
    std::string compiler_and_options_;
};

}  // namespace tsr::driver
