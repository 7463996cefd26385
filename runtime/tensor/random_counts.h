// How often each random operation of the program has run: what its next numbers depend on, beside the seed.
#pragma once

#include <string>
#include <string_view>

namespace tsr::runtime {

// As text, "SITE:COUNT SITE:COUNT …" by rising site; empty where none has run.
std::string random_counts();
// Takes such a text; false where it is none, then nothing is changed.
bool set_random_counts(std::string_view text);

}  // namespace tsr::runtime
