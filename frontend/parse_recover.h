// What the parser does at an error: says one thing, and goes on at the next line.
#pragma once

#include <antlr4-runtime.h>

#include "frontend/parse_messages.h"

namespace tsr {

// Skips to the end of the logical line and reads the block that may follow it, so that a broken header does not hide
// the mistakes in its body. Tokens' indices must be the indices of the messages' words.
class RecoveryStrategy : public antlr4::DefaultErrorStrategy {
public:
    explicit RecoveryStrategy(SyntaxMessages& messages) : messages_(messages) {}

    void reportError(antlr4::Parser* parser, const antlr4::RecognitionException& error) override;
    void recover(antlr4::Parser* parser, std::exception_ptr error) override;
    // Words are neither dropped nor made up inside a line.
    antlr4::Token* recoverInline(antlr4::Parser* parser) override;
    void sync(antlr4::Parser* parser) override;
    void beginErrorCondition(antlr4::Parser* parser) override;
    void endErrorCondition(antlr4::Parser* parser) override;

private:
    void skip_line(antlr4::Parser* parser);
    void next_line(antlr4::Parser* parser);

    SyntaxMessages& messages_;
};

}  // namespace tsr
