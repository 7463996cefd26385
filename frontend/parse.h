// Source text → syntax tree.
#pragma once

#include <memory>
#include <span>

#include "base/diagnostics.h"
#include "base/sources.h"
#include "frontend/ast.h"

namespace tsr {

// The body of a function at module level that is read when it is needed (`parse_body`): whole lines behind the header
// and the docstring. In bytes of the file; texts with errors have none.
struct LaterBody {
    uint32_t def;  // where the `def` of its function stands
    uint32_t begin;
    uint32_t end;  // of its last word
};

// Always gives a tree: what could not be read is a hole in it and a diagnostic (codes E01xx).
// Text that is not UTF-8 and nesting deeper than 200 brackets or 100 indents are diagnostics too. Raises Cancelled
// where a CancelScope (base/cancel.h) ends it.
// `later`, in the order of the text: bodies that are left out.
std::unique_ptr<ast::Module> parse(FileId file, const Sources& sources, Diagnostics& diagnostics,
                                   std::span<const LaterBody> later = {});

// Reads the body that was left out of a function (`FunctionDef::later`). Its nodes get the next ids.
void parse_body(ast::Module& module, ast::StmtId function, const Sources& sources, Diagnostics& diagnostics);

// A type or dimension that was written in a string.
struct TypeText {
    std::unique_ptr<ast::Module> nodes;  // owns them; their ids are not those of the file's module
    const ast::Expr* type;               // a hole where the text could not be read
};

// Reads what stands between the quotes of `"B*H"` or `"bf16 @accum(f32)"` as an annotation. Spans lie in the file.
TypeText parse_type(const ast::StringLiteral& literal, const Sources& sources, Diagnostics& diagnostics);

}  // namespace tsr
