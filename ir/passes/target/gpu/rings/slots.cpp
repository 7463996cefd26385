#include "ir/passes/target/gpu/rings/slots.h"

namespace tsr::ir {

void advance(Slot& slot, RingStep step, const SayWrong& say) {
    switch (step) {
        case RingStep::acquire:
            if (slot.phase != SlotPhase::free) say("acquires a slot that is not free");
            if (slot.read) say("acquires a slot that has been read since the last barrier");
            slot.phase = SlotPhase::acquired;
            return;
        case RingStep::fill:
            if (slot.phase != SlotPhase::acquired) say("fills a slot that is not acquired");
            slot.phase = SlotPhase::filled;
            return;
        case RingStep::take:
            if (slot.phase != SlotPhase::filled) say("takes a slot that is not filled");
            if (slot.data != Data::visible) say("takes a slot whose copies it does not wait for");
            slot.phase = SlotPhase::taken;
            return;
        case RingStep::release:
            if (slot.phase != SlotPhase::taken) say("releases a slot that is not taken");
            if (slot.products > 0) say("releases a slot that a product still reads");
            slot.phase = SlotPhase::free;
    }
}

void arrive(Slot& slot, RingStep step, const SayWrong& say) {
    switch (step) {
        case RingStep::acquire:
            if (slot.phase == SlotPhase::free) slot.read = false;
            return;
        case RingStep::fill:
            if (slot.data != Data::issued) say("expects bytes that nothing copies");
            slot.data = Data::committed;
            return;
        case RingStep::take:
            if (slot.data == Data::committed) slot.data = Data::visible;
            return;
        case RingStep::release:
            slot.again = !slot.again;
    }
}

}  // namespace tsr::ir
