#include "driver/smaller_texts.h"

#include <algorithm>

#include "base/diagnostics.h"
#include "frontend/parse.h"

namespace tsr::driver {

namespace {

// The blocks of a statement, in the order of the text.
std::vector<const ast::Block*> blocks_of(const ast::Stmt& stmt) {
    std::vector<const ast::Block*> blocks;
    if (const auto* choice = std::get_if<ast::If>(&stmt.node)) {
        for (const auto& branch : choice->branches) blocks.push_back(&branch.body);
        if (!choice->otherwise.empty()) blocks.push_back(&choice->otherwise);
    }
    if (const auto* loop = std::get_if<ast::For>(&stmt.node)) blocks = {&loop->body, &loop->otherwise};
    if (const auto* loop = std::get_if<ast::While>(&stmt.node)) blocks = {&loop->body, &loop->otherwise};
    if (const auto* function = std::get_if<ast::FunctionDef>(&stmt.node)) blocks.push_back(&function->body);
    if (const auto* record = std::get_if<ast::ClassDef>(&stmt.node)) blocks.push_back(&record->body);
    std::erase_if(blocks, [](const ast::Block* block) { return block->empty(); });
    return blocks;
}

// Expressions that could stand for the whole, and lists of which an element could go.
struct Parts {
    std::vector<const ast::Expr*> values;
    std::vector<Span> elements;
};

Parts parts_of(const ast::Expr& expr) {
    Parts parts;
    const auto value = [&](const ast::Expr* part) {
        if (part != nullptr && part->span.valid()) parts.values.push_back(part);
    };
    const auto element = [&](const ast::Expr* part) {
        value(part);
        if (part != nullptr && part->span.valid()) parts.elements.push_back(part->span);
    };
    if (const auto* unary = std::get_if<ast::Unary>(&expr.node)) value(unary->operand);
    if (const auto* binary = std::get_if<ast::Binary>(&expr.node)) {
        value(binary->lhs);
        value(binary->rhs);
    }
    if (const auto* compare = std::get_if<ast::Compare>(&expr.node)) {
        value(compare->first);
        for (const auto& link : compare->links) value(link.rhs);
    }
    if (const auto* logical = std::get_if<ast::Logical>(&expr.node)) {
        for (const ast::Expr* operand : logical->operands) value(operand);
    }
    if (const auto* conditional = std::get_if<ast::Conditional>(&expr.node)) {
        value(conditional->then);
        value(conditional->otherwise);
        value(conditional->condition);
    }
    if (const auto* call = std::get_if<ast::Call>(&expr.node)) {
        for (const ast::Argument& argument : call->arguments) {
            value(argument.value);
            if (argument.value == nullptr || !argument.value->span.valid()) continue;
            Span whole = argument.value->span;
            if (argument.keyword) whole.begin = argument.keyword->span.begin;
            parts.elements.push_back(whole);
        }
    }
    if (const auto* subscript = std::get_if<ast::Subscript>(&expr.node)) value(subscript->base);
    if (const auto* attribute = std::get_if<ast::Attribute>(&expr.node)) value(attribute->base);
    if (const auto* tuple = std::get_if<ast::Tuple>(&expr.node)) std::ranges::for_each(tuple->elements, element);
    if (const auto* list = std::get_if<ast::List>(&expr.node)) std::ranges::for_each(list->elements, element);
    if (const auto* dict = std::get_if<ast::Dict>(&expr.node)) {
        for (const auto& [key, held] : dict->entries) {
            if (key == nullptr || held == nullptr || !key->span.valid() || !held->span.valid()) continue;
            parts.elements.push_back(key->span.to(held->span));
        }
    }
    return parts;
}

bool needs_parentheses(const ast::Expr& expr) {
    return std::holds_alternative<ast::Unary>(expr.node) || std::holds_alternative<ast::Binary>(expr.node) ||
           std::holds_alternative<ast::Compare>(expr.node) || std::holds_alternative<ast::Logical>(expr.node) ||
           std::holds_alternative<ast::Conditional>(expr.node) || std::holds_alternative<ast::Lambda>(expr.node);
}

bool is_blank_line(std::string_view text) { return text.find_first_not_of(" \t") == std::string_view::npos; }

}  // namespace

std::string applied(const std::string& text, const std::vector<Edit>& edits) {
    std::string out;
    uint32_t at = 0;
    for (const Edit& edit : edits) {
        out += text.substr(at, edit.begin - at) + edit.text;
        at = edit.end;
    }
    return out + text.substr(at);
}

SmallerTexts::SmallerTexts(const std::string& text) {
    Diagnostics diagnostics;
    file_ = sources_.add("program.tsr", text);
    module_ = parse(file_, sources_, diagnostics);
}

Edit SmallerTexts::whole_lines(Span span) const {
    const std::string_view all = text();
    const size_t before = span.begin == 0 ? 0 : all.rfind('\n', span.begin - 1) + 1;
    const size_t end = std::min(all.find('\n', span.end), all.size());
    if (!is_blank_line(all.substr(before, span.begin - before)) || !is_blank_line(all.substr(span.end, end - span.end)))
        return {span.begin, span.end, ""};
    return {static_cast<uint32_t>(before), static_cast<uint32_t>(std::min(end + 1, all.size())), ""};
}

// With its lines where it has them for itself.
Edit SmallerTexts::removal(const ast::Stmt& stmt) const {
    Edit edit = whole_lines(stmt.span);
    if (edit.begin == stmt.span.begin && edit.end == stmt.span.end) edit.text = "pass";
    return edit;
}

void SmallerTexts::add_blocks(const ast::Block& block, std::vector<BlockEdits>& all) const {
    BlockEdits& own = all.emplace_back();
    for (const ast::Stmt* stmt : block) {
        if (stmt->span.valid()) own.removals.push_back(removal(*stmt));
    }
    for (const ast::Stmt* stmt : block) {
        for (const ast::Block* inner : blocks_of(*stmt)) add_blocks(*inner, all);
    }
}

std::vector<BlockEdits> SmallerTexts::blocks() const {
    std::vector<BlockEdits> all;
    add_blocks(module_->body, all);
    all.front().may_be_empty = true;
    return all;
}

// The lines of a block, as far to the left as the statement around it.
std::string SmallerTexts::body_text(const ast::Block& body, const ast::Stmt& around) const {
    const auto column = [&](Span span) { return sources_.position(file_, span.begin).column - 1; };
    const uint32_t deeper = column(body.front()->span) - column(around.span);
    const std::string_view lines = sources_.text(body.front()->span.to(body.back()->span));
    std::string out;
    for (size_t i = 0; i < lines.size(); ++i) {
        out += lines[i];
        if (lines[i] != '\n') continue;
        size_t spaces = 0;
        while (spaces < deeper && i + 1 + spaces < lines.size() && lines[i + 1 + spaces] == ' ') ++spaces;
        i += spaces;
    }
    return out;
}

void SmallerTexts::add_simpler(const ast::Stmt& stmt, std::vector<Edit>& edits) const {
    const bool is_definition =
        std::holds_alternative<ast::FunctionDef>(stmt.node) || std::holds_alternative<ast::ClassDef>(stmt.node);
    for (const ast::Block* block : blocks_of(stmt)) {
        const bool on_its_own_line =
            sources_.position(file_, block->front()->span.begin).line > sources_.position(file_, stmt.span.begin).line;
        if (!is_definition && on_its_own_line)
            edits.push_back({stmt.span.begin, stmt.span.end, body_text(*block, stmt)});
    }
    if (const auto* choice = std::get_if<ast::If>(&stmt.node)) {
        const auto& last = choice->branches.back().body;
        if (!choice->otherwise.empty() && !last.empty())
            edits.push_back({last.back()->span.end, choice->otherwise.back()->span.end, ""});
    }
    const auto without = [&](Span span) {
        if (span.valid()) edits.push_back(whole_lines(span));
    };
    const auto docstring = [&](Span span, const ast::Block& body) {
        if (span.valid()) edits.push_back(body.empty() ? Edit{span.begin, span.end, "pass"} : whole_lines(span));
    };
    if (const auto* function = std::get_if<ast::FunctionDef>(&stmt.node)) {
        for (const ast::Decorator& decorator : function->decorators) without(decorator.span);
        docstring(function->docstring_span, function->body);
    }
    if (const auto* record = std::get_if<ast::ClassDef>(&stmt.node)) {
        for (const ast::Decorator& decorator : record->decorators) without(decorator.span);
        docstring(record->docstring_span, record->body);
    }
    if (const auto* assign = std::get_if<ast::Assign>(&stmt.node); assign != nullptr && assign->value->span.valid())
        edits.push_back({stmt.span.begin, assign->value->span.begin, ""});
    if (const auto* result = std::get_if<ast::Return>(&stmt.node); result != nullptr && result->value != nullptr)
        edits.push_back({stmt.span.begin, stmt.span.end, "return"});
}

std::vector<Edit> SmallerTexts::simpler_statements() const {
    std::vector<Edit> edits;
    for (const ast::Stmt& stmt : module_->stmts) {
        if (stmt.span.valid()) add_simpler(stmt, edits);
    }
    if (module_->docstring_span.valid()) edits.push_back(whole_lines(module_->docstring_span));
    std::ranges::stable_sort(edits, {}, [](const Edit& edit) { return edit.begin; });
    return edits;
}

std::vector<Edit> SmallerTexts::unread_lines() const {
    std::vector<Edit> edits;
    for (const ast::Comment& comment : module_->comments) edits.push_back(whole_lines(comment.span));
    const std::string_view all = text();
    for (size_t begin = 0; begin < all.size();) {
        const size_t end = std::min(all.find('\n', begin), all.size() - 1) + 1;
        const std::string_view line = all.substr(begin, end - begin);
        const bool in_string = std::ranges::any_of(module_->exprs, [&](const ast::Expr& expr) {
            return expr.span.valid() && expr.span.begin < begin && expr.span.end > end;
        });
        if (!in_string && line.find_first_not_of(" \t\n") == std::string_view::npos)
            edits.push_back({static_cast<uint32_t>(begin), static_cast<uint32_t>(end), ""});
        begin = end;
    }
    std::ranges::sort(edits, {}, &Edit::begin);
    return edits;
}

std::vector<Edit> SmallerTexts::simpler(const ast::Expr& expr) const {
    std::vector<Edit> edits;
    const Parts parts = parts_of(expr);
    for (const ast::Expr* part : parts.values) {
        const std::string own(sources_.text(part->span));
        edits.push_back({expr.span.begin, expr.span.end, own});
        if (needs_parentheses(*part)) edits.push_back({expr.span.begin, expr.span.end, "(" + own + ")"});
    }
    for (size_t i = 0; parts.elements.size() > 1 && i < parts.elements.size(); ++i) {
        const bool last = i + 1 == parts.elements.size();
        edits.push_back({last ? parts.elements[i - 1].end : parts.elements[i].begin,
                         last ? parts.elements[i].end : parts.elements[i + 1].begin, ""});
    }
    if (parts.elements.size() == 1) edits.push_back({parts.elements[0].begin, parts.elements[0].end, ""});
    for (const char* number : {"1", "1.0"}) {
        if (!parts.values.empty()) edits.push_back({expr.span.begin, expr.span.end, number});
    }
    std::erase_if(edits, [](const Edit& edit) { return edit.text.size() >= edit.end - edit.begin; });
    std::ranges::stable_sort(
        edits, {}, [](const Edit& edit) { return static_cast<int64_t>(edit.text.size()) - (edit.end - edit.begin); });
    return edits;
}

std::vector<std::vector<Edit>> SmallerTexts::simpler_expressions() const {
    std::vector<const ast::Expr*> all;
    for (const ast::Expr& expr : module_->exprs) {
        if (expr.span.valid()) all.push_back(&expr);
    }
    std::ranges::stable_sort(all, [](const ast::Expr* a, const ast::Expr* b) {
        return a->span.begin != b->span.begin ? a->span.begin < b->span.begin : a->span.end > b->span.end;
    });
    std::vector<std::vector<Edit>> edits;
    for (const ast::Expr* expr : all) edits.push_back(simpler(*expr));
    return edits;
}

}  // namespace tsr::driver
