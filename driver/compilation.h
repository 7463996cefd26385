// A program on its way through the compiler, one step at a time. Each step says what is wrong to the session and gives
// false when the next can not follow.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "codegen/codegen.h"
#include "driver/library.h"
#include "driver/ptxas.h"
#include "driver/schedule.h"
#include "driver/session.h"
#include "driver/steps.h"
#include "driver/tunings.h"
#include "ir/families/families.h"
#include "ir/passes/graph/recompute.h"
#include "ir/passes/host/explain_memory.h"
#include "ir/pipeline.h"
#include "sema/program/program.h"

namespace tsr::driver {

class Compilation {
public:
    explicit Compilation(Session& session);

    // Parses and checks. A file named `.ir` is the text of functions, as `--emit=tile` or `--dump-after` print them.
    bool read();
    // Functions of the program, by name, that are held to the memory limit of another one. Ahead of `check` and
    // `lower`.
    void limit_like(std::map<std::string, std::string> others) { limited_like_ = std::move(others); }
    // From the checked program to the IR as it was written. The steps below do it by themselves.
    bool elaborate();
    bool differentiate();
    // Then: its graph and host functions.
    [[nodiscard]] std::string graph_text() const;
    // `--explain`, behind `lower`.
    [[nodiscard]] std::string explanation() const;
    // Kernels to the program of one group, host functions ready for code. False also where `--stop-after` ends it:
    // `stopped` is then set.
    bool lower();
    // Checks kernels and leaves them the program of one tile, for the evaluator. Of a tuned kernel the points that fit
    // are left.
    bool keep_tiles();
    // As far towards `lower` as rules are checked on the way; nothing can be made of the functions then.
    bool check();
    // What `check` found on the way where `--numerics` asks for it: bounds of errors.
    [[nodiscard]] const std::string& bounds() const { return bounds_; }
    // Kernels to tasks, for each machine that is asked for.
    bool lower_to_machines();
    // For the evaluator: as far as what the program says of its kernels' code (`inspect_ir`) needs it.
    bool lower_for_inspections();
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

    // For editors, which show one function. Behind `read`: of what follows the function counts whose text holds this
    // place of the program. Gives why there is none; empty: it was found.
    std::string keep_function_at(uint32_t offset);
    // Behind `elaborate`: leaves in the module that function with what it calls and launches; all where none was
    // chosen. False: there is none, since nothing calls it.
    bool drop_others();
    // What `lower` does behind `elaborate`.
    bool lower_elaborated();
    // What `graph_text`, `plans` or `text` give, and for each line that of the program, from 1, that it comes from.
    std::string text_with_lines(Emit level, std::vector<uint32_t>& lines) const;

    // `--time-passes`: what was done so far, to standard error.
    void report_times() const;

    [[nodiscard]] const sema::Program& checked() const { return checked_; }
    [[nodiscard]] const ast::Module* tree() const { return tree_.get(); }
    [[nodiscard]] bool has_main() const;
    [[nodiscard]] const ir::Module& module() const { return module_; }
    // Runs of optional passes, and the last of them in words.
    [[nodiscard]] size_t optional_runs() const { return manager_.optional_runs(); }
    [[nodiscard]] const std::string& last_optional() const { return manager_.last_optional(); }
    [[nodiscard]] bool stopped() const { return stopped_; }

private:
    // Code by `make(options)`, with what is kept from earlier compilations.
    template <typename Make, typename Code>
    bool generate_by(Make make, Code& made);
    // What `inspect_ir` gives for functions on a level that the program has reached.
    [[nodiscard]] std::string inspected(const std::string& level, const std::vector<std::string>& names) const;
    void fill_inspections(const std::set<std::string>& levels);
    // For `keep_tiles`: lowers a copy of the module for the levels that it does not come to itself.
    bool inspect_copy();
    // Whether the plans of graphs are asked for, by the command line or the program.
    [[nodiscard]] bool shows_plans() const;
    bool read_schedule();
    bool read_ir();
    [[nodiscard]] ir::Points points() const;
    // Empty before `lower_to_machines`.
    [[nodiscard]] const std::deque<ir::Family>& families() const;
    [[nodiscard]] codegen::Options code_options();
    // Graph functions that callers outside of the program call: a library's.
    [[nodiscard]] std::set<std::string> offered_to_others() const;
    bool after(ir::PassOutcome outcome);
    // compilation_memory.cpp: `@jit(memory=…)`. False after a message.
    bool fit_memory();
    // Whose limit a function has: its own, or that of the one that `limit_like` names.
    [[nodiscard]] const sema::Function& limiting(const sema::Function& function) const;
    // The Host function that the graph becomes, as far as its tensors go; nothing where it has no code. They are those
    // between its fusions, or, which takes longer, also those that the kernels of these ask for.
    enum class CountedBy : uint8_t { fusions, kernels };
    [[nodiscard]] std::optional<ir::Function> tensors_of(const ir::Function& graph, CountedBy which) const;
    // What its calls have at once.
    [[nodiscard]] std::optional<ir::MemorySums> sums_of(const ir::Function& graph) const;
    // Computes values of the function again; dimensions that only the run knows count as `extent`.
    std::optional<ir::MemoryFit> fitted(ir::Function& graph, int64_t limit, int64_t extent) const;
    void fit_known_extents(ir::Function& graph, const sema::Function& function);
    // What needs more or less memory as calls have dimensions: versions, and what chooses among them.
    void fit_by_versions(ir::Function& graph, const sema::Function& function, const ir::MemorySums& sums);

    Session& session_;
    Steps steps_;
    std::unique_ptr<ast::Module> tree_;
    sema::Program checked_;
    std::map<std::string, std::string> limited_like_;
    bool from_ir_ = false;
    bool lowered_ = false;  // the text that was read is behind `lower`
    ir::Module module_;
    std::vector<std::string> graphs_;  // functions that were Graph functions
    // What they were cut into, where that is explained: a text for each.
    std::vector<std::string> fusions_, costs_;
    std::map<std::string, std::string> graph_plans_;  // by name of the graph, where plans are shown
    std::string roundings_;                           // where these are explained
    std::string bounds_;
    std::map<std::string, std::string> memory_fits_;  // of functions with `memory=`: what was done for it
    std::set<std::string> memory_versions_;           // what those call whose need only the run knows
    ir::PassManager manager_;
    Schedule schedule_;                       // plans that were given
    std::unique_ptr<ir::Families> families_;  // from `lower_to_machines` on
    std::string known_;
    bool stopped_ = false;
    std::unique_ptr<Ptxas> ptxas_;
    Library library_;
    std::optional<sema::FunctionId> kept_;  // of `keep_function_at`
};

}  // namespace tsr::driver
