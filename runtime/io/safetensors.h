// The .safetensors format: 8 bytes of header length, a JSON header, the data (github.com/huggingface/safetensors).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runtime/io/output_file.h"
#include "runtime/io/source.h"
#include "runtime/tensor/tensor.h"

namespace tsr::runtime {

struct NamedTensor {
    std::string name;
    TensorRef tensor;  // dense
};

// Element types by the format's names, F8_E4M3, F6_E2M3, F4, F8_E8M0 and BF16 among them; i4 is "I4", a name of our
// own. Refused: lengths that do not fit, unknown types, ranges that leave the data, overlap, or leave gaps.
Result<std::vector<std::string>> safetensors_names(const Source& source);
Result<TensorRef> read_safetensors(const Source& source, const std::string& key);
// What the header's `__metadata__` says of the key; empty where it says nothing.
Result<std::string> safetensors_metadata(const Source& source, const std::string& key);

struct Metadata {
    std::string key, value;
};

// The errors of writing itself are kept by `file`.
Result<Done> write_safetensors(OutputFile& file, std::span<const NamedTensor> tensors,
                               std::span<const Metadata> metadata = {});

}  // namespace tsr::runtime
