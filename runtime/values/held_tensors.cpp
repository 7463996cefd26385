// Tensors in containers that are written must not share memory with other arguments.
#include <vector>

#include "runtime/values/value_type.h"

namespace tsr::runtime {

namespace {

void collect(const TsrList& list, std::vector<const TsrTensor*>& tensors) {
    ItemTypes types(list.type);
    for (int64_t i = 0; i < slot_count(list); ++i) {
        const char* type = types.next();
        if (*type == 'T') tensors.push_back(list.items[i].tensor);
        if (is_container_type(type)) collect(*list.items[i].list, tensors);
    }
}

std::vector<const TsrTensor*> tensors_in(const TsrList& list) {
    std::vector<const TsrTensor*> tensors;
    collect(list, tensors);
    return tensors;
}

}  // namespace

}  // namespace tsr::runtime

using namespace tsr::runtime;

extern "C" void tsr_check_overlap_held(const char* function, const char* written, const char* other, const TsrList* a,
                                       const TsrTensor* b, const TsrPlace* place) {
    for (const TsrTensor* tensor : tensors_in(*a)) tsr_check_overlap(function, tensor, written, b, other, place);
}

extern "C" void tsr_check_overlap_both(const char* function, const char* written, const char* other, const TsrList* a,
                                       const TsrList* b, const TsrPlace* place) {
    for (const TsrTensor* tensor : tensors_in(*b)) tsr_check_overlap_held(function, written, other, a, tensor, place);
}
