#include "runtime/program/results.h"

#include <algorithm>
#include <cstdio>

#include "runtime/fail.h"
#include "runtime/io/files.h"
#include "runtime/io/inputs.h"
#include "runtime/text/format_spec.h"
#include "runtime/text/string.h"
#include "runtime/text/tensor_text.h"
#include "runtime/trace/trace.h"

namespace tsr::runtime {

namespace {

// A scalar as a tensor of rank 0.
TensorRef as_tensor(const TsrResult& result, const TsrSlot& value) {
    if (result.kind == TSR_KIND_TENSOR) return TensorRef(tsr_tensor_retain(value.tensor));
    return TensorRef(tsr_full(result.dtype, nullptr, 0, value.bits, nullptr));
}

std::string short_form(const TsrResult& result, const TsrSlot& value) {
    switch (static_cast<TsrKind>(result.kind)) {
        case TSR_KIND_TENSOR:
            return *tensor_text(*value.tensor);
        case TSR_KIND_SCALAR:
            return *format_value(value.bits, result.dtype, {});
        case TSR_KIND_STRING:
            return std::string(view(value.string));
        case TSR_KIND_LIST:
            break;
    }
    TsrString* text = tsr_format_list(value.list, nullptr);
    std::string copy(view(text));
    tsr_string_release(text);
    return copy;
}

void print_result(const TsrProgram& program, int32_t index, const TsrSlot& value) {
    const TsrResult& result = program.results[index];
    std::string head;
    if (program.nresults > 1 || result.name != nullptr) head = result_name(program, index);
    std::string body = short_form(result, value);
    if (result.kind == TSR_KIND_TENSOR) {
        std::printf("%s%s%s\n%s\n", head.c_str(), head.empty() ? "" : ": ", type_text(*value.tensor).c_str(),
                    body.c_str());
    } else {
        std::printf("%s%s%s\n", head.c_str(), head.empty() ? "" : " = ", body.c_str());
    }
}

bool any_outs(const CommandLine& line) {
    return std::ranges::any_of(line.outs, [](const auto& out) { return out.has_value(); });
}

Result<Done> save_results(const TsrProgram& program, const CommandLine& line, const std::vector<TsrSlot>& values) {
    std::vector<NamedTensor> all;
    for (int32_t i = 0; i < program.nresults; ++i) {
        const TsrResult& result = program.results[i];
        auto index = static_cast<size_t>(i);
        bool written = line.out || line.outs[index];
        if (!written) continue;
        if (result.kind != TSR_KIND_TENSOR && result.kind != TSR_KIND_SCALAR) {
            return Refusal{"the result `" + result_name(program, i) +
                           "` is no tensor and can not be written to a file"};
        }
        NamedTensor named{result_name(program, i), as_tensor(result, values[index])};
        if (line.outs[index]) {
            if (auto saved = save_tensors(*line.outs[index], {&named, 1}); !saved) return saved;
        }
        if (line.out) all.push_back(named);
    }
    if (!line.out) return Done{};
    return save_tensors(*line.out, all);
}

void release_value(const TsrResult& result, const TsrSlot& value) {
    if (result.kind == TSR_KIND_TENSOR) tsr_tensor_release(value.tensor);
    if (result.kind == TSR_KIND_STRING) tsr_string_release(value.string);
    if (result.kind == TSR_KIND_LIST) tsr_list_release(value.list);
}

}  // namespace

Result<Done> check_outputs(const TsrProgram& program, const CommandLine& line) {
    if (line.out && program.nresults == 0) return Refusal{"--out: main returns nothing"};
    if (line.out && program.nresults > 1 && !holds_several(*line.out)) {
        return Refusal{text("--out: main returns %d values; use an .npz or .safetensors file, or --out.NAME for each",
                            program.nresults)};
    }
    return Done{};
}

Result<Done> check_places(const CommandLine& line) {
    std::vector<std::string> places;
    if (line.out) places.push_back(*line.out);
    for (const auto& out : line.outs) {
        if (out) places.push_back(*out);
    }
    for (size_t i = 0; i < places.size(); ++i) {
        if (auto place = check_output(places[i]); !place) return place;
        for (size_t j = 0; j < i; ++j) {
            if (same_file(places[j], places[i])) return Refusal{places[i] + ": two results go to one file"};
        }
        if (auto other = check_no_trace(places[i]); !other) return other;
    }
    return check_trace();
}

Result<Done> deliver_results(const TsrProgram& program, const CommandLine& line, std::vector<TsrSlot> values) {
    Result<Done> done = save_results(program, line, values);
    bool print = !line.out && !any_outs(line);
    for (int32_t i = 0; i < program.nresults; ++i) {
        if (done && print) print_result(program, i, values[static_cast<size_t>(i)]);
        release_value(program.results[i], values[static_cast<size_t>(i)]);
    }
    return done;
}

}  // namespace tsr::runtime
