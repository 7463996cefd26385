// The generated parser's base: bounds how deep it calls itself.
#pragma once

#include <antlr4-runtime.h>

namespace tsr {

// Nested brackets, prefix operators, conditionals and lambdas each make the parser call itself; past this the process's
// stack would decide. Two of these are used by one bracket.
inline constexpr int kMostRecursions = 700;

class ParserBase : public antlr4::Parser {
public:
    explicit ParserBase(antlr4::TokenStream* input) : Parser(input) {}

    using Parser::enterRecursionRule;
    // Throws a RecognitionException, which the rule that called reports and recovers from like any other.
    void enterRecursionRule(antlr4::ParserRuleContext* context, size_t state, size_t rule, int precedence) override;
    void unrollRecursionContexts(antlr4::ParserRuleContext* parent) override;

    // True while the error being reported is that of the bound.
    [[nodiscard]] bool too_deep() const { return depth_ >= kMostRecursions; }

private:
    int depth_ = 0;
};

}  // namespace tsr
