// `textDocument/foldingRange`: blocks under their headers, documentation, runs of comments and of imports.
#include <algorithm>

#include "lsp/methods.h"

namespace tsr::lsp {

namespace {

class Folds {
public:
    explicit Folds(const Analysis& analysis) : analysis_(analysis) {}

    Json run() {
        const ast::Module& module = *analysis_.tree;
        if (module.docstring) add(module.docstring_span, "comment");
        block(module.body);
        comments(module.comments);
        return std::move(found_);
    }

private:
    [[nodiscard]] uint32_t line(uint32_t offset) const { return analysis_.position(analysis_.root, offset).line; }

    void add(uint32_t first, uint32_t last, const char* kind) {
        if (last <= first) return;
        Json one = {{"startLine", first}, {"endLine", last}};
        if (kind) one["kind"] = kind;
        found_.push_back(std::move(one));
    }
    void add(Span span, const char* kind) { add(line(span.begin), line(last_place(span)), kind); }
    static uint32_t last_place(Span span) { return span.end > span.begin ? span.end - 1 : span.end; }

    // A block under its header.
    void body(Span header, const ast::Block& statements) {
        if (!statements.empty()) add(line(last_place(header)), line(last_place(statements.back()->span)), nullptr);
        block(statements);
    }

    void block(const ast::Block& statements) {
        const ast::Stmt* first_import = nullptr;
        const ast::Stmt* last_import = nullptr;
        for (const ast::Stmt* stmt : statements) {
            const bool import =
                std::holds_alternative<ast::Import>(stmt->node) || std::holds_alternative<ast::FromImport>(stmt->node);
            if (import) {
                if (!first_import) first_import = stmt;
                last_import = stmt;
                continue;
            }
            end_imports(first_import, last_import);
            std::visit(*this, stmt->node);
        }
        end_imports(first_import, last_import);
    }

    void end_imports(const ast::Stmt*& first, const ast::Stmt*& last) {
        if (first) add(line(first->span.begin), line(last_place(last->span)), "imports");
        first = last = nullptr;
    }

    // Comments on lines of their own, each right below the one before.
    void comments(const std::vector<ast::Comment>& all) {
        for (size_t i = 0; i < all.size();) {
            size_t last = i;
            while (all[i].own_line && last + 1 < all.size() && all[last + 1].own_line &&
                   line(all[last + 1].span.begin) == line(all[last].span.begin) + 1) {
                ++last;
            }
            add(line(all[i].span.begin), line(all[last].span.begin), "comment");
            i = last + 1;
        }
    }

public:
    void operator()(const ast::If& branching) {
        for (const auto& branch : branching.branches) body(branch.header, branch.body);
        block(branching.otherwise);
    }
    void operator()(const ast::For& loop) {
        body(loop.header, loop.body);
        block(loop.otherwise);
    }
    void operator()(const ast::While& loop) {
        body(loop.header, loop.body);
        block(loop.otherwise);
    }
    void operator()(const ast::FunctionDef& def) {
        if (def.docstring) add(def.docstring_span, "comment");
        body(def.header, def.body);
    }
    void operator()(const ast::ClassDef& def) {
        if (def.docstring) add(def.docstring_span, "comment");
        body(def.header, def.body);
    }
    template <class Other>
    void operator()(const Other&) {}

private:
    const Analysis& analysis_;
    Json found_ = Json::array();
};

}  // namespace

Json answer_folding_range(Workspace& workspace, const Json& params) {
    return Folds(workspace.analysis(workspace.document_of(params))).run();
}

}  // namespace tsr::lsp
