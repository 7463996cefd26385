// Tensors in files, by the file's extension.
#pragma once

#include <span>
#include <string>

#include "runtime/io/safetensors.h"
#include "runtime/tensor/tensor.h"

namespace tsr::runtime {

struct Location {
    std::string path, key;  // key is empty where none is given
};

// Splits "folder/f.npz:key" behind the extension; other colons belong to the path.
Location split_location(const std::string& text);

// Messages name the file. `dtype`, `rank` -1: any.
Result<TensorRef> load_tensor(const Location& location, int32_t dtype, int32_t rank);
// Tensors need not be dense. `metadata`: of .safetensors files.
Result<Done> save_tensors(const std::string& path, std::span<const NamedTensor> tensors,
                          std::span<const Metadata> metadata = {});
// Whether tensors may be written there: a known kind of file, in a place that check_place takes. Writes nothing.
Result<Done> check_output(const std::string& path);
// True of paths whose extension, or whose being a device, tells how tensors are written there.
bool is_tensor_file(const std::string& path);
// True for .npz and .safetensors: what holds several tensors.
bool holds_several(const std::string& path);

}  // namespace tsr::runtime
