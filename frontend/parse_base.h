// The generated parser's base: bounds how deep it calls itself.
#pragma once

#include <antlr4-runtime.h>

namespace tsr {

// Nested brackets, conditionals and lambdas each make the parser call its rule `test`; past this the process's stack
// would decide.
inline constexpr int kMostRecursions = 350;

class ParserBase : public antlr4::Parser {
public:
    explicit ParserBase(antlr4::TokenStream* input) : Parser(input) {}

    // Where the rule that calls itself begins and ends. Throws a RecognitionException, which the rule that called
    // reports and recovers from like any other.
    void enter();
    void leave() { --depth_; }

    // True while the error being reported is that of the bound.
    [[nodiscard]] bool too_deep() const { return depth_ >= kMostRecursions; }

    // As in ANTLR's base, without what listeners need: each node of the tree is a ParserRuleContext, which need not be
    // asked for it.
    void enterRule(antlr4::ParserRuleContext* context, size_t state, size_t rule) override;
    void exitRule();

private:
    int depth_ = 0;
};

}  // namespace tsr
