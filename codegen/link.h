// Object files to an executable or a shared library, by LLD in this process.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace tsr::codegen {

struct LinkOptions {
    std::string resources;              // the folder of start files and archives: `resource_folder()`
    std::vector<std::string> archives;  // more of them, such as the runtime's where it is not in `resources`
    bool shared = false;                // a shared library: what the objects offer is seen, the runtime in it is not
    bool runtime = true;                // false: what loads the library has the runtime
    bool debug = false;                 // keep symbols and debug information
};

// Where this executable is installed `../lib/tesserac` beside it, else `lib/tessera` in its own folder.
std::string resource_folder();

// `objects` are the files' contents. An executable gets `main` from libtessera_rt.a of the resources.
// Gives the bytes of the executable or library. Calls wait for each other: LLD links one thing at a time.
Result<std::string> link(const std::vector<std::string>& objects, const LinkOptions& options);

}  // namespace tsr::codegen
