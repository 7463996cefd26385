// Calls that take elements of whole tensors by their number along an axis, or go along one.
#pragma once

#include <string_view>

#include "sema/program/tables.h"

namespace tsr::sema {

// argmax, cumsum, take and their like: graphs compute them.
bool is_indexed(Builtin function);

// What the parameters of one are given; invalid: not written, or the function has no such parameter.
struct IndexedArguments {
    ast::ExprId x, ids, src, axis, keepdims, reverse, descending, first, out, op, mode;
};
IndexedArguments indexed_arguments(const CallInfo& call);

// `x[ids]`, of a tensor and a tensor of integers: rows of x.
bool is_rows_by_ids(const Instance& instance, const ast::Expr& subscript);

// "add", "mul", "min", "max": what is scattered is joined to what is there; "set" takes its place.
bool joins_in_scatter(std::string_view operation);

}  // namespace tsr::sema
