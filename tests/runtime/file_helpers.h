// Files as bytes in memory, for tests that bend them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "helpers.h"
#include "runtime/io/files.h"

namespace tsr::runtime::tests {

using Bytes = std::vector<uint8_t>;

// A folder of its own, removed with what is in it.
class Folder {
public:
    Folder();
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder();
    std::string path(const std::string& name) const { return path_ + "/" + name; }
    std::vector<std::string> names() const;

private:
    std::string path_;
};

Bytes read_bytes(const std::string& path);
void write_bytes(const std::string& path, const Bytes& bytes);

// A file of each format, made by the runtime's own writers and by hand.
Bytes npy_of(const TensorRef& tensor);
Bytes npz_of(const std::vector<NamedTensor>& tensors);
Bytes deflated_npz_of(const TensorRef& tensor);
Bytes safetensors_of(const std::vector<NamedTensor>& tensors);
// .npy of version 1 with this header dictionary.
Bytes npy_with_header(const std::string& dictionary, const Bytes& data);

// What reading the bytes gives: the tensor, or the message. Formats by name: "npy", "npz", "safetensors".
Result<TensorRef> read_as(const std::string& format, const Bytes& bytes, int32_t dtype = -1);

}  // namespace tsr::runtime::tests
