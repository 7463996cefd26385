// The header of a .npy file: a Python dictionary in text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/result.h"

namespace tsr::runtime {

struct NpyHeader {
    std::string descr;
    bool fortran_order = false;
    std::vector<int64_t> shape;
};

Result<NpyHeader> parse_npy_header(std::string_view text);

}  // namespace tsr::runtime
