// What a schedule says of the fusions of graphs: its lines, and what they mean for a graph.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "ir/passes/graph/form_fusions.h"

namespace tsr::ir {

class ValueNames;

// A line of a schedule, with the names of values (`ValueNames`).
struct GivenFusion {
    enum class Kind : uint8_t { fuse, store };
    struct Named {
        std::string name;
        Span place;
    };
    Kind kind = Kind::fuse;
    std::vector<Named> values;
};

struct GivenFusions {
    const Sources* sources = nullptr;  // of the program; there are some where lines are given
    std::map<std::string, std::vector<GivenFusion>> of_graphs;
};

// Where a graph has lines: what they mean. Names that it does not have are refused (E0009), and so is what no kernel
// computes (E0010).
class GivenOrders {
public:
    GivenOrders(const Function& graph, const GivenFusions& given, Diagnostics& diagnostics);

    [[nodiscard]] const FusionOrders& orders() const { return orders_; }
    // Refuses (E0010) the lines that could not be followed.
    void check(const FormedFusions& formed);

private:
    void add(const GivenFusion& line, const ValueNames& names);
    void refuse(const GivenFusion::Named& named, const std::string& why);
    [[nodiscard]] bool is_movement(OpId op) const;

    const Function& graph_;
    Diagnostics& diagnostics_;
    struct Line {
        const GivenFusion* given;
        std::vector<OpId> ops;  // of its values
    };
    FusionOrders orders_;
    std::vector<Line> fused_, stored_;  // `fused_`: of each of `orders_.together`
};

// Refuses (E0009) a name that no value has which the graph computes.
void refuse_name(const GivenFusion::Named& named, const std::string& graph, const std::vector<std::string>& known,
                 Diagnostics& diagnostics);

}  // namespace tsr::ir
