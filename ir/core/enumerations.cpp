#include "ir/core/enumerations.h"

namespace tsr::ir {

std::string_view name(LoopKind kind) {
    switch (kind) {
        case LoopKind::in_order:
            return "in_order";
        case LoopKind::tile_range:
            return "tile_range";
    }
    return "";
}

std::string_view name(LanesOver over) {
    switch (over) {
        case LanesOver::tiles:
            return "tiles";
        case LanesOver::loop:
            return "loop";
        case LanesOver::domain:
            return "domain";
    }
    return "";
}

std::string_view name(ReduceOp op) {
    switch (op) {
        case ReduceOp::add:
            return "add";
        case ReduceOp::mul:
            return "mul";
        case ReduceOp::min:
            return "min";
        case ReduceOp::max:
            return "max";
        case ReduceOp::any:
            return "any";
        case ReduceOp::all:
            return "all";
    }
    return "";
}

std::string_view name(AtomicOp op) {
    switch (op) {
        case AtomicOp::add:
            return "add";
        case AtomicOp::min:
            return "min";
        case AtomicOp::max:
            return "max";
        case AtomicOp::bit_and:
            return "bit_and";
        case AtomicOp::bit_or:
            return "bit_or";
        case AtomicOp::bit_xor:
            return "bit_xor";
        case AtomicOp::exchange:
            return "exchange";
        case AtomicOp::compare_exchange:
            return "compare_exchange";
    }
    return "";
}

std::string_view name(RingUse use) {
    switch (use) {
        case RingUse::barrier:
            return "barrier";
        case RingUse::arrivals:
            return "arrivals";
        case RingUse::open:
            return "open";
        case RingUse::close:
            return "close";
    }
    return "";
}

std::string_view name(ShuffleBy by) {
    switch (by) {
        case ShuffleBy::index:
            return "index";
        case ShuffleBy::bit_xor:
            return "xor";
        case ShuffleBy::up:
            return "up";
        case ShuffleBy::down:
            return "down";
    }
    return "";
}

std::string_view name(Vote vote) {
    switch (vote) {
        case Vote::any:
            return "any";
        case Vote::all:
            return "all";
        case Vote::ballot:
            return "ballot";
    }
    return "";
}

std::string_view name(Turn turn) {
    switch (turn) {
        case Turn::awaits:
            return "awaits";
        case Turn::passes:
            return "passes";
    }
    return "";
}

}  // namespace tsr::ir
