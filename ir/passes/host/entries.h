// The entries of the runtime that an operation `host` may name, and how its operands and attributes become the
// arguments of the C function `tsr_<name>` (runtime/abi.h). Code generation and the evaluator both read this table, so
// an entry is known to them when it stands here. ir/eval/host_call.cpp compares each row with the C declaration while
// it compiles.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "ir/ops/record.h"

namespace tsr::ir {

// What becomes of operands and attributes, in the order of the C declaration: one C argument where no other number is
// said. Operands are taken from left to right; "the rest" are those that no other argument of the entry takes.
enum class HostArgument : uint8_t {
    // one operand each
    tensor,
    string,
    container,
    progress,  // the handle of a progress line, a scalar u64
    slot,      // any value, as a TsrSlot
    bits,      // a scalar in its storage form
    integer,   // as int64_t
    real,      // as double
    // several operands
    integers,       // the rest: an int64_t array and its int32_t count
    strings,        // the rest: an array of TsrString* and its int32_t count
    slots,          // the rest: an array of TsrSlot and its int32_t count
    scalars,        // the rest, scalars of {type}: a dense array of their storage form
    named_tensors,  // {names} as an array of const char*, the rest as an array of TsrTensor*, their int32_t count
    items,       // TsrIndexItem array and its int32_t count. From {codes}: a code per item (IndexCode) and the operands
                 // that it needs
    random_key,  // const TsrRandomKey*, filled by tsr_next_key({count}, NULL). Where it is {seeded}, the next
                 // operand, an integer, is the seed
    // attributes, and what else is known
    type,          // {type} as int32_t
    type_of_last,  // the element type of the operand taken last, as int32_t
    extents,       // {extents}: an int64_t array and its int32_t count
    text,          // {text} as const char*; null where there is none
    name,          // the next string of {names} as const char*
    count,         // {count} as an integer
    result_type,   // the type of the result as text (container_type.h)
    zero,          // a null pointer, or the integer 0
    family,        // const TsrKernelFamily* of the kernel {text}; null in the evaluator
    place,         // const TsrPlace* of the operation
};

// What the C function returns. A handle is a new reference; operands are borrowed.
enum class HostResult : uint8_t {
    none,
    tensor,
    string,
    container,
    progress,
    integer,  // int64_t as index
    boolean,  // int32_t as bool: not 0
    i32,      // int32_t
    real,     // double as f64
    bits,     // as a scalar of the result's type
    slot,     // TsrSlot as the result's type
};

constexpr bool takes_one_operand(HostArgument argument) {
    using enum HostArgument;
    return argument == tensor || argument == string || argument == container || argument == progress ||
           argument == slot || argument == bits || argument == integer || argument == real;
}

struct HostEntry {
    std::string_view name;
    FixedList<HostArgument, 8> arguments;
    HostResult result = HostResult::none;
};

// Codes of one item in {codes} of `view`. A slice adds 1 for a start operand, 2 for a stop, 4 for a step.
enum IndexCode : int { index_integer = 0, index_newaxis = 1, index_ellipsis = 2, index_slice = 8 };

// The site of a random operation is {count}: a number of its own per operation of the program, from 1.
inline constexpr auto kHostEntries = [] {
    using A = HostArgument;
    using R = HostResult;
    return std::to_array<HostEntry>({
        // tensors: making
        {"empty", {A::type, A::integers, A::place}, R::tensor},
        {"zeros", {A::type, A::integers, A::place}, R::tensor},
        {"ones", {A::type, A::integers, A::place}, R::tensor},
        {"full", {A::type, A::integers, A::bits, A::place}, R::tensor},  // shape..., value
        {"arange_i64", {A::type, A::integer, A::integer, A::integer, A::place}, R::tensor},
        {"arange_f64", {A::type, A::real, A::real, A::real, A::place}, R::tensor},
        {"linspace", {A::type, A::real, A::real, A::integer, A::place}, R::tensor},
        {"from_values", {A::type, A::extents, A::scalars, A::place}, R::tensor},  // {extents}: the shape
        {"from_list", {A::type, A::container, A::place}, R::tensor},
        {"rand", {A::type, A::integers, A::random_key, A::place}, R::tensor},  // shape..., seed?
        {"randn", {A::type, A::integers, A::random_key, A::place}, R::tensor},
        // shape..., low, high, seed?
        {"randint", {A::type, A::integers, A::integer, A::integer, A::random_key, A::place}, R::tensor},
        {"bernoulli", {A::integers, A::real, A::random_key, A::place}, R::tensor},  // shape..., probability, seed?
        {"permutation", {A::type, A::integer, A::random_key, A::place}, R::tensor},
        {"seed", {}, R::bits},
        {"random_stream", {A::count}, R::bits},                 // {count}: the site; counts its runs
        {"loss_scale", {}, R::real},                            // of `@loss_scale(dynamic)`
        {"loss_scale_step", {A::integer, A::place}, R::real},   // whether all gradients of a step were finite
        {"load", {A::string, A::string, A::place}, R::tensor},  // path, key ("" for none)
        // and the element type and rank ({count}) that are expected
        {"load_as", {A::string, A::string, A::type, A::count, A::place}, R::tensor},
        {"load_csv", {A::string, A::type, A::count, A::place}, R::tensor},
        {"read_bytes", {A::string, A::place}, R::tensor},
        // tensors: from tensors
        {"copy", {A::tensor, A::place}, R::tensor},
        {"cast", {A::tensor, A::type, A::zero, A::zero, A::place}, R::tensor},
        {"cast_cut", {A::tensor, A::type, A::place}, R::tensor},  // toward zero
        {"cast_dither", {A::tensor, A::type, A::random_key, A::place}, R::tensor},
        {"contiguous", {A::tensor, A::place}, R::tensor},
        {"own", {A::tensor, A::place}, R::tensor},  // itself where nobody else holds it, else a copy
        {"view", {A::tensor, A::items, A::place}, R::tensor},
        {"swap_last", {A::tensor, A::place}, R::tensor},
        {"view_as_real", {A::tensor, A::place}, R::tensor},
        {"view_as_complex", {A::tensor, A::place}, R::tensor},
        {"reshape", {A::tensor, A::integers, A::place}, R::tensor},
        {"broadcast_to", {A::tensor, A::integers, A::place}, R::tensor},
        // tensors: elements and numbers
        {"dim", {A::tensor, A::integer, A::place}, R::integer},
        {"size", {A::tensor}, R::integer},
        {"item", {A::tensor, A::place}, R::bits},
        {"assign", {A::tensor, A::tensor, A::place}, R::none},
        {"fill", {A::tensor, A::bits, A::place}, R::none},
        {"equal", {A::tensor, A::tensor}, R::boolean},
        {"allclose", {A::tensor, A::tensor, A::real, A::real, A::integer, A::place}, R::boolean},
        // where there are kernels for GPUs alone: whether a launch of one with such a tensor goes there
        {"on_gpu", {A::tensor, A::family}, R::boolean},
        // calls that are replayed; {extents}: the kinds of what stands in the slots
        {"capture_begin", {A::text, A::extents, A::slots, A::place}, R::boolean},
        {"capture_tensor", {A::count}, R::tensor},
        {"capture_number", {A::count}, R::bits},
        {"capture_end", {A::extents, A::slots}, R::none},
        // strings
        {"concat", {A::string, A::string}, R::string},
        {"join", {A::strings, A::text}, R::string},  // {text}: the separator
        {"string_compare", {A::string, A::string}, R::i32},
        {"string_length", {A::string}, R::integer},
        {"format", {A::bits, A::type_of_last, A::text, A::place}, R::string},  // a scalar; {text}: the spec
        {"format_string", {A::string, A::text, A::place}, R::string},
        {"format_tensor", {A::tensor, A::text, A::place}, R::string},
        {"format_list", {A::container, A::place}, R::string},
        {"format_with", {A::bits, A::type_of_last, A::string, A::place}, R::string},  // the spec as an operand
        {"format_string_with", {A::string, A::string, A::place}, R::string},
        {"format_tensor_with", {A::tensor, A::string, A::place}, R::string},
        {"string_repr", {A::string}, R::string},
        {"string_get", {A::string, A::integer, A::place}, R::string},
        {"string_slice", {A::string, A::items, A::place}, R::string},
        {"string_repeat", {A::string, A::integer, A::place}, R::string},
        {"string_upper", {A::string}, R::string},
        {"string_lower", {A::string}, R::string},
        {"string_strip", {A::string, A::string}, R::string},
        {"string_lstrip", {A::string, A::string}, R::string},
        {"string_rstrip", {A::string, A::string}, R::string},
        {"string_replace", {A::string, A::string, A::string}, R::string},
        {"string_join", {A::string, A::container}, R::string},
        {"string_split", {A::string, A::string}, R::container},
        {"string_lines", {A::string}, R::container},
        {"string_characters", {A::string}, R::container},
        {"string_find", {A::string, A::string}, R::integer},
        {"string_count", {A::string, A::string}, R::integer},
        {"string_starts", {A::string, A::string}, R::boolean},
        {"string_ends", {A::string, A::string}, R::boolean},
        {"string_has", {A::string, A::string}, R::boolean},
        {"string_is_digits", {A::string}, R::boolean},
        {"string_to_integer", {A::string, A::place}, R::integer},
        {"string_to_real", {A::string, A::place}, R::real},
        {"string_of_code", {A::integer, A::place}, R::string},
        {"code_of_string", {A::string, A::place}, R::integer},
        // containers
        {"list", {A::result_type, A::integer}, R::container},   // empty; operand: capacity
        {"list_of", {A::result_type, A::slots}, R::container},  // items; of a dictionary keys and values in turn
        {"list_length", {A::container}, R::integer},
        {"list_get", {A::container, A::integer, A::place}, R::slot},
        {"list_set", {A::container, A::integer, A::slot, A::place}, R::none},
        {"list_append", {A::container, A::slot}, R::none},
        {"list_insert", {A::container, A::integer, A::slot}, R::none},
        {"list_pop", {A::container, A::integer, A::place}, R::slot},
        {"list_remove", {A::container, A::slot, A::place}, R::none},
        {"list_clear", {A::container}, R::none},
        {"list_reverse", {A::container}, R::none},
        {"list_sort", {A::container, A::integer}, R::none},  // descending
        {"list_sort_by", {A::container, A::container, A::integer}, R::none},
        {"list_extend", {A::container, A::container}, R::none},
        {"list_concat", {A::container, A::container}, R::container},
        {"list_repeat", {A::container, A::integer, A::place}, R::container},
        {"list_slice", {A::container, A::items, A::place}, R::container},
        {"list_set_slice", {A::container, A::container, A::items, A::place}, R::none},  // list, what replaces the slice
        {"list_find", {A::container, A::slot}, R::integer},
        {"list_index", {A::container, A::slot, A::place}, R::integer},
        {"list_count", {A::container, A::slot}, R::integer},
        {"list_equal", {A::container, A::container}, R::boolean},
        {"list_compare", {A::container, A::container}, R::i32},
        {"dict_get", {A::container, A::slot, A::place}, R::slot},
        {"dict_get_or", {A::container, A::slot, A::slot}, R::slot},
        {"dict_set_default", {A::container, A::slot, A::slot}, R::slot},
        {"dict_set", {A::container, A::slot, A::slot}, R::none},
        {"dict_has", {A::container, A::slot}, R::boolean},
        {"dict_pop", {A::container, A::slot, A::place}, R::slot},
        {"dict_pop_or", {A::container, A::slot, A::slot}, R::slot},
        {"dict_update", {A::container, A::container}, R::none},
        {"dict_copy", {A::container}, R::container},
        {"record_copy", {A::container}, R::container},  // of the same fields
        {"dict_keys", {A::container, A::result_type}, R::container},
        {"dict_values", {A::container, A::result_type}, R::container},
        {"dict_items", {A::container, A::result_type}, R::container},
        // input, output, time, ends
        {"print", {A::string}, R::none},
        {"write", {A::string}, R::none},
        {"read_text", {A::string, A::place}, R::string},
        {"write_text", {A::string, A::string, A::place}, R::none},   // path, text
        {"save", {A::string, A::named_tensors, A::place}, R::none},  // path; {names} of the tensors that follow
        {"save_checkpoint", {A::string, A::named_tensors, A::place}, R::none},  // as `save`, to .safetensors
        {"load_checkpoint", {A::string, A::named_tensors, A::place}, R::none},  // into the tensors
        {"time", {}, R::real},
        {"args", {}, R::container},
        {"wait", {}, R::none},
        {"progress_begin", {A::string, A::integer}, R::progress},
        {"progress_loss", {A::progress, A::real}, R::none},
        {"progress_step", {A::progress}, R::none},
        {"progress_end", {A::progress}, R::none},
        {"fail", {A::place, A::text}, R::none},             // ends the program with {text}
        {"assert_failed", {A::string, A::place}, R::none},  // ends the program
        // {text}: the function; the bytes that a call needs, those that it may have; ends the program
        {"memory_exceeded", {A::text, A::integer, A::integer, A::place}, R::none},
        // launches; function and parameter names are {names} in order
        // {count}: 1 for `mut`; {names}: function, parameter
        {"kernel_argument", {A::tensor, A::count, A::name, A::name, A::place}, R::tensor},
        // {names}: function, name of the mut one, name of the other
        {"check_overlap", {A::name, A::tensor, A::name, A::tensor, A::name, A::place}, R::none},
        // {names}: the same; one is a container
        {"check_overlap_held", {A::name, A::name, A::name, A::container, A::tensor, A::place}, R::none},
        {"check_overlap_both", {A::name, A::name, A::name, A::container, A::container, A::place}, R::none},
        // {names}: function, argument, dimension, other argument, other dimension
        {"shape_failed", {A::name, A::name, A::name, A::integer, A::name, A::name, A::integer, A::place}, R::none},
        // {names}: function, argument, dimension, other argument, its dimension
        {"quotient_failed", {A::name, A::name, A::name, A::name, A::name, A::integer, A::place}, R::none},
        // counted references (passes/host/ownership)
        {"tensor_retain", {A::tensor}, R::none},
        {"tensor_release", {A::tensor}, R::none},
        {"string_retain", {A::string}, R::none},
        {"string_release", {A::string}, R::none},
        {"list_retain", {A::container}, R::none},
        {"list_release", {A::container}, R::none},
    });
}();

// How many operands no other argument takes. `has_seed`: the random key takes one.
constexpr size_t rest_of_operands(const HostEntry& entry, size_t operands, bool has_seed) {
    for (const HostArgument argument : entry.arguments) {
        if (takes_one_operand(argument) || (argument == HostArgument::random_key && has_seed)) --operands;
    }
    return operands;
}

constexpr const HostEntry* find_host_entry(std::string_view name) {
    for (const HostEntry& entry : kHostEntries)
        if (entry.name == name) return &entry;
    return nullptr;
}

}  // namespace tsr::ir
