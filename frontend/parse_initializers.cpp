#include "frontend/parse_initializers.h"

#include <mutex>

#include "base/late_initializers.h"

extern "C" {
[[gnu::weak]] extern const tsr::Initializer tsr_parser_initializers_begin[];
[[gnu::weak]] extern const tsr::Initializer tsr_parser_initializers_end[];
}

namespace tsr {

void initialize_parser() {
    static std::once_flag once;
    std::call_once(once, [] { run_initializers(tsr_parser_initializers_begin, tsr_parser_initializers_end); });
}

}  // namespace tsr
