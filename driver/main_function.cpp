#include "driver/main_function.h"

#include "runtime/abi.h"

namespace tsr::driver {

namespace {

using Names = std::vector<std::string>;

// The names of the variables that a `return` gives, "" for other expressions.
Names names_in(const ast::Expr* value) {
    auto name_of = [](const ast::Expr* expr) {
        const auto* name = std::get_if<ast::Name>(&expr->node);
        return name != nullptr ? name->text : std::string();
    };
    if (value == nullptr) return {};
    const auto* tuple = std::get_if<ast::Tuple>(&value->node);
    if (tuple == nullptr) return {name_of(value)};
    Names out;
    for (const ast::Expr* element : tuple->elements) out.push_back(name_of(element));
    return out;
}

void collect_returns(const ast::Block& block, std::vector<Names>& all) {
    for (const ast::Stmt* stmt : block) {
        if (const auto* returned = std::get_if<ast::Return>(&stmt->node)) all.push_back(names_in(returned->value));
        if (const auto* branch = std::get_if<ast::If>(&stmt->node)) {
            for (const auto& each : branch->branches) collect_returns(each.body, all);
            collect_returns(branch->otherwise, all);
        }
        if (const auto* loop = std::get_if<ast::For>(&stmt->node)) {
            collect_returns(loop->body, all);
            collect_returns(loop->otherwise, all);
        }
        if (const auto* loop = std::get_if<ast::While>(&stmt->node)) {
            collect_returns(loop->body, all);
            collect_returns(loop->otherwise, all);
        }
    }
}

}  // namespace

// A result has a name when every `return` gives the same variable for it.
std::vector<std::string> result_names(const ast::Block& body, size_t count) {
    std::vector<Names> returns;
    collect_returns(body, returns);
    Names out(count);
    for (size_t i = 0; i < count && !returns.empty(); ++i) {
        out[i] = i < returns[0].size() ? returns[0][i] : "";
        for (const Names& other : returns) {
            if (i >= other.size() || other[i] != out[i]) out[i].clear();
        }
    }
    // Two results of one name could not be told apart.
    for (size_t i = 0; i < count; ++i) {
        for (size_t j = 0; j < i; ++j) {
            if (out[i] == out[j]) out[i].clear();
        }
    }
    return out;
}

namespace {

uint64_t storage_bits(const sema::Static& value, DType type) {
    if (auto truth = value.boolean()) return *truth ? 1 : 0;
    if (is_float(type)) return tsr_f64_to_bits(value.real().value_or(0), static_cast<int32_t>(type));
    if (const auto* large = std::get_if<uint64_t>(&value.value)) return *large;
    return static_cast<uint64_t>(value.integer().value_or(0));
}

}  // namespace

void describe_main(const sema::Program& program, const Sources& sources, codegen::Program& out) {
    if (!program.main) return;
    const sema::Instance& main = program.instance(*program.main);
    out.main = main.name;
    for (const sema::ParameterInfo& parameter : main.parameters) {
        const ast::Expr* written = program.expr(main.module, parameter.default_value);
        if (!written) continue;
        const auto& value = main.info(*written).value;
        if (!value) continue;
        codegen::Default& made = out.defaults[parameter.name];
        made.text = sources.text(written->span);
        if (const std::string* text = value->string())
            made.string = *text;
        else
            made.bits = storage_bits(*value, parameter.type.elem());
    }
    bool several = main.result.is(sema::Kind::tuple);
    size_t count = main.result.is(sema::Kind::none) ? 0 : several ? main.result.parts().size() : 1;
    out.results = result_names(program.def(main.function).body, count);
}

}  // namespace tsr::driver
