// The copy of a tensor's memory on the GPU, and which of the two holds what was written last.
#pragma once

#include "runtime/device/cuda/device.h"
#include "runtime/tensor/tensor.h"

namespace tsr::runtime::cuda {

// Whether the memory can have a copy: that of a caller's tensor with gaps can not.
bool can_have_copy(const TsrStorage& storage);
// Makes room for it, without contents.
void make_copy(Device& device, TsrStorage& storage, const TsrPlace* place);
// Of the first element, in the copy that there is.
Pointer address_of(const TsrTensor& tensor);
// Makes the copy hold what the host has, where it does not.
void bring_in(Device& device, TsrStorage& storage, const TsrPlace* place);
// A launch that is made writes to the copy.
void written_there(TsrStorage& storage);

// The contents of a dense tensor, from copy to copy; `to` is dense as well.
void copy_there(Device& device, TsrTensor& to, const TsrTensor& from, const TsrPlace* place);
// All elements of a dense tensor that has a copy get these bits, in the copy. False: it can not be done there.
bool fill_there(Device& device, TsrTensor& tensor, uint64_t bits, const TsrPlace* place);

// Makes the host's memory hold what the copy has; waits for the launches that write it.
void bring_home(TsrStorage& storage);
// Some bytes of the copy alone, for the few elements that a host looks at: [at, at + bytes) of the host's memory.
// False: it is time to bring all of them home.
bool look(TsrStorage& storage, const void* at, int64_t bytes, void* to);

}  // namespace tsr::runtime::cuda
