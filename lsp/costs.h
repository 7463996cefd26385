// What a program costs when it runs: its kernels, the bytes that they move, the memory that is taken at once.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "base/span.h"

namespace tsr::lsp {

class Analysis;

struct Costs {
    // A kernel that was made of operators on whole tensors.
    struct Fusion {
        std::string name;            // "layer.0"
        std::string form;            // "elements, one by one"
        std::string work;            // "2*b*k*m operations, reads 4*b*k B, writes 4*b*m B"
        std::string moved;           // "8*n B"
        std::string rate;            // "about 0.5 operations for a byte …"; empty: nothing is moved
        std::vector<Span> places;    // of its operations, in the text of the root
        std::vector<uint32_t> lines;  // where they begin, from 1, sorted, each once
    };
    // A graph function, or an expression of a host function that became one.
    struct Graph {
        Span header;  // of its function; of an expression the whole of it
        bool is_function = false;
        std::vector<Fusion> fusions;
        std::optional<std::string> memory;  // "4*n*m": bytes at once beside its arguments
    };
    struct Machine {
        std::string gpu;   // "sm_90a"
        std::string code;  // "a block has 128 threads and 49152 of 232448 B of shared memory"
    };
    // A kernel as it was written.
    struct Kernel {
        Span header;
        std::string point;                  // of a tuned kernel the first that fits: "BM=64, stages=3"
        std::string touches;                // "reads x (4*n B); writes y (4*n B)"
        std::vector<Machine> machines;
    };
    std::vector<Graph> graphs;
    std::vector<Kernel> kernels;

    // The functions whose header holds this place of the root's text. Of a generic function one for each signature.
    [[nodiscard]] std::vector<const Graph*> graphs_at(uint32_t offset) const;
    [[nodiscard]] std::vector<const Kernel*> kernels_at(uint32_t offset) const;
    // The kernels that operations of this place are in: those of the smallest range around it, else of its line.
    [[nodiscard]] std::vector<const Fusion*> fusions_at(uint32_t offset, uint32_t line) const;
};

// "line 3", "lines 3 to 5 and 8"
std::string lines_text(const std::vector<uint32_t>& lines);

// Of a program without errors. Raises Cancelled when `cancel` is set meanwhile. It shares nothing with other threads
// but what never changes.
Costs find_costs(const Analysis& analysis, const std::atomic<bool>& cancel);

}  // namespace tsr::lsp
