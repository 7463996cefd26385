#include "ir/eval/host_call.h"

#include <bit>
#include <type_traits>
#include <utility>

namespace tsr::ir::eval {

namespace {

template <typename T>
T argument(const TsrSlot& slot) {
    if constexpr (std::is_same_v<T, TsrSlot>)
        return slot;
    else if constexpr (std::is_same_v<T, double>)
        return slot.f64;
    else if constexpr (std::is_pointer_v<T>)
        return std::bit_cast<T>(slot.bits);
    else
        return static_cast<T>(slot.integer);
}

template <typename T>
TsrSlot slot_of(T value) {
    TsrSlot slot{};
    if constexpr (std::is_same_v<T, TsrSlot>)
        slot = value;
    else if constexpr (std::is_same_v<T, double>)
        slot.f64 = value;
    else if constexpr (std::is_pointer_v<T>)
        slot.bits = reinterpret_cast<uint64_t>(value);
    else
        slot.integer = static_cast<int64_t>(value);
    return slot;
}

template <typename Result, typename... Parameters, size_t... at>
TsrSlot call(Result (*function)(Parameters...), std::span<const TsrSlot> arguments, std::index_sequence<at...>) {
    (void)arguments;  // of a function without parameters
    if constexpr (std::is_void_v<Result>) {
        function(argument<Parameters>(arguments[at])...);
        return {};
    } else {
        return slot_of(function(argument<Parameters>(arguments[at])...));
    }
}

template <typename Result, typename... Parameters>
TsrSlot call(Result (*function)(Parameters...), std::span<const TsrSlot> arguments) {
    return call(function, arguments, std::index_sequence_for<Parameters...>{});
}

template <auto member>
TsrSlot thunk(const TsrHostApi& api, std::span<const TsrSlot> arguments) {
    return call(api.*member, arguments);
}

struct Named {
    std::string_view name;
    HostThunk thunk;
};
constexpr Named kThunks[] = {
#define TSR_NAMED(entry) {#entry, &thunk<&TsrHostApi::entry>},
    TSR_HOST_FUNCTIONS(TSR_NAMED)
#undef TSR_NAMED
};

}  // namespace

HostThunk host_thunk(std::string_view name) {
    for (const Named& entry : kThunks) {
        if (entry.name == name) return entry.thunk;
    }
    return nullptr;
}

}  // namespace tsr::ir::eval
