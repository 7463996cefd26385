#include "sema/program/indexed.h"

#include "sema/builtins/builtin_cases.h"

namespace tsr::sema {

bool is_indexed(Builtin function) {
    switch (function) {
        TSR_CASES_INDEXED
        return true;
        default:
            return false;
    }
}

IndexedArguments indexed_arguments(const CallInfo& call) {
    IndexedArguments given;
    if (call.kind != CallKind::builtin || !is_indexed(call.builtin)) return given;
    const std::vector<BuiltinParameter>& parameters = entry(call.builtin).parameters;
    for (size_t i = 0; i < call.arguments.size(); ++i) {
        const ast::ExprId written = call.arguments[i].expr;
        const std::string& name = parameters[i].name;
        if (name == "x" || name == "table") given.x = written;
        if (name == "ids") given.ids = written;
        if (name == "src") given.src = written;
        if (name == "axis") given.axis = written;
        if (name == "keepdims") given.keepdims = written;
        if (name == "reverse") given.reverse = written;
        if (name == "descending") given.descending = written;
        if (name == "first") given.first = written;
        if (name == "out") given.out = written;
        if (name == "op") given.op = written;
        if (name == "mode") given.mode = written;
    }
    return given;
}

bool is_rows_by_ids(const Instance& instance, const ast::Expr& e) {
    const auto* subscript = std::get_if<ast::Subscript>(&e.node);
    if (subscript == nullptr || subscript->indices.size() != 1) return false;
    const Type& base = instance.info(*subscript->base).type;
    const Type& ids = instance.info(*subscript->indices[0]).type;
    return base.is(Kind::tensor) && ids.is(Kind::tensor) && ids.rank() > 0 && is_integer(ids.elem());
}

bool joins_in_scatter(std::string_view operation) {
    return operation == "add" || operation == "mul" || operation == "min" || operation == "max";
}

}  // namespace tsr::sema
