// IR text to a module, in tests.
#pragma once

#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "ir/text/parse_text.h"
#include "ir/text/print.h"
#include "ir/verify/verify.h"

namespace tsr::ir {

inline Module read(std::string_view text) {
    Result<Module> module = parse_text(text);
    if (!module) FAIL(module.message());
    return std::move(module).value();
}

// What `verify` says of it, one message per line.
inline std::string faults(const Function& function) {
    std::string all;
    for (const std::string& message : verify(function)) all += message + "\n";
    return all;
}
inline std::string faults(const std::string& text) {
    std::string all;
    for (const std::string& message : verify(read(text))) all += message + "\n";
    return all;
}

}  // namespace tsr::ir
