// ANTLR's own tables of the grammar: ready at the first mistake in a program, not when the process starts.
#pragma once

namespace tsr {

// Whoever asks the grammar what can stand at some place calls this first.
void initialize_parser();

}  // namespace tsr
