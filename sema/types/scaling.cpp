#include "sema/types/scaling.h"

#include <fmt/format.h>

namespace tsr::sema {

std::string Scaling::text() const {
    if (loss_dynamic) return " @loss_scale(dynamic)";
    return loss ? fmt::format(" @loss_scale({})", *loss) : "";
}

}  // namespace tsr::sema
