// Whether the launches of a call are recorded to be made again (launch/capture.h), and whether a replay would miss
// something that happened meanwhile.
#pragma once

namespace tsr::runtime::cuda {

struct RecordingState {
    bool on = false;
    bool spoiled = false;
};

inline RecordingState& recording_state() {
    static RecordingState state;
    return state;
}

inline bool recording() { return recording_state().on; }
// Something else than a launch touched the device, or elements on the host. Nothing where none is recorded.
inline void spoil_recording() { recording_state().spoiled = true; }

}  // namespace tsr::runtime::cuda
