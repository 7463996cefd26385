// Tensors whose elements a GPU wrote last. A function that touches elements of a tensor that it was given says so
// first; of one that it has just made it need not.
#pragma once

#include "runtime/tensor/device_copy.h"
#include "runtime/tensor/tensor.h"

namespace tsr::runtime {

// Before the host reads elements: waits for the launches that write them.
inline void read_at_home(const TsrTensor& tensor) {
    if (tensor.storage->host_stale) cuda::bring_home(*tensor.storage);
}

// Before the host writes elements, be it some of them.
inline void write_at_home(TsrTensor& tensor) {
    TsrStorage& storage = *tensor.storage;
    if (storage.host_stale) cuda::bring_home(storage);
    storage.device_stale = true;
    storage.fresh = Fresh::no;
}

}  // namespace tsr::runtime
