// How a check ends that was cancelled: what raises this leaves nothing half done behind it that somebody reads, because
// `check` catches it and gives a program that nobody may look at.
#pragma once

namespace tsr::sema {

struct GivenUp {};

}  // namespace tsr::sema
