#include "ir/passes/host/random_keys.h"

namespace tsr::ir {

std::optional<Attrs> key_source(const ParamRole& role) {
    switch (role.kind) {
        case ParamRole::Kind::seed:
            return Attrs{{Attr::callee, std::string("seed")}};
        case ParamRole::Kind::stream:
            return Attrs{{Attr::callee, std::string("random_stream")}, {Attr::count, role.number}};
        case ParamRole::Kind::value:
        case ParamRole::Kind::dimension:
            return std::nullopt;
    }
    return std::nullopt;
}

}  // namespace tsr::ir
