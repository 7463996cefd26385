// Precision policies: classes that say how tensors are quantized and read. A tensor of one is a record of its values
// and their scales; block formats are such classes of the library. Their methods take no record: what the text calls
// `self` is the class.
#include <algorithm>

#include <fmt/format.h>

#include "sema/builtins/builtins.h"
#include "sema/builtins/library.h"
#include "sema/state/checker.h"
#include "sema/state/entities.h"
#include "sema/state/scope.h"

namespace tsr::sema {

namespace {

// `values: Tree`, …: each record has what it is made of.
void add_fields(Program& program, ast::FunctionDef& constructor, std::initializer_list<const char*> names) {
    const Span at = constructor.name.span;
    for (const char* name : names) {
        const ast::Expr& root = program.made.expr(at, ast::Name{"tessera"});
        const ast::Expr& any = program.made.expr(at, ast::Attribute{&root, {"Tree", at}});
        constructor.parameters.push_back({{name, at}, &any, nullptr});
    }
}

struct PolicyType {
    const char* name;
    DType StoredForm::* at;
};
constexpr PolicyType kPolicyTypes[] = {{"storage", &StoredForm::storage},
                                       {"scale", &StoredForm::scale},
                                       {"compute", &StoredForm::compute},
                                       {"accumulate", &StoredForm::accumulate}};

}  // namespace

void Checker::declare_policy_member(ModuleId module, RecordClass& made, const ast::Stmt& stmt) {
    const auto refuse = [&](Span at, const std::string& message) { return &diagnostics.error("E0341", at, message); };
    if (const auto* assign = std::get_if<ast::Assign>(&stmt.node)) {
        const auto* name = assign->targets.size() == 1 ? std::get_if<ast::Name>(&assign->targets[0]->node) : nullptr;
        const std::string text = name ? name->text : "";
        if (text == "block") {
            const auto* number = std::get_if<ast::IntLiteral>(&assign->value->node);
            if (!number || number->value == 0 || number->value > (1 << 20)) {
                refuse(assign->value->span, "`block` is a number of elements: `block = 32`");
            } else {
                made.form->block = static_cast<int64_t>(number->value);
            }
            return;
        }
        const auto* entry = std::ranges::find_if(kPolicyTypes, [&](const PolicyType& t) { return text == t.name; });
        if (entry == std::end(kPolicyTypes)) {
            refuse(stmt.span, "a precision policy sets `storage`, `scale`, `compute`, `accumulate` and `block`");
            return;
        }
        const Symbol type = resolve(module, *assign->value);
        note_path(*this, module, *assign->value, names, NameKind::element_type);
        const bool number =
            type.kind == Symbol::Kind::dtype && type.dtype != DType::boolean && type.dtype != DType::c64;
        const bool wide = type.dtype == DType::f64 || type.dtype == DType::f32 || type.dtype == DType::f16 ||
                          type.dtype == DType::bf16;
        const bool sums = text == "accumulate" && (type.dtype == DType::i32 || type.dtype == DType::i64);
        const bool scales = text == "scale" && type.dtype == DType::e8m0;
        if (!number || (text != "storage" && !wide && !sums && !scales)) {
            refuse(assign->value->span, text == "storage" ? "`storage` is an element type: `storage = int8`"
                                                          : fmt::format("`{0}` is a float type: `{0} = f32`", text));
            return;
        }
        (*made.form).*(entry->at) = type.dtype;
        return;
    }
    if (const auto* method = std::get_if<ast::FunctionDef>(&stmt.node)) {
        const std::string& text = method->name.text;
        if (method->parameters.empty()) {
            refuse(method->name.span, fmt::format("the method `{}` has no parameter for the policy: `self`", text));
        } else if (made.methods.contains(text)) {
            refuse(method->name.span, fmt::format("the class has `{}` already", text));
        } else {
            ast::FunctionDef own = *method;
            own.parameters.erase(own.parameters.begin());
            const FunctionId id = declare_function(module, program.made.stmt(stmt.span, std::move(own)), std::nullopt);
            Function& function = program.functions[id.index];
            function.name = made.name + "." + text;
            function.method_of = &made;
            function.self = method->parameters[0].name.text;
            made.methods[text] = id;
            names.push_back({method->name.span, function_entity(program, id), true});
        }
        return;
    }
    const auto* alone = std::get_if<ast::ExprStmt>(&stmt.node);
    const bool docstring = alone && (std::holds_alternative<ast::StringLiteral>(alone->value->node) ||
                                     std::holds_alternative<ast::EllipsisLiteral>(alone->value->node));
    const bool empty =
        std::holds_alternative<ast::Pass>(stmt.node) || std::holds_alternative<ast::BrokenStmt>(stmt.node);
    if (!empty && !docstring)
        refuse(stmt.span,
               "a precision policy has element types, `storage = int8`, and the methods `quantize` and `dequantize`");
}

void Checker::declare_policy(ModuleId module, RecordClass& made, ast::FunctionDef& constructor,
                             const ast::ClassDef& def) {
    made.form = StoredForm{};
    bool stores = false;
    for (const ast::Stmt* member : def.body) {
        declare_policy_member(module, made, *member);
        const auto* assign = std::get_if<ast::Assign>(&member->node);
        const auto* name = assign ? std::get_if<ast::Name>(&assign->targets[0]->node) : nullptr;
        stores |= name && name->text == "storage";
    }
    if (!stores)
        diagnostics.error("E0341", def.name.span, "a precision policy says its element type: `storage = int8`");
    for (const char* name : {"quantize", "dequantize"}) {
        if (!made.methods.contains(name))
            diagnostics.error("E0341", def.name.span, fmt::format("the precision policy has no method `{}`", name))
                .note(
                    "`def quantize(self, x: f32[n]) -> (int8[n], f32)` gives values and their scale, "
                    "`def dequantize(self, x: int8[n], scale: f32) -> f32[n]` what they stand for");
    }
    add_fields(program, constructor, {"values", "scale"});
}

FunctionId Checker::class_of(const StoredForm& form) {
    const std::string name = name_of(form);
    if (const auto known = block_classes_.find(name); known != block_classes_.end()) return known->second;
    const FunctionId quantize = library_function(*sema::library_function("quantize"));
    const Function& library = program.function(quantize);
    RecordClass& made = program.classes.emplace_back();
    made.name = name;
    made.form = form;
    ast::FunctionDef constructor;
    constructor.name = {name, program.def(quantize).name.span};
    constructor.header = constructor.name.span;
    if (form.rule == StoredForm::Rule::nvfp4) {
        add_fields(program, constructor, {"values", "scale", "tensor_scale"});
    } else {
        add_fields(program, constructor, {"values", "scale"});
    }
    const ModuleId module = library.module;
    const Span span = constructor.name.span;
    const ast::Stmt& stmt = program.made.stmt(span, std::move(constructor));
    const FunctionId id = declare_function(module, stmt, std::nullopt);
    program.functions[id.index].makes = &made;
    program.functions[id.index].generic = true;
    made.constructor = id;
    return block_classes_[name] = id;
}

std::optional<FunctionId> Checker::stored_class(const Symbol& symbol) {
    if (symbol.kind == Symbol::Kind::class_) {
        const RecordClass* made = program.function(symbol.function).makes;
        return made && made->form ? std::optional(symbol.function) : std::nullopt;
    }
    const auto form = symbol.kind == Symbol::Kind::builtin ? named_form(symbol.builtin->id) : std::nullopt;
    return form ? std::optional(class_of(*form)) : std::nullopt;
}

}  // namespace tsr::sema
