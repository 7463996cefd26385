// The tables of the generated lexer and parser: ready when a text is read, not when the process starts.
#pragma once

namespace tsr {

// The lexer, through which every text comes, calls this first.
void initialize_parser();

}  // namespace tsr
