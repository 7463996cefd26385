#include "driver/tunings.h"

#include <algorithm>
#include <set>

#include <fmt/core.h>

#include "driver/build_id.h"
#include "driver/sha256.h"

namespace tsr::driver {

namespace {

// The records of one kernel: those with this line.
std::string records_of(const std::string& known, const std::string& kernel) {
    constexpr std::string_view kEnd = "\nend\n";
    std::string found;
    for (size_t at = 0; at < known.size();) {
        const size_t end = known.find(kEnd, at);
        if (end == std::string::npos) break;
        const std::string record = known.substr(at, end + kEnd.size() - at);
        at = end + kEnd.size();
        if (record.find(kernel) != std::string::npos && found.find(record) == std::string::npos) found += record;
    }
    return found;
}

// More than the second-level cache that a core has, and than this many times what another point needs: it is not worth
// its measuring.
constexpr int64_t kCache = int64_t{2} << 20;
constexpr int64_t kTimes = 4;

bool ruled_out(int64_t scratch, int64_t least) { return scratch > kCache && scratch / kTimes > least; }

}  // namespace

std::vector<codegen::Tuning> tunings_of(const ir::Module& module, const std::map<std::string, ir::PointCode>& code,
                                        const std::string& known, const Options& options) {
    std::vector<codegen::Tuning> tunings;
    for (const std::vector<std::string>& names : ir::points_named_together(module)) {
        const ir::Function& first = *module.find(names[0]);
        codegen::Tuning& tuning = tunings.emplace_back();
        tuning.names = names;
        const auto& tuned = first.kernel.point;
        tuning.kernel = tuned ? tuned->kernel : first.name;
        std::set<std::string> seen;
        Sha256 content;
        content.add_field(build_id());
        content.add_field(fmt::format("O{}", options.optimization));
        int64_t least = code.at(names[0]).scratch;
        for (const std::string& name : names) least = std::min(least, code.at(name).scratch);
        for (size_t i = 0; i < names.size(); ++i) {
            const ir::PointCode& own = code.at(names[i]);
            if (ruled_out(own.scratch, least) || !seen.insert(own.text).second) continue;
            const auto& point = module.find(names[i])->kernel.point;
            tuning.points.push_back({names[i], point ? point->text() : names[i], i});
            content.add_field(tuning.points.back().text);
            content.add_field(own.text);
        }
        tuning.content = content.finish().substr(0, 32);
        tuning.known = records_of(known, fmt::format("kernel {} {}\n", tuning.kernel, tuning.content));
        tuning.first_dim = static_cast<int32_t>(first.params().size());
        tuning.ndims = static_cast<int32_t>(first.symbols.size());
    }
    return tunings;
}

}  // namespace tsr::driver
