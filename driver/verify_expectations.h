// `tesserac check --verify`: the diagnostics a test program is to get stand in its comments, and no others may come.
//
//     y[i] = a + missing
//     #          ^^^^^^^ error[E0301]: missing
//
// A line whose first character is `#` and that holds carets and then `severity[CODE]: text` expects a diagnostic on the
// nearest line above that is not such a line; the carets stand under its range to the column, up to the end of the line
// for a range of several lines; the text is a part of the message. Where carets can not stand, the range is spelled:
//
//     #@LINE:COLUMN-LAST error[E0101]: was never closed
//
// with line and columns counted from 1, both columns included; without `LINE:` it is the nearest line above.
#pragma once

#include <string>
#include <vector>

#include "base/diagnostics.h"

namespace tsr::driver {

// What does not fit, one text each, `file:line: …`: an expectation that no diagnostic met, or a diagnostic of this file
// that nothing expected. Empty when all fits.
std::vector<std::string> verify_expectations(const Diagnostics& diagnostics, const Sources& sources, FileId file);

}  // namespace tsr::driver
