// Calls of a program's functions from C: DLPack tensors in and out, failures as status codes.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "runtime/fail.h"
#include "runtime/made_objects.h"
#include "runtime/numbers/dtypes.h"
#include "runtime/room.h"
#include "runtime/tensor/home.h"

namespace tsr::runtime {

namespace {

struct CallFailure {
    std::string message;
};

std::string& last_error() {
    thread_local std::string message;
    return message;
}

// Compiled host functions of libraries can be unwound; kernels report through their task.
[[noreturn]] void raise(void*, const TsrPlace* place, const char* message) {
    std::string where;
    if (place != nullptr && place->file != nullptr && place->line > 0)
        where = text("%s:%d:%d: ", place->file, place->line, place->column);
    throw CallFailure{where + message};
}

bool is_type(const TsrDLDataType& given, int32_t dtype) {
    return given.code == row(dtype).dlpack && given.bits == bits(dtype) && given.lanes == 1;
}

std::string dlpack_type_text(const TsrDLDataType& type) {
    for (int32_t dtype = 0; dtype <= TSR_BF16; ++dtype) {
        if (dtype != TSR_INDEX && is_type(type, dtype)) return std::string(name(dtype));
    }
    return text("DLPack type code %d of %d bits, %d lanes", type.code, type.bits, type.lanes);
}

Result<TensorRef> tensor_of(const TsrDLTensor* given, const TsrParameter& parameter) {
    const auto refused = [&](const std::string& why) {
        return Refusal{text("argument `%s` %s", parameter.name, why.c_str())};
    };
    if (given == nullptr) return refused("is a null pointer");
    if (given->device.device_type != TSR_DL_CPU) return refused("is not in the memory of the CPU");
    if (!is_type(given->dtype, parameter.dtype)) {
        return refused(text("must be of type %s; it is of %s", std::string(name(parameter.dtype)).c_str(),
                            dlpack_type_text(given->dtype).c_str()));
    }
    if (given->ndim < 0 || given->ndim > TSR_MAX_RANK) return refused(text("has %d axes", given->ndim));
    const Shape shape(given->shape, static_cast<size_t>(given->ndim));
    if (given->ndim > 0 && given->shape == nullptr) return refused("has no shape");
    Result<int64_t> bytes = dense_bytes(parameter.dtype, shape);
    if (!bytes) return refused("is no tensor: " + bytes.message());
    int64_t dense[TSR_MAX_RANK];
    dense_strides(parameter.dtype, shape, dense);
    const int64_t* strides = given->strides != nullptr ? given->strides : dense;
    auto* data = static_cast<char*>(given->data) + given->byte_offset;
    if (given->data == nullptr && *bytes > 0) return refused("has no data");
    const auto element = static_cast<uintptr_t>(bits(parameter.dtype) < 8 ? 1 : bits(parameter.dtype) / 8);
    if (reinterpret_cast<uintptr_t>(data) % element != 0) return refused("does not begin at a whole element");
    return borrow_tensor(parameter.dtype, shape, {strides, shape.size()}, data);
}

// The arguments of one call, alive until it is over.
struct CallArguments {
    Room<TsrSlot> slots;
    std::vector<TensorRef> tensors;
    std::vector<TsrString*> strings;

    explicit CallArguments(const TsrSignature& signature) : slots(static_cast<size_t>(signature.nparameters)) {
        tensors.reserve(static_cast<size_t>(signature.nparameters));
    }
    CallArguments(const CallArguments&) = delete;
    CallArguments& operator=(const CallArguments&) = delete;
    ~CallArguments() {
        for (TsrString* string : strings) tsr_string_release(string);
    }

    Result<Done> take(const TsrLibraryFunction& function, const TsrSlot* given) {
        for (int32_t i = 0; i < function.signature.nparameters; ++i) {
            const TsrParameter& parameter = function.signature.parameters[i];
            TsrSlot slot = given[i];
            if (parameter.kind == TSR_KIND_TENSOR) {
                auto tensor = tensor_of(reinterpret_cast<const TsrDLTensor*>(given[i].tensor), parameter);
                if (!tensor) return tensor.refusal();
                tensors.push_back(std::move(*tensor));
                slot.tensor = tensors.back().get();
            } else if (parameter.kind == TSR_KIND_STRING) {
                const auto* text_of = reinterpret_cast<const char*>(given[i].string);
                if (text_of == nullptr) return Refusal{text("argument `%s` is a null pointer", parameter.name)};
                strings.push_back(tsr_string(text_of, static_cast<int64_t>(std::strlen(text_of))));
                slot.string = strings.back();
            }
            slots[static_cast<size_t>(i)] = slot;
        }
        return Done{};
    }
};

// What shares memory with an argument is copied: the argument's owner may free it.
void own_memory(TsrSlot& result) {
    read_at_home(*result.tensor);
    if (!result.tensor->storage->borrowed) return;
    TensorRef shared(result.tensor);
    result.tensor = tsr_copy(shared.get(), nullptr);
}

TsrDLManagedTensor* managed(TensorRef tensor) {
    auto* out = new TsrDLManagedTensor{};
    out->dl_tensor = tensor->dl;
    out->manager_ctx = tensor.give();
    out->deleter = [](TsrDLManagedTensor* self) {
        tsr_tensor_release(static_cast<TsrTensor*>(self->manager_ctx));
        delete self;
    };
    return out;
}

void give_result(const TsrResult& result, const TsrSlot& value, void* to) {
    if (result.kind == TSR_KIND_TENSOR) {
        *static_cast<TsrDLManagedTensor**>(to) = managed(TensorRef(value.tensor));
        return;
    }
    // Little-endian: the low bytes stand first.
    const int bytes = bits(result.dtype) <= 8 ? 1 : bits(result.dtype) / 8;
    std::memcpy(to, &value.bits, static_cast<size_t>(bytes));
}

std::mutex& one_at_a_time() {
    static auto* mutex = new std::mutex;
    return *mutex;
}

void initialize_once(const TsrLibraryFunction& function) {
    static auto* done = new std::set<void (*)(void*)>;
    if (function.initialize == nullptr || done->contains(function.initialize)) return;
    MadeObjects made;
    function.initialize(nullptr);
    made.keep();
    done->insert(function.initialize);
}

int32_t call(const TsrLibraryFunction& function, const TsrSlot* given, void* const* results) {
    const std::lock_guard lock(one_at_a_time());
    TsrStatus failure = TSR_INVALID_ARGUMENT;
    tsr_set_failure_handler(raise, nullptr);
    try {
        MadeObjects made;
        CallArguments arguments(function.signature);
        if (function.abi != TSR_ABI_VERSION) throw CallFailure{"the library and its runtime are of different versions"};
        if (auto taken = arguments.take(function, given); !taken)
            throw CallFailure{text("%s: %s", function.signature.function, taken.message().c_str())};
        Room<int64_t> dims(static_cast<size_t>(function.signature.nsymbols));
        tsr_check_arguments(&function.signature, arguments.slots.data(), dims.data(), nullptr);
        failure = TSR_FAILED;  // NOLINT(clang-analyzer-deadcode.DeadStores): read where an exception is caught
        initialize_once(function);
        const auto nresults = static_cast<size_t>(function.nresults);
        Room<TsrSlot> out(nresults);
        function.run(nullptr, arguments.slots.data(), out.data());
        tsr_wait();
        for (const TensorRef& tensor : arguments.tensors) read_at_home(*tensor);
        for (size_t i = 0; i < nresults; ++i) {
            if (function.results[i].kind == TSR_KIND_TENSOR) own_memory(out[i]);
        }
        made.keep();
        for (size_t i = 0; i < nresults; ++i) give_result(function.results[i], out[i], results[i]);
        std::fflush(stdout);
        failure = TSR_OK;
    } catch (const CallFailure& failed) {
        last_error() = failed.message;
    } catch (const std::exception& failed) {
        last_error() = failed.what();
    }
    tsr_set_failure_handler(nullptr, nullptr);
    return failure;
}

}  // namespace

}  // namespace tsr::runtime

extern "C" int32_t tsr_call(const TsrLibraryFunction* function, const TsrSlot* arguments, void* const* results) {
    return tsr::runtime::call(*function, arguments, results);
}

extern "C" const char* tsr_last_error(void) { return tsr::runtime::last_error().c_str(); }
