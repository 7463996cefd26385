#include "runtime/program/arguments.h"

#include "runtime/fail.h"
#include "runtime/io/files.h"
#include "runtime/io/inputs.h"
#include "runtime/numbers/number.h"
#include "runtime/program/dimensions.h"
#include "runtime/program/scalars.h"
#include "runtime/text/string.h"

namespace tsr::runtime {

Arguments::~Arguments() {
    for (size_t i = 0; i < slots_.size(); ++i) {
        int32_t kind = program_.signature.parameters[i].kind;
        if (kind == TSR_KIND_TENSOR) tsr_tensor_release(slots_[i].tensor);
        if (kind == TSR_KIND_STRING) tsr_string_release(slots_[i].string);
    }
}

Result<TsrSlot> Arguments::value(const TsrParameter& parameter, const std::string& word) const {
    TsrSlot slot{};
    switch (static_cast<TsrKind>(parameter.kind)) {
        case TSR_KIND_TENSOR: {
            Result<TensorRef> tensor = load_tensor(split_location(word), parameter.dtype, parameter.rank);
            if (!tensor) return tensor.refusal();
            note_input(split_location(word).path);
            slot.tensor = tensor->give();
            return slot;
        }
        case TSR_KIND_SCALAR: {
            Result<uint64_t> bits = parse_scalar(word, parameter.dtype);
            if (!bits) return bits.refusal();
            slot.bits = *bits;
            return slot;
        }
        case TSR_KIND_STRING:
            slot.string = make_string(word);
            return slot;
        case TSR_KIND_LIST:
            break;
    }
    return Refusal{"a list can not be given on the command line"};
}

Result<Done> Arguments::read(const CommandLine& line, bool& missing) {
    missing = false;
    int32_t count = program_.signature.nparameters;
    slots_.assign(static_cast<size_t>(count), TsrSlot{});
    open_.assign(static_cast<size_t>(count), false);
    // What is left out is told before files are read.
    for (int32_t i = 0; i < count; ++i) {
        const TsrParameter& p = program_.signature.parameters[i];
        if (line.values[static_cast<size_t>(i)] || p.has_default || (p.kind == TSR_KIND_SCALAR && p.symbol >= 0))
            continue;
        missing = true;
        return Refusal{"--" + std::string(p.name) + " is missing; --help shows the options"};
    }
    for (int32_t i = 0; i < count; ++i) {
        const TsrParameter& p = program_.signature.parameters[i];
        auto index = static_cast<size_t>(i);
        if (line.values[index]) {
            Result<TsrSlot> slot = value(p, *line.values[index]);
            if (!slot) return Refusal{"--" + std::string(p.name) + ": " + slot.message()};
            slots_[index] = *slot;
        } else if (!p.has_default) {
            open_[index] = true;
        } else if (p.kind == TSR_KIND_STRING) {
            slots_[index].string = make_string(p.default_string != nullptr ? p.default_string : "");
        } else {
            slots_[index].bits = p.default_bits;
        }
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
