// Expressions → documents that can break at their brackets. Comments inside brackets are put in on the way, so the
// expressions of a file must be asked for in the order of its text.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/ast.h"
#include "frontend/format_comments.h"
#include "frontend/format_doc.h"

namespace tsr {

class ExprFormatter {
public:
    ExprFormatter(layout::Docs& docs, CommentQueue& comments, std::string_view text)
        : docs_(docs), comments_(comments), text_(text) {}

    layout::Doc expr(const ast::Expr* expr);
    layout::Doc annotation(const ast::Expr* type);

    // One element of a bracketed list and its place in the text.
    struct Element {
        uint32_t begin;
        uint32_t end;
        std::function<layout::Doc()> make;
    };
    struct Brackets {
        std::string open, close;
        bool last_comma = true;    // a broken list ends with a comma
        bool only_broken = false;  // no brackets on one line
    };
    // `end` is the place of the closing bracket, or behind it.
    layout::Doc bracketed(const Brackets& brackets, const std::vector<Element>& elements, uint32_t end);
    std::vector<Element> parameters(const std::vector<ast::Parameter>& parameters);

    layout::Doc operator()(const ast::Hole& hole);
    layout::Doc operator()(const ast::Name& name);
    layout::Doc operator()(const ast::IntLiteral& literal);
    layout::Doc operator()(const ast::FloatLiteral& literal);
    layout::Doc operator()(const ast::StringLiteral& literal);
    layout::Doc operator()(const ast::BoolLiteral& literal);
    layout::Doc operator()(const ast::NoneLiteral& literal);
    layout::Doc operator()(const ast::EllipsisLiteral& literal);
    layout::Doc operator()(const ast::FString& string);
    layout::Doc operator()(const ast::Unary& unary);
    layout::Doc operator()(const ast::Binary& binary);
    layout::Doc operator()(const ast::Compare& compare);
    layout::Doc operator()(const ast::Logical& logical);
    layout::Doc operator()(const ast::Conditional& conditional);
    layout::Doc operator()(const ast::Lambda& lambda);
    layout::Doc operator()(const ast::Call& call);
    layout::Doc operator()(const ast::Subscript& subscript);
    layout::Doc operator()(const ast::Slice& slice);
    layout::Doc operator()(const ast::Attribute& attribute);
    layout::Doc operator()(const ast::Tuple& tuple);
    layout::Doc operator()(const ast::List& list);
    layout::Doc operator()(const ast::Dict& dict);
    layout::Doc operator()(const ast::Comprehension& comprehension);
    layout::Doc operator()(const ast::Qualified& qualified);
    layout::Doc operator()(const ast::WithPolicy& policy);

private:
    layout::Doc text(std::string_view text) { return docs_.text(std::string(text)); }
    // A space that may be a line end inside brackets.
    layout::Doc space() { return depth_ > 0 ? docs_.line(" ") : docs_.text(" "); }
    layout::Doc pieces(const std::vector<Span>& pieces);
    layout::Doc number();
    layout::Doc parameter(const ast::Parameter& parameter);
    layout::Doc own_line_comments(uint32_t before);
    layout::Doc comments_behind(uint32_t end, uint32_t before);
    [[nodiscard]] bool keeps_broken(uint32_t last, uint32_t end) const;
    [[nodiscard]] uint32_t behind_parenthesis(uint32_t open) const;
    Element element(const ast::Expr* of);
    std::vector<Element> elements(const std::vector<const ast::Expr*>& of);

    layout::Docs& docs_;
    CommentQueue& comments_;
    std::string_view text_;
    const ast::Expr* current_ = nullptr;
    int depth_ = 0;       // brackets around
    bool tight_ = false;  // operators without spaces: bounds of slices, dimensions of types
    bool in_type_ = false;
};

}  // namespace tsr
