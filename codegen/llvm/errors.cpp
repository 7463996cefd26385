#include "codegen/llvm/errors.h"

#include <mutex>
#include <stdexcept>

#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/raw_ostream.h>

namespace tsr::codegen {

namespace {

// LLVM gives up by calling this, which must not return; what it held is lost, the process is not.
void give_up(void*, const char* reason, bool) { throw std::runtime_error(reason); }

class KeepErrors : public llvm::DiagnosticHandler {
public:
    explicit KeepErrors(std::string& errors) : errors_(errors) {}

    bool handleDiagnostics(const llvm::DiagnosticInfo& info) override {
        if (info.getSeverity() != llvm::DS_Error) return true;
        llvm::raw_string_ostream stream(errors_);
        llvm::DiagnosticPrinterRawOStream printer(stream);
        info.print(printer);
        return true;
    }

private:
    std::string& errors_;
};

}  // namespace

void catch_fatal_errors() {
    static std::once_flag once;
    std::call_once(once, [] { llvm::install_fatal_error_handler(give_up, nullptr); });
}

std::unique_ptr<llvm::DiagnosticHandler> keep_errors(std::string& errors) {
    return std::make_unique<KeepErrors>(errors);
}

}  // namespace tsr::codegen
