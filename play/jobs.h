// What the page asks the compiler for: to run a program, and to show what it becomes.
#pragma once

#include <string>

#include "play/connection.h"
#include "play/results.h"
#include "play/server.h"

namespace tsr::play {

// How programs are called, and where they run.
struct Place {
    std::string name;    // of the program's file, for messages
    std::string folder;  // that programs run in
};

// Takes orders until the connection ends, one job at a time; a new order ends the job before. An order is an object:
//   {"do": "run" | "interpret" | "sanitize", "text": …, "arguments": […]}
//   {"do": "show", "text": …, "level": "graph" | "schedule" | "tile" | "target" | "llvm" | "asm" | "ptx" | "explain"}
//   {"do": "stop"}
//   {"do": "save", "text": …}      where the page shows a file
// What it gets:
//   {"is": "begun", "path": …}     the folder in the names of files in messages
//   {"is": "out" | "err", "text": …}
//   {"is": "result", "id": …, "name": …, "bytes": …}
//   {"is": "ended", "code": …, "seconds": …, "why": "" | "time" | "output" | "stopped"}
//   {"is": "saved"}, {"is": "refused", "text": …}
void serve_jobs(Connection& connection, const PlayOptions& options, const Place& place, Results& results);

}  // namespace tsr::play
