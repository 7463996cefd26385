// The language server behind a connection: messages of the browser on its standard input, its answers back.
#pragma once

#include "play/connection.h"
#include "play/server.h"

namespace tsr::play {

// Until the connection or the language server ends.
void serve_language(Connection& connection, const PlayOptions& options);

}  // namespace tsr::play
