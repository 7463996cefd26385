// The scale of `@loss_scale(dynamic)`, one for the program: what checkpoints hold of it.
#pragma once

#include <string>
#include <string_view>

namespace tsr::runtime {

// As text, "SCALE CLEAN": the scale, and how many steps were clean since it changed; empty where no step was made.
std::string loss_scale_state();
// Takes such a text; false where it is none, then nothing is changed.
bool set_loss_scale_state(std::string_view text);

}  // namespace tsr::runtime
