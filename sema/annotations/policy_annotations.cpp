#include "sema/annotations/policy_annotations.h"

#include <algorithm>

#include <fmt/format.h>

#include "frontend/spelling.h"
#include "sema/state/entities.h"
#include "sema/state/recursion.h"
#include "sema/types/elements.h"
#include "sema/values/requirements.h"

namespace tsr::sema {

namespace {

// One policy being read: its word and what stands between its parentheses.
class Reader {
public:
    Reader(Body& body, const ast::Expr& e, Policy& policy, Scaling& scaling)
        : body_(body), at_(e), call_(std::get_if<ast::Call>(&e.node)), policy_(policy), scaling_(scaling) {
        word_ = last_name(call_ ? *call_->callee : e);
        name(call_ ? *call_->callee : e);
    }

    // False after a message.
    bool read() {
        if (word_ == "accum") return accum();
        if (word_ == "compute") return compute();
        if (word_ == "round") return round();
        if (word_ == "stochastic_round") {
            if (call_) return fault(at_.span, "`@stochastic_round` takes nothing");
            if (!once(policy_.round.has_value())) return false;
            policy_.round = Rounding::stochastic;
            return true;
        }
        if (word_ == "loss_scale") return loss_scale();
        if (word_ == "block_scale") return block_scale();
        return fault(at_.span, fmt::format("`@{}` is not a policy: there are accum, compute, round, stochastic_round, "
                                           "loss_scale and block_scale",
                                           word_));
    }

private:
    void name(const ast::Expr& e) {
        for (const char* known : {"accum", "compute", "round", "stochastic_round", "loss_scale", "block_scale", "rn",
                                  "rz", "tf32", "dynamic"}) {
            if (last_name(e) == known) body_.note(e, language_entity(NameKind::policy, known));
        }
    }
    bool fault(Span at, const std::string& message) {
        body_.error("E0326", at, message);
        return false;
    }
    bool once(bool known) {
        if (!known) return true;
        return fault(at_.span, fmt::format("a type has one policy of the kind of `@{}`", word_));
    }
    // The one argument; null after a message.
    const ast::Expr* argument(std::string_view takes) {
        if (call_ && call_->arguments.size() == 1 && call_->arguments[0].value && !call_->arguments[0].keyword)
            return call_->arguments[0].value;
        fault(at_.span, fmt::format("`@{}` takes {}", word_, takes));
        return nullptr;
    }

    std::optional<DType> element_type(std::string_view takes, std::initializer_list<DType> types) {
        const ast::Expr* e = argument(takes);
        if (!e) return std::nullopt;
        const auto type = named_dtype(body_, *e);
        if (!type || std::ranges::find(types, *type) != types.end()) return type;
        fault(e->span, fmt::format("`@{}` takes {}", word_, takes));
        return std::nullopt;
    }

    bool accum() {
        using enum DType;
        if (!once(policy_.accum.has_value())) return false;
        policy_.accum =
            element_type("one of f16, bf16, f32, f64, i32 and i64: `@accum(f32)`", {f16, bf16, f32, f64, i32, i64});
        return policy_.accum.has_value();
    }

    bool compute() {
        using enum DType;
        constexpr std::string_view kTakes = "one of f16, bf16, f32, f64 and tf32: `@compute(f32)`";
        if (!once(policy_.compute.has_value() || policy_.compute_tf32)) return false;
        if (call_ && call_->arguments.size() == 1 && last_name(*call_->arguments[0].value) == "tf32") {
            name(*call_->arguments[0].value);
            policy_.compute_tf32 = true;
            return true;
        }
        policy_.compute = element_type(kTakes, {f16, bf16, f32, f64});
        return policy_.compute.has_value();
    }

    bool round() {
        if (!once(policy_.round.has_value())) return false;
        const ast::Expr* mode = argument("rn or rz: `@round(rz)`");
        if (!mode) return false;
        const std::string word = last_name(*mode);
        if (word != "rn" && word != "rz")
            return fault(mode->span, "`@round` takes rn (to nearest, ties to even) or rz (toward zero)");
        name(*mode);
        policy_.round = word == "rz" ? Rounding::toward_zero : Rounding::nearest_even;
        return true;
    }

    bool loss_scale() {
        constexpr std::string_view kTakes = "a positive number or `dynamic`";
        if (!once(scaling_.loss.has_value() || scaling_.loss_dynamic)) return false;
        const ast::Expr* e = argument(kTakes);
        if (!e) return false;
        if (last_name(*e) == "dynamic") {
            name(*e);
            scaling_.loss_dynamic = true;
            body_.checker.program.scales_losses = true;
            return true;
        }
        const Value scale = expression(body_, *e);
        const auto value = scale.value ? scale.value->real() : std::nullopt;
        if (!value || *value <= 0) return fault(e->span, fmt::format("`@loss_scale` takes {}", kTakes));
        scaling_.loss = value;
        return true;
    }

    // `@block_scale(32, e8m0, axis=0)`
    bool block_scale() {
        constexpr std::string_view kTakes =
            "`@block_scale` takes how many elements share a scale and the type of the scales: `@block_scale(32, e8m0)`";
        if (!once(scaling_.block.has_value())) return false;
        const ast::Expr *n = nullptr, *type = nullptr, *axis = nullptr;
        for (size_t i = 0; call_ && i < call_->arguments.size(); ++i) {
            const ast::Argument& argument = call_->arguments[i];
            const std::string key = argument.keyword ? argument.keyword->text : i == 0 ? "n" : i == 1 ? "T" : "axis";
            const ast::Expr** place = key == "n" ? &n : key == "T" ? &type : key == "axis" ? &axis : nullptr;
            if (!place || *place || i > 2) return fault(at_.span, std::string(kTakes));
            *place = argument.value;
        }
        if (!n || !type) return fault(at_.span, std::string(kTakes));
        BlockScale scale;
        const auto elements = static_integer(body_, *n, "the number of elements of a block");
        const auto scales = named_dtype(body_, *type);
        const auto along = axis ? static_integer(body_, *axis, "`axis`") : std::optional<int64_t>(-1);
        if (!elements || !scales || !along) return false;
        if (*elements <= 0) return fault(n->span, "a block has elements");
        scaling_.block = BlockScale{*elements, *scales, *along};
        return true;
    }

    Body& body_;
    const ast::Expr& at_;
    const ast::Call* call_;
    Policy& policy_;
    Scaling& scaling_;
    std::string word_;
};

}  // namespace

// False after a message.
bool policy_annotations(Body& b, const std::vector<const ast::Expr*>& written, Policy& policy, Scaling& scaling) {
    return std::ranges::all_of(written, [&](const ast::Expr* e) { return Reader(b, *e, policy, scaling).read(); });
}

}  // namespace tsr::sema
