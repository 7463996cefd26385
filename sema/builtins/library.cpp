#include "sema/builtins/library.h"

#include <algorithm>

namespace tsr::sema {

namespace {

template <class Row>
const Row* row_named(std::span<const Row> rows, std::string_view name) {
    const auto found = std::ranges::lower_bound(rows, name, {}, &Row::name);
    return found == rows.end() || found->name != name ? nullptr : &*found;
}

}  // namespace

const LibraryFunction* library_function(std::string_view path) {
    constexpr std::string_view kMath = "math.";
    const bool of_math = path.starts_with(kMath);
    const LibraryFunction* found = row_named(library_functions(), of_math ? path.substr(kMath.size()) : path);
    return found && (!of_math || found->file == "math") ? found : nullptr;
}

const LibraryFile* library_file(std::string_view name) { return row_named(library_files(), name); }

}  // namespace tsr::sema
