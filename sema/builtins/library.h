// The standard library in Tessera: the files of stdlib/, carried inside the compiler, and which functions they hold.
// `tools/embed-stdlib.py` writes both tables when the compiler is built.
#pragma once

#include <span>
#include <string_view>

#include "frontend/parse.h"

namespace tsr::sema {

struct LibraryFunction {
    std::string_view name;
    std::string_view file;       // "activations"
    std::string_view signature;  // "softmax(x, axis=-1)"
    std::string_view doc;        // its docstring, Markdown
    bool is_method = false;      // tensors have it as a method, too: a line of stdlib/methods.txt
};

struct LibraryFile {
    std::string_view name;  // "activations"
    std::string_view text;
    std::span<const LaterBody> bodies;  // of its functions: each is read when the function is first checked
};

// Both by name. Functions whose names begin with `_` are the library's own, and are none of these.
std::span<const LibraryFunction> library_functions();
std::span<const LibraryFile> library_files();

// A member of the root by its path without the root: "softmax". The functions of math.tsr are members of `math`, too:
// "math.square". Null where there is none.
const LibraryFunction* library_function(std::string_view path);
// The file that a module's name means; null where there is none.
const LibraryFile* library_file(std::string_view name);

}  // namespace tsr::sema
