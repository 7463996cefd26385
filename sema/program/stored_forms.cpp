#include "sema/program/stored_forms.h"

#include <array>

#include <fmt/format.h>

#include "sema/builtins/builtins.h"

namespace tsr::sema {

namespace {

constexpr int64_t kMxBlock = 32, kNvfp4Block = 16;

struct NamedForm {
    Builtin id;
    std::string_view name;
    StoredForm form;
};

constexpr StoredForm mx(DType storage) {
    return {.rule = StoredForm::Rule::mx, .storage = storage, .scale = DType::e8m0, .block = kMxBlock};
}

const std::array<NamedForm, 6>& named_forms() {
    using enum Builtin;
    static const std::array<NamedForm, 6> forms{{
        {mxfp8, "mxfp8", mx(DType::fp8_e4m3)},
        {mxfp8_e5m2, "mxfp8_e5m2", mx(DType::fp8_e5m2)},
        {mxfp6, "mxfp6", mx(DType::fp6_e3m2)},
        {mxfp6_e2m3, "mxfp6_e2m3", mx(DType::fp6_e2m3)},
        {mxfp4, "mxfp4", mx(DType::fp4_e2m1)},
        {nvfp4,
         "nvfp4",
         {.rule = StoredForm::Rule::nvfp4, .storage = DType::fp4_e2m1, .scale = DType::fp8_e4m3, .block = kNvfp4Block}},
    }};
    return forms;
}

}  // namespace

std::string_view text(StoredForm::Rule rule) {
    switch (rule) {
        case StoredForm::Rule::own:
            return "own";
        case StoredForm::Rule::mx:
            return "mx";
        case StoredForm::Rule::nvfp4:
            return "nvfp4";
    }
    __builtin_unreachable();
}

std::string name_of(const StoredForm& form) {
    for (const NamedForm& named : named_forms()) {
        if (named.form == form) return std::string(named.name);
    }
    const std::string axis = form.axis == -1 ? "" : fmt::format(", axis={}", form.axis);
    return fmt::format("{} @block_scale({}, {}{})", name(form.storage), form.block.value_or(0), name(form.scale), axis);
}

std::optional<StoredForm::Rule> block_rule(DType storage, int64_t n, DType scale) {
    if (is_storage_only(storage) && scale == DType::e8m0 && n == kMxBlock) return StoredForm::Rule::mx;
    const bool nvfp4 = storage == DType::fp4_e2m1 && scale == DType::fp8_e4m3 && n == kNvfp4Block;
    return nvfp4 ? std::optional(StoredForm::Rule::nvfp4) : std::nullopt;
}

std::optional<StoredForm> named_form(Builtin name) {
    for (const NamedForm& named : named_forms()) {
        if (named.id == name) return named.form;
    }
    return std::nullopt;
}

}  // namespace tsr::sema
