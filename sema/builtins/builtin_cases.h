// Labels of whole families of built-in names, for a switch that leaves them to others. A switch that names the rows of
// its own family, has these labels for the rest and has no `default:` does not compile once a row is added: the error
// names the row (tests/tools/total_builtins.py).
#pragma once

#include "sema/builtins/builtins.h"

#define TSR_BUILTIN_CASE(identifier, paths, where, feature, parameters, doc) case Builtin::identifier:
#define TSR_CASES_TILE TSR_BUILTINS_TILE(TSR_BUILTIN_CASE) TSR_BUILTINS_GROUP(TSR_BUILTIN_CASE)
#define TSR_CASES_REGISTER_TILE TSR_BUILTINS_REGISTER_TILE(TSR_BUILTIN_CASE)
#define TSR_CASES_MATH TSR_BUILTINS_MATH(TSR_BUILTIN_CASE)
#define TSR_CASES_SHAPE TSR_BUILTINS_SHAPE(TSR_BUILTIN_CASE)
#define TSR_CASES_HOST TSR_BUILTINS_HOST(TSR_BUILTIN_CASE) TSR_CASES_SHAPE
// Decorators, constructors of types, what is not compiled yet.
#define TSR_CASES_FORM                  \
    TSR_BUILTINS_FORM(TSR_BUILTIN_CASE) \
    TSR_BUILTINS_DERIVATIVES(TSR_BUILTIN_CASE) TSR_BUILTINS_LATER(TSR_BUILTIN_CASE) case Builtin::graph_operator:
