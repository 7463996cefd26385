// A function's parameters as the runtime's TsrSignature, for its checks on entry.
#pragma once

#include <deque>

#include "ir/core/function.h"
#include "runtime/abi.h"

namespace tsr::ir::eval {

class Signature {
public:
    explicit Signature(const Function& function);
    Signature(const Signature&) = delete;
    Signature& operator=(const Signature&) = delete;

    [[nodiscard]] const TsrSignature& data() const { return signature_; }

private:
    const char* keep(std::string text);

    std::deque<std::string> texts_;
    std::deque<std::vector<TsrDimStep>> steps_;
    std::deque<std::vector<TsrDimension>> dims_;
    std::vector<const char*> symbols_;
    std::vector<TsrParameter> parameters_;
    TsrSignature signature_{};
};

}  // namespace tsr::ir::eval
