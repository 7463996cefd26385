#include "ir/core/lines.h"

#include <fmt/format.h>

namespace tsr::ir {

std::string line_text(const Function& function, PlaceId id, const Sources& sources) {
    if (!id.valid()) return "no line";
    const Place& place = function.place_of(id);
    Span at = place.span;
    if (function.place.valid()) {
        const FileId own = function.place_of(function.place).span.file;
        for (auto call = place.inlined_at.begin(); at.file != own && call != place.inlined_at.end(); ++call) at = *call;
    }
    if (!at.valid()) return "no line";
    return fmt::format("line {}", sources.position(at.file, at.begin).line);
}

// `library_module` in sema/library_modules.cpp names them; a folder of a user's has files.
bool is_library_text(const Sources& sources, FileId file) {
    return file.valid() && !sources.is_file(file) && sources.path(file).starts_with("stdlib/");
}

Span users_span(const Place& place, const Sources* sources) {
    Span at = place.span;
    if (sources == nullptr) return at;
    for (size_t i = 0; i < place.inlined_at.size() && is_library_text(*sources, at.file); ++i) at = place.inlined_at[i];
    return is_library_text(*sources, at.file) ? place.span : at;
}

std::string name_in_file(const std::string& function) {
    const size_t begin = function.find('.') + 1;
    return function.substr(begin, function.find('.', begin) - begin);
}

Dim bytes_of(const Type& tensor) {
    const Dim count = element_count(tensor.shape);
    const auto width = static_cast<int64_t>(bits(tensor.elem));
    if (width % 8 == 0) return count * Dim::constant(width / 8);
    return Dim::floor_quotient(count * Dim::constant(width) + Dim::constant(7), Dim::constant(8));
}

}  // namespace tsr::ir
