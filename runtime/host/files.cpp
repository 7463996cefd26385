// Tensors that the program itself loads and saves.
#include "runtime/io/files.h"

#include "runtime/fail.h"
#include "runtime/text/string.h"
#include "runtime/trace/trace.h"

using namespace tsr::runtime;

extern "C" {

TsrTensor* tsr_load(const TsrString* path, const TsrString* key, const TsrPlace* place) {
    return tsr_load_as(path, key, -1, -1, place);
}

TsrTensor* tsr_load_as(const TsrString* path, const TsrString* key, int32_t dtype, int32_t rank,
                       const TsrPlace* place) {
    std::string text(view(path));
    bool has_key = key != nullptr && key->length > 0;
    Location location = has_key ? Location{text, std::string(view(key))} : split_location(text);
    if (auto other = check_no_trace(location.path); !other) fail(place, "%s", other.message().c_str());
    Result<TensorRef> tensor = load_tensor(location, dtype, rank);
    if (!tensor) fail(place, "%s", tensor.message().c_str());
    return tensor->give();
}

void tsr_save(const TsrString* path, const char* const* names, const TsrTensor* const* tensors, int32_t count,
              const TsrPlace* place) {
    tsr_wait();
    std::vector<NamedTensor> entries;
    for (int32_t i = 0; i < count; ++i) {
        std::string name = names != nullptr && names[i] != nullptr ? names[i] : std::to_string(i);
        entries.push_back({name, TensorRef(tsr_tensor_retain(const_cast<TsrTensor*>(tensors[i])))});
    }
    Result<Done> saved = save_tensors(std::string(view(path)), entries);
    if (!saved) fail(place, "%s", saved.message().c_str());
}
}
