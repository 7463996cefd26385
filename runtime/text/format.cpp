// The interface's formatting functions.
#include "runtime/fail.h"
#include "runtime/text/format_spec.h"
#include "runtime/text/string.h"
#include "runtime/text/tensor_text.h"

using namespace tsr::runtime;

namespace {

std::string_view spec_text(const char* spec) { return spec == nullptr ? std::string_view() : std::string_view(spec); }

TsrString* given(const Result<std::string>& text, const TsrPlace* place) {
    if (!text) fail(place, "%s", text.message().c_str());
    return make_string(*text);
}

TsrString* formatted_string(const TsrString* string, std::string_view spec, const TsrPlace* place) {
    Result<FormatSpec> parsed = parse_format_spec(spec);
    if (!parsed) fail(place, "%s", parsed.message().c_str());
    return given(format_text(view(string), *parsed), place);
}

}  // namespace

extern "C" {

TsrString* tsr_format(uint64_t bits, int32_t dtype, const char* spec, const TsrPlace* place) {
    return given(format_value(bits, dtype, spec_text(spec)), place);
}

TsrString* tsr_format_with(uint64_t bits, int32_t dtype, const TsrString* spec, const TsrPlace* place) {
    return given(format_value(bits, dtype, view(spec)), place);
}

TsrString* tsr_format_string(const TsrString* string, const char* spec, const TsrPlace* place) {
    return formatted_string(string, spec_text(spec), place);
}

TsrString* tsr_format_string_with(const TsrString* string, const TsrString* spec, const TsrPlace* place) {
    return formatted_string(string, view(spec), place);
}

TsrString* tsr_format_tensor(const TsrTensor* tensor, const char* spec, const TsrPlace* place) {
    tsr_wait();
    return given(tensor_text(*tensor, spec_text(spec)), place);
}

TsrString* tsr_format_tensor_with(const TsrTensor* tensor, const TsrString* spec, const TsrPlace* place) {
    tsr_wait();
    return given(tensor_text(*tensor, view(spec)), place);
}
}
