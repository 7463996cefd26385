// `tesserac lsp`: the language server. It speaks the Language Server Protocol 3.18 over two file descriptors.
#pragma once

#include <string>
#include <vector>

#include "lsp/workspace.h"

namespace tsr::lsp {

struct ServerOptions {
    int input = 0;
    int output = 1;
    std::string version;
    std::vector<std::string> import_folders;
    Documentation documentation;
    Compiler compiler;
};

// Serves until `exit` or the end of the input. Gives the exit code: 0 where `shutdown` came before, else 1.
int serve(const ServerOptions& options);

}  // namespace tsr::lsp
