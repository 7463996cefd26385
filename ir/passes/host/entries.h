// The entries of the runtime that an operation `host` may name, and how its operands and attributes become the
// arguments of the C function `tsr_<name>` (runtime/abi.h). Code generation and the evaluator both read this table, so
// an entry is known to them when it stands here.
#pragma once

#include <optional>
#include <string_view>

namespace tsr::ir {

// One letter per C argument, in the order of the C declaration. Operands are taken from left to right.
//   t  operand: tensor                          s  operand: string               l  operand: container
//   g  operand: progress handle (scalar u64)    e  operand: any value as a TsrSlot
//   b  operand: scalar in storage form (`bits`) i  operand: integer as int64_t   d  operand: float as double
//   A  the operands that no other letter takes: int64_t array and its int32_t count
//   X  the operands that no other letter takes: TsrString* array and its int32_t count
//   E  the operands that no other letter takes: TsrSlot array and its int32_t count
//   W  the operands that no other letter takes: scalars of {type}, dense array of their storage form
//   F  {names} as a const char* array, the operands that no other letter takes as a TsrTensor* array, int32_t count
//   D  {type} as int32_t                        O  the dtype of the operand taken last, as int32_t
//   S  {axes} as int64_t array and int32_t count
//   T  {text} as const char*                    N  the next string of {names} as const char*
//   K  {count} as an integer      Y  the type of the result as text (container_type.h)
//   V  TsrIndexItem array and int32_t count, from {axes}: one code per item (see IndexCode) and the operands it needs
//   R  const TsrRandomKey*: filled by tsr_next_key({count}, NULL); where {mode} is "seed", the next operand, an
//      integer, is the seed
//   Z  a null pointer or 0                      P  const TsrPlace* of the operation
// The result: one letter of t s l g; i: int64_t as index; c: int32_t as bool (!= 0); n: int32_t as i32; d: double as
// f64; b: `bits` as a scalar of the result's type; e: TsrSlot as the result's type; v: none.
// A result is a new reference; operands are borrowed.
struct HostEntry {
    std::string_view name;
    std::string_view arguments;
    char result;
};

// Codes of one item in {axes} of `view`. A slice adds 1 for a start operand, 2 for a stop, 4 for a step.
enum IndexCode : int { index_integer = 0, index_newaxis = 1, index_ellipsis = 2, index_slice = 8 };

// The site of a random operation is {count}: a number of its own per operation of the program, from 1.
inline constexpr HostEntry kHostEntries[] = {
    // tensors: making
    {"empty", "DAP", 't'},
    {"zeros", "DAP", 't'},
    {"ones", "DAP", 't'},
    {"full", "DAbP", 't'},  // shape..., value
    {"arange_i64", "DiiiP", 't'},
    {"arange_f64", "DdddP", 't'},
    {"linspace", "DddiP", 't'},
    {"from_values", "DSWP", 't'},  // {axes}: the shape
    {"from_list", "DlP", 't'},
    {"rand", "DARP", 't'},  // shape..., seed?
    {"randn", "DARP", 't'},
    {"randint", "DAiiRP", 't'},  // shape..., low, high, seed?
    {"poisson", "DAdRP", 't'},   // shape..., rate, seed?
    {"bernoulli", "AdRP", 't'},  // shape..., probability, seed?
    {"permutation", "DiRP", 't'},
    {"seed", "", 'b'},
    {"random_stream", "K", 'b'},  // {count}: the site; counts its runs
    {"load", "ssP", 't'},         // path, key ("" for none)
    {"load_as", "ssDKP", 't'},    // and the element type and rank ({count}) that are expected
    // tensors: from tensors
    {"copy", "tP", 't'},
    {"cast", "tDZZP", 't'},
    {"cast_cut", "tDP", 't'},  // toward zero
    {"cast_dither", "tDRP", 't'},
    {"contiguous", "tP", 't'},
    {"view", "tVP", 't'},
    {"swap_last", "tP", 't'},
    {"reshape", "tAP", 't'},
    {"broadcast_to", "tAP", 't'},
    // tensors: elements and numbers
    {"dim", "tiP", 'i'},
    {"size", "t", 'i'},
    {"item", "tP", 'b'},
    {"assign", "ttP", 'v'},
    {"fill", "tbP", 'v'},
    {"equal", "tt", 'c'},
    {"allclose", "ttddiP", 'c'},
    // strings
    {"concat", "ss", 's'},
    {"join", "XT", 's'},  // {text}: the separator
    {"string_compare", "ss", 'n'},
    {"string_length", "s", 'i'},
    {"format", "bOTP", 's'},  // a scalar; {text}: the spec
    {"format_string", "sTP", 's'},
    {"format_tensor", "tTP", 's'},
    {"format_list", "lP", 's'},
    {"format_with", "bOsP", 's'},  // the spec as an operand
    {"format_string_with", "ssP", 's'},
    {"format_tensor_with", "tsP", 's'},
    {"string_repr", "s", 's'},
    {"string_get", "siP", 's'},
    {"string_slice", "sVP", 's'},
    {"string_repeat", "siP", 's'},
    {"string_upper", "s", 's'},
    {"string_lower", "s", 's'},
    {"string_strip", "ss", 's'},
    {"string_lstrip", "ss", 's'},
    {"string_rstrip", "ss", 's'},
    {"string_replace", "sss", 's'},
    {"string_join", "sl", 's'},
    {"string_split", "ss", 'l'},
    {"string_lines", "s", 'l'},
    {"string_characters", "s", 'l'},
    {"string_find", "ss", 'i'},
    {"string_count", "ss", 'i'},
    {"string_starts", "ss", 'c'},
    {"string_ends", "ss", 'c'},
    {"string_has", "ss", 'c'},
    {"string_is_digits", "s", 'c'},
    {"string_to_integer", "sP", 'i'},
    {"string_to_real", "sP", 'd'},
    {"string_of_code", "iP", 's'},
    {"code_of_string", "sP", 'i'},
    // containers
    {"list", "Yi", 'l'},     // empty; operand: capacity
    {"list_of", "YE", 'l'},  // items; of a dictionary keys and values in turn
    {"list_length", "l", 'i'},
    {"list_get", "liP", 'e'},
    {"list_set", "lieP", 'v'},
    {"list_append", "le", 'v'},
    {"list_insert", "lie", 'v'},
    {"list_pop", "liP", 'e'},
    {"list_remove", "leP", 'v'},
    {"list_clear", "l", 'v'},
    {"list_reverse", "l", 'v'},
    {"list_sort", "li", 'v'},  // descending
    {"list_sort_by", "lli", 'v'},
    {"list_extend", "ll", 'v'},
    {"list_concat", "ll", 'l'},
    {"list_repeat", "liP", 'l'},
    {"list_slice", "lVP", 'l'},
    {"list_set_slice", "llVP", 'v'},  // list, what replaces the slice
    {"list_find", "le", 'i'},
    {"list_index", "leP", 'i'},
    {"list_count", "le", 'i'},
    {"list_equal", "ll", 'c'},
    {"list_compare", "ll", 'n'},
    {"dict_get", "leP", 'e'},
    {"dict_get_or", "lee", 'e'},
    {"dict_set_default", "lee", 'e'},
    {"dict_set", "lee", 'v'},
    {"dict_has", "le", 'c'},
    {"dict_pop", "leP", 'e'},
    {"dict_pop_or", "lee", 'e'},
    {"dict_update", "ll", 'v'},
    {"dict_copy", "l", 'l'},
    {"record_copy", "l", 'l'},  // of the same fields
    {"dict_keys", "lY", 'l'},
    {"dict_values", "lY", 'l'},
    {"dict_items", "lY", 'l'},
    // input, output, time, ends
    {"print", "s", 'v'},
    {"write", "s", 'v'},
    {"save", "sFP", 'v'},  // path; {names} of the tensors that follow
    {"time", "", 'd'},
    {"args", "", 'l'},
    {"wait", "", 'v'},
    {"progress_begin", "si", 'g'},
    {"progress_step", "g", 'v'},
    {"progress_end", "g", 'v'},
    {"fail", "PT", 'v'},           // ends the program with {text}
    {"assert_failed", "sP", 'v'},  // ends the program
    // launches; function and parameter names are {names} in order
    {"kernel_argument", "tKNNP", 't'},      // {count}: 1 for `mut`; {names}: function, parameter
    {"check_overlap", "NtNtNP", 'v'},       // {names}: function, name of the mut one, name of the other
    {"check_overlap_held", "NNNltP", 'v'},  // {names}: the same; one is a container
    {"check_overlap_both", "NNNllP", 'v'},
    {"shape_failed", "NNNiNNiP", 'v'},    // {names}: function, argument, dimension, other argument, other dimension
    {"quotient_failed", "NNNNNiP", 'v'},  // {names}: function, argument, dimension, other argument, its dimension
    // counted references (passes/host/ownership)
    {"tensor_retain", "t", 'v'},
    {"tensor_release", "t", 'v'},
    {"string_retain", "s", 'v'},
    {"string_release", "s", 'v'},
    {"list_retain", "l", 'v'},
    {"list_release", "l", 'v'},
};

constexpr const HostEntry* find_host_entry(std::string_view name) {
    for (const HostEntry& entry : kHostEntries)
        if (entry.name == name) return &entry;
    return nullptr;
}

}  // namespace tsr::ir
