// `print` and `assert` in kernels.
#include <cmath>

#include <fmt/format.h>

#include "ir/eval/machine.h"
#include "ir/eval/steps.h"

namespace tsr::ir::eval {

namespace {

// The fewest digits that give the value back in its own type, as Python writes them: 1.0, 1e+16, inf.
template <typename T>
std::string float_text(T value) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
    std::string text = fmt::format("{}", value);
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
    return text;
}

template <typename T>
T number_of(DType type, DType as, uint64_t bits) {
    T value{};
    lane_ops().cast(type, as)(&value, &bits, nullptr, nullptr, 1);
    return value;
}

}  // namespace

std::string format_element(const EvalOptions& options, DType type, uint64_t bits, const std::string& spec) {
    if (options.host != nullptr) {
        TsrString* made = options.host->format(bits, static_cast<int32_t>(type), spec.c_str(), nullptr);
        std::string text(made->text, static_cast<size_t>(made->length));
        options.host->string_release(made);
        return text;
    }
    if (type == DType::boolean) return (bits & 1) != 0 ? "True" : "False";
    if (type == DType::u64) return fmt::format("{}", bits);
    if (is_integer(type)) return fmt::format("{}", number_of<int64_t>(type, DType::i64, bits));
    if (type == DType::f64) return float_text(number_of<double>(type, DType::f64, bits));
    return float_text(number_of<float>(type, DType::f32, bits));
}

namespace steps {

namespace {

std::string message(const Machine& machine, const TextData& text, size_t lane) {
    std::string out;
    for (const TextPart& part : text.parts) {
        out += part.text;
        if (!part.value) continue;
        const size_t size = stored_size(part.type);
        uint64_t bits = 0;
        std::memcpy(&bits, machine.bytes(part.operand.slot) + (part.operand.uniform ? 0 : lane * size), size);
        out += format_element(*machine.launch->options, part.type, bits, part.spec);
    }
    return out;
}

}  // namespace

const Inst* print(Machine& machine, const Inst& inst) {
    const TextData& text = machine.program->texts[inst.data];
    std::vector<PrintLine>& lines = machine.launch->lines;
    const bool flat = machine.in_lanes && machine.over == LanesOver::domain;
    if (!machine.in_lanes) {
        lines.push_back({machine.group, ++machine.region, 0, message(machine, text, 0)});
        return next(inst);
    }
    for (size_t i = 0; i < machine.n; ++i) {
        if (machine.mask[i] == 0) continue;
        const int64_t tile = machine.tile_of(i);
        lines.push_back({flat ? tile : machine.group, machine.region, tile, message(machine, text, i)});
    }
    return next(inst);
}

// `a` the condition, one for all where `count` is 1.
const Inst* assert_true(Machine& machine, const Inst& inst) {
    const TextData& text = machine.program->texts[inst.data];
    const uint8_t* condition = machine.bytes(inst.a);
    const bool uniform = inst.count == 1;
    const size_t n = machine.in_lanes && !uniform ? machine.n : 1;
    for (size_t i = 0; i < n; ++i) {
        if (condition[i] != 0 || (!uniform && machine.mask[i] == 0)) continue;
        const std::string why = message(machine, text, i);
        return machine.fail(inst, "assertion failed" + (why.empty() ? "" : ": " + why),
                            machine.in_lanes ? std::optional(i) : std::nullopt);
    }
    return next(inst);
}

}  // namespace steps
}  // namespace tsr::ir::eval
