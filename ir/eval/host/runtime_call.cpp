#include "ir/eval/host/runtime_call.h"

#include <algorithm>
#include <array>
#include <bit>
#include <type_traits>
#include <utility>

#include "ir/passes/host/entries.h"

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

// Whether the C functions take and return what the rows of the table of entries say.
enum class Kind : uint8_t { pointer, integer, real, slot };

template <typename T>
constexpr Kind kind_of() {
    if constexpr (std::is_same_v<T, TsrSlot>) return Kind::slot;
    if constexpr (std::is_floating_point_v<T>) return Kind::real;
    return std::is_pointer_v<T> ? Kind::pointer : Kind::integer;
}

using Kinds = FixedList<Kind, 3>;
constexpr Kinds kinds_of(HostArgument argument) {
    using enum HostArgument;
    switch (argument) {
        case tensor:
        case string:
        case container:
        case scalars:
        case random_key:
        case text:
        case name:
        case result_type:
        case place:
        case progress:
        case family:
            return {Kind::pointer};
        case slot:
            return {Kind::slot};
        case bits:
        case integer:
        case type:
        case type_of_last:
        case count:
            return {Kind::integer};
        case real:
            return {Kind::real};
        case integers:
        case strings:
        case slots:
        case items:
        case extents:
            return {Kind::pointer, Kind::integer};
        case named_tensors:
            return {Kind::pointer, Kind::pointer, Kind::integer};
        case zero:
            break;
    }
    return {};
}

template <typename Result>
constexpr bool returns(HostResult result) {
    using enum HostResult;
    switch (result) {
        case none:
            return true;  // what it returns is not used
        case tensor:
        case string:
        case container:
        case progress:
            return std::is_pointer_v<Result>;
        case integer:
        case bits:
            return std::is_same_v<Result, int64_t> || std::is_same_v<Result, uint64_t>;
        case boolean:
        case i32:
            return std::is_same_v<Result, int32_t>;
        case real:
            return std::is_same_v<Result, double>;
        case slot:
            return std::is_same_v<Result, TsrSlot>;
    }
    return false;
}

template <typename Result, typename... Parameters>
constexpr bool fits(const HostEntry& entry) {
    constexpr std::array<Kind, sizeof...(Parameters)> parameters{kind_of<Parameters>()...};
    size_t at = 0;
    for (const HostArgument argument : entry.arguments) {
        if (argument == HostArgument::zero) {
            ++at;
            continue;
        }
        for (const Kind kind : kinds_of(argument)) {
            if (at == parameters.size() || parameters[at] != kind) return false;
            ++at;
        }
    }
    return at == parameters.size() && returns<Result>(entry.result);
}

// With sanitizers g++ 12 does not compare the address of an element with null while it compiles: no `find_host_entry`.
template <typename Result, typename... Parameters>
constexpr bool fits(std::string_view name, Result (*)(Parameters...)) {
    for (const HostEntry& entry : kHostEntries) {
        if (entry.name == name) return fits<Result, Parameters...>(entry);
    }
    return true;  // called by the evaluator itself
}
#define TSR_FITS(entry)                                        \
    static_assert(fits(#entry, decltype(TsrHostApi::entry){}), \
                  "the row of " #entry " in entries.h is not as runtime/abi.h has it");
TSR_HOST_FUNCTIONS(TSR_FITS)
#undef TSR_FITS

constexpr bool has_thunk(const HostEntry& entry) {
    return std::ranges::any_of(kThunks, [&](const Named& named) { return named.name == entry.name; });
}
static_assert(std::ranges::all_of(kHostEntries, has_thunk), "a row of entries.h that runtime/abi.h does not declare");

}  // namespace

HostThunk host_thunk(std::string_view name) {
    for (const Named& entry : kThunks) {
        if (entry.name == name) return entry.thunk;
    }
    return nullptr;
}

}  // namespace tsr::ir::eval
