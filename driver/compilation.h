// A program on its way through the compiler, one step at a time. Each step says what is wrong to the session and gives
// false when the next can not follow.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "codegen/codegen.h"
#include "driver/library.h"
#include "driver/ptxas.h"
#include "driver/schedule.h"
#include "driver/session.h"
#include "driver/steps.h"
#include "driver/tunings.h"
#include "ir/passes/target/gpu/cost_model.h"
#include "ir/pipeline.h"
#include "sema/program.h"

namespace tsr::driver {

class Compilation {
public:
    explicit Compilation(Session& session);

    // Parses and checks. A file named `.ir` is the text of functions, as `--emit=tile` or `--dump-after` print them.
    bool read();
    // Kernels to the program of one group, host functions ready for code. False also where `--stop-after` ends it:
    // `stopped` is then set.
    bool lower();
    // As far towards `lower` as rules are checked on the way; nothing can be made of the functions then.
    bool check();
    // Kernels to tasks, for each machine that is asked for.
    bool lower_to_machines();
    // The code generator's view of the program; valid as long as this compilation. It has no main when `library` is
    // set.
    codegen::Program program() const;
    // Objects, or the texts of assembly or LLVM.
    bool generate(codegen::Emit emit, std::vector<std::string>& made);
    // The texts, or cubins, of all code for GPUs.
    bool generate_for_gpus(codegen::GpuForm form, std::vector<codegen::GpuText>& made);
    // Objects to the bytes of an executable.
    bool link(const std::vector<std::string>& objects, std::string& executable);

    // From the checked program to the bytes of an executable, which needs a main.
    bool make_executable(std::string& executable);
    // Winners of tuning (runtime/tune/record.h) that the code shall know.
    void know(std::string records) { known_ = std::move(records); }

    // Where the program stands: every kernel's tasks if they were made, else the functions of the module.
    [[nodiscard]] std::string text() const;
    // What a library offers; there is one where the options ask for one, from `lower` on.
    [[nodiscard]] const Library& library() const { return library_; }
    // The plans of all kernels with their reasons.
    [[nodiscard]] std::string plans() const;

    // `--time-passes`: what was done so far, to standard error.
    void report_times() const;

    [[nodiscard]] const ast::Module* tree() const { return tree_.get(); }
    [[nodiscard]] bool has_main() const;
    [[nodiscard]] const ir::Module& module() const { return module_; }
    // Runs of optional passes, and the last of them in words.
    [[nodiscard]] size_t optional_runs() const { return manager_.optional_runs(); }
    [[nodiscard]] const std::string& last_optional() const { return manager_.last_optional(); }
    [[nodiscard]] bool stopped() const { return stopped_; }

private:
    struct Family {
        const ir::Function* kernel = nullptr;
        std::vector<ir::CpuVariant> variants;  // the best machine first
        std::vector<ir::Function> threads;     // for GPUs, in the order in which they are tried
        const ir::Function* same = nullptr;    // a point that was lowered before, whose code this one has
        std::vector<std::string> ruled_out;    // why it has no code for a GPU where other points do better
    };

    // A kernel that a GPU named by the command line has no code for.
    struct NoCode {
        const ir::Function* kernel;
        std::string gpu;
        ir::NoGpuCode why;
    };
    // Of a point, for a GPU.
    struct PointOnGpu {
        std::optional<ir::Plan> plan;      // nothing: it has no code
        std::optional<std::string> lacks;  // what it has no registers for
    };

    bool read_schedule();
    bool read_ir();
    bool elaborate();
    [[nodiscard]] ir::Points points() const;
    bool lower_families();
    bool lower_family(Family& family);
    bool lower_to_machine(Family& family, const std::string& machine);
    bool lower_to_gpus(Family& family);
    bool lower_to_gpu(Family& family, const std::string& name);
    void report(const NoCode& no);
    void report_tuned();
    [[nodiscard]] std::optional<std::string> ruled_out(const ir::Function& kernel, const std::string& gpu);
    const PointOnGpu& on_gpu(const ir::Function& kernel, const ir::GpuMachine& machine);
    const ir::Priced& priced(const ir::Function& kernel, const ir::GpuMachine& machine);
    [[nodiscard]] codegen::Options code_options();
    bool after(ir::PassOutcome outcome);

    Session& session_;
    Steps steps_;
    std::unique_ptr<ast::Module> tree_;
    sema::Program checked_;
    bool from_ir_ = false;
    bool lowered_ = false;  // the text that was read is behind `lower`
    ir::Module module_;
    ir::PassManager manager_;
    Schedule schedule_;  // plans that were given
    std::deque<Family> families_;
    std::map<std::string, std::string> points_;                      // of tuned kernels, with the tuning's first point
    std::map<std::string, PointCode> point_code_;                    // of points of tuned kernels
    std::map<std::pair<std::string, std::string>, NoCode> without_;  // the first of a tuning's points, for a GPU
    std::map<std::pair<std::string, std::string>, PointOnGpu> on_gpus_;  // points of tuned kernels
    std::map<std::pair<std::string, std::string>, ir::Priced> priced_;   // the same
    std::string known_;
    bool stopped_ = false;
    std::unique_ptr<Ptxas> ptxas_;
    Library library_;
};

}  // namespace tsr::driver
