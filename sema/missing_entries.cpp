#include "sema/missing_entries.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "frontend/spelling.h"
#include "ir/core/internal.h"
#include "sema/types/truth.h"

namespace tsr::sema {

namespace {

// What an expression is for where it stands.
enum class Role : uint8_t { value, index, argument, callee, target, type, type_word, privilege };

// A form that stands for no value by itself: what it is made of has entries, or nothing has.
struct Form {
    Role role;
    bool (*is)(const ast::ExprNode&);
    std::string_view reason;
};

template <class... Nodes>
bool is_one_of(const ast::ExprNode& node) {
    return (std::holds_alternative<Nodes>(node) || ...);
}

constexpr std::array kForms{
    Form{Role::index, is_one_of<ast::Slice>, "its bounds are values, the axis says what they mean"},
    Form{Role::index, is_one_of<ast::Tuple>, "`A[(i, j)]` is `A[i, j]`"},
    Form{
        Role::argument, is_one_of<ast::Tuple, ast::List>,
        "a built-in function reads the elements, which need no common type: axes, names of parameters, what is joined"},
    Form{Role::callee, is_one_of<ast::Attribute>, "a method's name: the entry of the call says which method it is"},
    Form{Role::target, is_one_of<ast::Name, ast::Attribute, ast::Subscript, ast::Tuple, ast::List>,
         "it is given a value and has none: variables and statements say what is written"},
    Form{Role::type_word, is_one_of<ast::Name, ast::Attribute, ast::Subscript>,
         "what stands before the brackets or the dot of a type means something only with them"},
    Form{Role::privilege, is_one_of<ast::Name, ast::Attribute>, "a word of `Region[…]`"},
};

class Walk {
public:
    Walk(const Checker& checker, const Instance& instance, std::vector<MissingEntry>& missing)
        : checker_(checker),
          instance_(instance),
          left_out_behind_(checker.states[instance.id.index].left_out_behind),
          missing_(missing) {
        if (instance.function.valid()) function_ = &checker.program.function(instance.function);
        several_ = function_ && (function_->generic || !instance.kernel.tuning.empty());
    }

    void all() {
        if (!function_) return block(checker_.program.modules[instance_.module.index].tree->body);
        if (function_->derived) return;  // it has no text: what it computes stands in the function that it is of
        const ast::FunctionDef& def = checker_.program.def(*function_);
        for (const ast::Parameter& parameter : def.parameters) {
            expr(Role::type, parameter.annotation);
            expr(Role::value, parameter.default_value);
        }
        expr(Role::type, def.result);
        if (!instance_.tuned) block(def.body);
    }

private:
    static bool is_in_type(Role role) { return role == Role::type || role == Role::type_word; }

    // Decorators and classes are read before any instance is; nested functions are instances of their own.
    void block(const ast::Block& statements) {
        for (const ast::Stmt* stmt : statements) {
            const auto loop = instance_.loops.find(stmt->id);
            const bool rounds = loop != instance_.loops.end() && loop->second.rounds.valid();
            const ast::Stmt* checked = rounds ? checker_.program.made.find(loop->second.rounds) : stmt;
            std::visit([&](const auto& node) { statement(node); }, checked->node);
            if (left_out_behind_.contains(stmt->id)) return;
        }
    }
    void statement(const ast::ExprStmt& s) { expr(Role::value, s.value); }
    void statement(const ast::Assign& s) {
        for (const ast::Expr* target : s.targets) expr(Role::target, target);
        expr(Role::value, s.value);
    }
    void statement(const ast::AugmentedAssign& s) { expr(Role::value, s.target), expr(Role::value, s.value); }
    void statement(const ast::AnnotatedAssign& s) {
        expr(Role::target, s.target);
        expr(Role::type, s.annotation);
        expr(Role::value, s.value);
    }
    void statement(const ast::If& s) {
        for (const ast::If::Branch& branch : s.branches) {
            expr(Role::value, branch.condition);
            const std::optional<bool> holds = decides(*branch.condition);
            if (holds != false) block(branch.body);
            if (holds == true) return;
        }
        block(s.otherwise);
    }
    void statement(const ast::For& s) {
        expr(Role::target, s.target);
        expr(Role::value, s.iterable);
        block(s.body);
        block(s.otherwise);
    }
    void statement(const ast::While& s) {
        expr(Role::value, s.condition);
        block(s.body);
        block(s.otherwise);
    }
    void statement(const ast::Return& s) { expr(Role::value, s.value); }
    void statement(const ast::Assert& s) { expr(Role::value, s.condition), expr(Role::value, s.message); }
    void statement(const ast::BrokenStmt&) {}
    void statement(const ast::Break&) {}
    void statement(const ast::Continue&) {}
    void statement(const ast::Pass&) {}
    void statement(const ast::FunctionDef&) {}
    void statement(const ast::ClassDef&) {}
    void statement(const ast::Import&) {}
    void statement(const ast::FromImport&) {}

    // In a function that is checked for each signature a static condition leaves out what it excludes.
    [[nodiscard]] std::optional<bool> decides(const ast::Expr& condition) const {
        const auto entry = instance_.exprs.find(condition.id);
        if (!several_ || entry == instance_.exprs.end()) return std::nullopt;
        return known_truth(entry->second.type, entry->second.value, rules_of(instance_.context).host_objects);
    }

    void expr(Role role, const ast::Expr* e) {
        if (!e) return;
        const auto entry = instance_.exprs.find(e->id);
        const bool known = entry != instance_.exprs.end();
        const bool needs_none =
            std::ranges::any_of(kForms, [&](const Form& form) { return form.role == role && form.is(e->node); });
        if (!known && !needs_none) {
            missing_.push_back({instance_.id, e});
            return;
        }
        const auto displays = checker_.program.made.library_calls.find({instance_.module, e->id});
        if (std::holds_alternative<ast::Comprehension>(e->node) &&
            displays != checker_.program.made.library_calls.end()) {
            const auto checked =
                std::ranges::find_if(displays->second, [&](ast::ExprId id) { return instance_.exprs.contains(id); });
            if (checked != displays->second.end()) return expr(role, checker_.program.made.find(*checked));
        }
        const bool names_type = known && entry->second.type.is(Kind::type);
        const Role within = names_type ? Role::type : known && role != Role::type ? Role::value : role;
        std::visit([&](const auto& node) { parts(within, node); }, e->node);
    }
    // Displays that stand for no value by themselves pass on what they are for.
    void elements(Role role, const std::vector<const ast::Expr*>& elements) {
        for (const ast::Expr* element : elements) expr(role, element);
    }

    void parts(Role, const ast::Hole&) {}
    void parts(Role, const ast::Name&) {}
    void parts(Role, const ast::IntLiteral&) {}
    void parts(Role, const ast::FloatLiteral&) {}
    void parts(Role, const ast::StringLiteral&) {}
    void parts(Role, const ast::BoolLiteral&) {}
    void parts(Role, const ast::NoneLiteral&) {}
    void parts(Role, const ast::EllipsisLiteral&) {}
    void parts(Role, const ast::Lambda&) {}  // an instance of its own
    void parts(Role, const ast::FString& e) {
        for (const ast::FString::Part& part : e.parts) expr(Role::value, part.value), expr(Role::value, part.spec);
    }
    void parts(Role, const ast::Unary& e) { expr(Role::value, e.operand); }
    void parts(Role, const ast::Binary& e) { expr(Role::value, e.lhs), expr(Role::value, e.rhs); }
    void parts(Role, const ast::Compare& e) {
        expr(Role::value, e.first);
        for (const ast::Compare::Link& link : e.links) expr(Role::value, link.rhs);
    }
    void parts(Role, const ast::Logical& e) {
        for (const ast::Expr* operand : e.operands) {
            expr(Role::value, operand);
            if (decides(*operand) == (e.op == ast::BoolOp::logical_or)) return;
        }
    }
    void parts(Role, const ast::Conditional& e) {
        expr(Role::value, e.condition);
        const std::optional<bool> holds = decides(*e.condition);
        if (holds != false) expr(Role::value, e.then);
        if (holds != true) expr(Role::value, e.otherwise);
    }
    void parts(Role, const ast::Call& e) {
        expr(Role::callee, e.callee);
        for (const ast::Argument& argument : e.arguments) expr(Role::argument, argument.value);
    }
    void parts(Role role, const ast::Subscript& e) {
        if (!is_in_type(role)) {
            expr(Role::value, e.base);
            return elements(Role::index, e.indices);
        }
        expr(Role::type_word, e.base);
        const bool region = last_name(*e.base) == "Region";
        for (size_t i = 0; i < e.indices.size(); ++i)
            expr(region && i == 0 ? Role::privilege : Role::type, e.indices[i]);
    }
    void parts(Role, const ast::Slice& e) {
        expr(Role::value, e.lower), expr(Role::value, e.upper), expr(Role::value, e.step);
    }
    void parts(Role role, const ast::Attribute& e) { expr(is_in_type(role) ? Role::type_word : Role::value, e.base); }
    void parts(Role role, const ast::Tuple& e) { elements(role, e.elements); }
    void parts(Role role, const ast::List& e) { elements(role, e.elements); }
    void parts(Role, const ast::Dict& e) {
        for (const auto& [key, value] : e.entries) expr(Role::value, key), expr(Role::value, value);
    }
    void parts(Role, const ast::Comprehension& e) {
        for (const ast::Comprehension::Clause& clause : e.clauses) {
            expr(Role::target, clause.target);
            expr(Role::value, clause.iterable);
            elements(Role::value, clause.conditions);
        }
        expr(Role::value, e.element);
        expr(Role::value, e.value);
    }
    void parts(Role, const ast::Qualified& e) { expr(Role::type, e.type); }
    void parts(Role, const ast::WithPolicy& e) { expr(Role::type, e.type); }  // policies are words of the type

    const Checker& checker_;
    const Instance& instance_;
    const std::set<ast::StmtId>& left_out_behind_;
    std::vector<MissingEntry>& missing_;
    const Function* function_ = nullptr;  // nullptr: a module's statements
    bool several_ = false;                // as Body::is_checked_for_each
};

}  // namespace

std::vector<MissingEntry> missing_entries(const Checker& checker) {
    std::vector<MissingEntry> missing;
    if (checker.diagnostics.has_errors() || checker.cancelled()) return missing;
    for (const Instance& instance : checker.program.instances) {
        if (instance.complete && instance.reached) Walk(checker, instance, missing).all();
    }
    return missing;
}

void require_entries(const Checker& checker) {
    const std::vector<MissingEntry> missing = missing_entries(checker);
    if (missing.empty()) return;
    const MissingEntry& first = missing.front();
    const Span at = first.expr->span;
    ir::internal_error(fmt::format("{}: `{}` was not checked in `{}`, nor were {} others",
                                   checker.sources.path(at.file), checker.sources.text(at),
                                   checker.program.instance(first.instance).name, missing.size() - 1));
}

}  // namespace tsr::sema
