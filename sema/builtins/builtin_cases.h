// Labels of whole families of built-in names, for a switch that leaves them to others. A switch that names the rows of
// its own family, has these labels for the rest and has no `default:` does not compile once a row is added: the error
// names the row (tests/tools/total_builtins.py).
#pragma once

#include "sema/builtins/builtins.h"

#define TSR_BUILTIN_CASE(identifier, paths, where, feature, parameters, doc) case Builtin::identifier:
#define TSR_CASES_TILE TSR_BUILTINS_TILE(TSR_BUILTIN_CASE) TSR_BUILTINS_GROUP(TSR_BUILTIN_CASE)
#define TSR_CASES_REGISTER_TILE TSR_BUILTINS_REGISTER_TILE(TSR_BUILTIN_CASE)
#define TSR_CASES_MATH TSR_BUILTINS_MATH(TSR_BUILTIN_CASE)
#define TSR_CASES_HOST TSR_BUILTINS_HOST(TSR_BUILTIN_CASE)
#define TSR_CASES_INDEXED TSR_BUILTINS_INDEXED(TSR_BUILTIN_CASE)
#define TSR_CASES_AXES TSR_BUILTINS_AXES(TSR_BUILTIN_CASE)
#define TSR_CASES_JOINING TSR_BUILTINS_JOINING(TSR_BUILTIN_CASE)
// What host programs and graphs have and kernels lack.
#define TSR_CASES_MADE TSR_CASES_HOST TSR_CASES_INDEXED TSR_CASES_AXES TSR_CASES_JOINING
// Decorators, constructors of types, what is not compiled yet.
#define TSR_CASES_FORM                         \
    TSR_BUILTINS_FORM(TSR_BUILTIN_CASE)        \
    TSR_BUILTINS_DERIVATIVES(TSR_BUILTIN_CASE) \
    TSR_BUILTINS_TRANSFORMS(TSR_BUILTIN_CASE) TSR_BUILTINS_LATER(TSR_BUILTIN_CASE) case Builtin::graph_operator:
