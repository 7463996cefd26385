#include "runtime/program/arguments.h"

#include "runtime/fail.h"
#include "runtime/io/files.h"
#include "runtime/io/inputs.h"
#include "runtime/numbers/number.h"
#include "runtime/program/dimensions.h"
#include "runtime/program/scalars.h"
#include "runtime/text/string.h"
#include "runtime/trace/trace.h"

namespace tsr::runtime {

Arguments::~Arguments() {
    for (size_t i = 0; i < slots_.size(); ++i) {
        int32_t kind = program_.signature.parameters[i].kind;
        if (kind == TSR_KIND_TENSOR) tsr_tensor_release(slots_[i].tensor);
        if (kind == TSR_KIND_STRING) tsr_string_release(slots_[i].string);
    }
}

Result<Done> Arguments::read_words(const CommandLine& line) {
    const auto count = static_cast<size_t>(program_.signature.nparameters);
    slots_.assign(count, TsrSlot{});
    open_.assign(count, false);
    for (size_t i = 0; i < count; ++i) {
        const TsrParameter& p = program_.signature.parameters[i];
        const std::string option = "--" + std::string(p.name);
        const std::optional<std::string>& word = line.values[i];
        open_[i] = !word && !p.has_default;
        const bool from_shapes = p.kind == TSR_KIND_SCALAR && p.symbol >= 0;
        if (open_[i] && !from_shapes) return Refusal{option + " is missing; --help shows the options"};
        if (p.kind == TSR_KIND_LIST) return Refusal{option + ": a list can not be given on the command line"};
        if (p.kind == TSR_KIND_STRING) {
            slots_[i].string = make_string(word ? *word : p.default_string != nullptr ? p.default_string : "");
        } else if (p.kind == TSR_KIND_SCALAR && word) {
            Result<uint64_t> bits = parse_scalar(*word, p.dtype);
            if (!bits) return Refusal{option + ": " + bits.message()};
            slots_[i].bits = *bits;
        } else if (p.kind == TSR_KIND_SCALAR) {
            slots_[i].bits = p.default_bits;
        }
    }
    return Done{};
}

Result<Done> Arguments::read_files(const CommandLine& line) {
    for (size_t i = 0; i < slots_.size(); ++i) {
        const TsrParameter& p = program_.signature.parameters[i];
        if (p.kind != TSR_KIND_TENSOR || !line.values[i]) continue;
        const Location location = split_location(*line.values[i]);
        if (auto other = check_no_trace(location.path); !other) return other;
        Result<TensorRef> tensor = load_tensor(location, p.dtype, p.rank);
        if (!tensor) return Refusal{"--" + std::string(p.name) + ": " + tensor.message()};
        note_input(location.path);
        slots_[i].tensor = tensor->give();
    }
    return fill_dimensions();
}

// An integer parameter with a dimension's name takes the size that stands in the shapes.
Result<Done> Arguments::fill_dimensions() {
    const TsrSignature& signature = program_.signature;
    for (size_t i = 0; i < open_.size(); ++i) {
        if (!open_[i]) continue;
        const TsrParameter& wanted = signature.parameters[i];
        std::optional<int64_t> size;
        for (int32_t j = 0; j < signature.nparameters && !size; ++j) {
            const TsrParameter& p = signature.parameters[j];
            for (int32_t axis = 0; p.kind == TSR_KIND_TENSOR && axis < p.rank; ++axis) {
                if (symbol_alone(p.dims[axis]) == wanted.symbol)
                    size = slots_[static_cast<size_t>(j)].tensor->shape[axis];
            }
        }
        if (!size) return Refusal{"--" + std::string(wanted.name) + " is missing: no shape gives this dimension"};
        slots_[i].bits = bits_of(Number::of(*size), wanted.dtype);
    }
    return Done{};
}

}  // namespace tsr::runtime
