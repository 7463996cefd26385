// Delta debugging (Zeller, Hildebrandt: "Simplifying and Isolating Failure-Inducing Input", 2002) on the syntax tree:
// statements of a block go together, halves before quarters, outer blocks before inner ones.
#pragma once

#include <functional>
#include <string>

namespace tsr::driver {

// The smallest program that was found. `shows` says of a program whether it still has what is looked for; it is asked
// no text twice. It ends the search by saying no to everything.
std::string reduced(std::string program, const std::function<bool(const std::string&)>& shows);

}  // namespace tsr::driver
