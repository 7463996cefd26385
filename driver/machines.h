// What machines code is made for, and by what plans.
#pragma once

#include <string>
#include <vector>

#include "driver/options.h"
#include "ir/pipeline.h"

namespace tsr::driver {

// The machine of `--cpu`, else levels of x86-64, best first.
std::vector<std::string> machines_of(const Options& options);
// The same for one kernel: where its products suit a matrix unit or sums of bytes, machines that have them come before
// those that do not. For `run` the best that this machine has, alone.
std::vector<std::string> machines_of(const Options& options, const ir::Function& kernel);
// What the code of a program that is run at once depends on beside the options.
std::string this_machine(const Options& options);

// What `--target` takes.
std::vector<std::string> target_names();
// The GPUs that code is made for (for `run` none where no driver is there), in the order in which the runtime tries
// their code: those for one capability alone first, then later ones first.
std::vector<std::string> gpus_of(const Options& options);
// Whether the command line names a GPU: a kernel without code for it is an error then.
bool names_gpus(const Options& options);
// Whether code for CPUs is asked for: texts are those of the targets named.
bool wants_cpu(const Options& options);

// The level whose plans a machine gets: "native" is the best level this processor runs.
std::string planned_as(const std::string& machine);

// What `--cpu` takes by name; other processors of x86-64 are known to the code generator.
std::vector<std::string> machine_names();

// The names of all passes, in order.
std::vector<std::string> pass_names();

// What is wrong with the names of machines and passes in the options; empty: nothing.
std::string check_names(const Options& options);

}  // namespace tsr::driver
