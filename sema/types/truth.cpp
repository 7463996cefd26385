#include "sema/types/truth.h"

namespace tsr::sema {

std::optional<bool> known_truth(const Type& type, const std::optional<Static>& value, bool host_objects) {
    if (type.is(Kind::tuple)) return !type.parts().empty();
    if (type.is(Kind::dict)) return std::nullopt;
    if (type.is(Kind::list)) {  // of the host: it grows and shrinks
        return !host_objects && type.length() ? std::optional(*type.length() > 0) : std::nullopt;
    }
    return value ? value->truth() : std::nullopt;
}

}  // namespace tsr::sema
