// Dimensions of a Host function: bound and checked on entry.
#include "codegen/host/host.h"
#include "codegen/llvm/element.h"
#include "codegen/llvm/function.h"
#include "codegen/llvm/types.h"

namespace tsr::codegen {

using llvm::Value;

void HostBody::check_arguments() {
    bool any_tensor = false;
    for (const ir::ValueId id : source_.params()) any_tensor |= source_.type(id).kind == ir::TypeKind::tensor;
    if (!any_tensor && source_.symbols.empty()) return;
    Values slots;
    for (const ir::ValueId id : source_.params()) {
        const ir::Type& type = source_.type(id);
        slots.push_back(type.is_scalar() ? scalar_bits(build_, type.elem, value(id))
                                         : builder_.CreatePtrToInt(value(id), builder_.getInt64Ty()));
    }
    const size_t count = source_.symbols.size();
    Value* dims = data_.null();
    if (count > 0) dims = stack_room(builder_.getInt64Ty(), count, llvm::Align(8));
    llvm::Constant* signature = data_.global(signature_of(data_, source_, {}), "signature");
    const Span span = source_.place.valid() ? source_.place_of(source_.place).span : Span{};
    call_runtime(build_, "tsr_check_arguments", nullptr, {signature, row(slots), dims, data_.place(span)});
    for (size_t i = 0; i < count; ++i) {
        Value* field = builder_.CreateConstInBoundsGEP1_64(builder_.getInt64Ty(), dims, i);
        dims_[source_.symbols[i]] = builder_.CreateLoad(builder_.getInt64Ty(), field, source_.symbols[i]);
    }
}

}  // namespace tsr::codegen
