// How tensors are stored in fewer bits beside scales: block formats (`@block_scale`, `mxfp8`, `nvfp4`, …) and the
// precision policies of programs (language reference, section 3, "Numerics as types").
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/dtype.h"

namespace tsr::sema {

enum class Builtin : uint16_t;

struct StoredForm {
    enum class Rule : uint8_t {
        own,    // what the program's class says
        mx,     // OCP Microscaling 1.0: a power of two for each block
        nvfp4,  // a scale for each block and one for the tensor
    };
    Rule rule = Rule::own;
    DType storage = DType::i8;
    DType scale = DType::f32;
    DType compute = DType::f32;     // what is quantized, and what values are read as
    DType accumulate = DType::f32;  // of products
    std::optional<int64_t> block;   // so many elements share a scale; nothing: all of them
    int64_t axis = -1;              // along which blocks lie, counted from the last one

    bool operator==(const StoredForm&) const = default;
};

std::string_view text(StoredForm::Rule rule);  // "mx"
// `mxfp8`, or as it is declared: `fp8_e4m3 @block_scale(32, e8m0, axis=-2)`.
std::string name_of(const StoredForm& form);
// The rule for blocks of n elements with scales of a type; nothing where there is none.
std::optional<StoredForm::Rule> block_rule(DType storage, int64_t n, DType scale);
// Of `mxfp8` and its kin.
std::optional<StoredForm> named_form(Builtin name);

}  // namespace tsr::sema
