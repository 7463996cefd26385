#include "ir/passes/host/explain_memory.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <vector>

#include <fmt/format.h>

#include "ir/core/lines.h"
#include "ir/ops/host.h"

namespace tsr::ir {

namespace {

class MemoryExplanation {
public:
    MemoryExplanation(const Function& host, const Sources& sources) : host_(host), sources_(sources) {}

    MemorySums sums() {
        region(host_.body);
        MemorySums made{most(), {}};
        for (const Buffer& buffer : buffers_) made.all = made.all + buffer.size;
        return made;
    }

    std::optional<MemoryNumbers> numbers(const std::function<std::optional<int64_t>(const Dim&)>& bytes) {
        region(host_.body);
        std::vector<int64_t> sizes;
        for (const Buffer& buffer : buffers_) {
            const auto known = bytes(buffer.size);
            if (!known) return std::nullopt;
            sizes.push_back(*known);
        }
        MemoryNumbers made{{}, std::accumulate(sizes.begin(), sizes.end(), int64_t{0})};
        int64_t live = 0;
        for (const Step& step : steps_) {
            live += step.begins ? sizes[step.buffer] : -sizes[step.buffer];
            if (step.begins) made.at_once.push_back(live);
        }
        return made;
    }

    std::string run() {
        region(host_.body);
        for (const ValueId v : given_) end(v, "given to the caller");
        std::string all = fmt::format("{} ({}): at most {} B at once beside its arguments\n", host_.name,
                                      line_text(host_, host_.place, sources_), greatest_text(most()));
        for (const Buffer& buffer : buffers_) {
            all += fmt::format("  {}: {} B from {} {}\n", buffer.name, buffer.size.text(), buffer.from,
                               buffer.until.empty() ? "to the end" : buffer.until);
        }
        return all;
    }

private:
    static constexpr size_t kCallers = SIZE_MAX;  // memory that is not the function's

    // Memory that one operation asks for.
    struct Buffer {
        std::string name;
        Dim size;
        std::string from, until;
        int64_t references = 1;
    };

    // A buffer is made, or given back.
    struct Step {
        size_t buffer;
        bool begins;
    };

    // Sums that no choice of the dimensions makes the greatest are left out.
    [[nodiscard]] std::vector<Dim> most() const {
        std::vector<Dim> found;
        Dim live;
        for (const Step& step : steps_) {
            const Dim& size = buffers_[step.buffer].size;
            live = step.begins ? live + size : live - size;
            if (!step.begins) continue;
            if (std::ranges::any_of(found, [&](const Dim& known) { return is_never_negative(known - live); })) continue;
            std::erase_if(found, [&](const Dim& known) { return is_never_negative(live - known); });
            found.push_back(live);
        }
        return found;
    }

    size_t holder(ValueId v) const {
        const auto found = holder_.find(v);
        return found == holder_.end() ? kCallers : found->second;
    }

    static bool is_tensor(const Type& type) { return type.kind == TypeKind::tensor; }

    // Gives the memory of an operand in a reference of its own.
    static bool shares(const std::string& entry) {
        return entry == "contiguous" || entry == "own" || entry == "view" || entry == "reshape";
    }

    void region(RegionId id) {
        for (const OpId op : host_.region(id).ops) operation(op);
    }

    void operation(OpId id) {
        const Op& op = host_.op(id);
        if (op.kind == OpKind::host) return entry(HostOp(host_, id));
        if (op.kind == OpKind::yield) {
            if (op.parent == host_.body) given_ = op.operands;
            return;
        }
        for (const RegionId below : op.regions) inner(op, below);
        if (!op.regions.empty()) return results_of_regions(op);
        for (const ValueId v : op.results) {
            if (is_tensor(host_.type(v))) begin(v, op.place);
        }
    }

    // What a loop carries it starts with.
    void inner(const Op& op, RegionId below) {
        const std::vector<ValueId>& args = host_.region(below).args;
        const size_t skipped = op.operands.size() >= args.size() ? op.operands.size() - args.size() : 0;
        for (size_t i = 0; i < args.size() && skipped + i < op.operands.size(); ++i) {
            if (is_tensor(host_.type(args[i]))) holder_[args[i]] = holder(op.operands[skipped + i]);
        }
        region(below);
    }

    // Of regions that give different tensors of one type, the one that was made last.
    void results_of_regions(const Op& op) {
        for (size_t i = 0; i < op.results.size(); ++i) {
            if (!is_tensor(host_.type(op.results[i]))) continue;
            size_t last = kCallers;
            for (const RegionId below : op.regions) {
                const std::vector<ValueId>& yielded = host_.op(host_.region(below).ops.back()).operands;
                if (yielded.size() < op.results.size()) continue;
                const size_t number = holder(yielded[yielded.size() - op.results.size() + i]);
                if (last == kCallers || (number != kCallers && number > last)) last = number;
            }
            holder_[op.results[i]] = last;
        }
    }

    void entry(const HostOp& op) {
        const std::string& callee = op.callee();
        if (callee == "tensor_release") return release(op.arguments()[0], op.op().place);
        if (callee == "tensor_retain") return retain(op.arguments()[0]);
        for (const ValueId v : op.op().results) {
            if (!is_tensor(host_.type(v))) continue;
            if (!shares(callee)) {
                begin(v, op.op().place);
                continue;
            }
            holder_[v] = holder(op.arguments()[0]);
            retain(v);
        }
    }

    void begin(ValueId v, PlaceId place) {
        const std::string& name = host_.value(v).name;
        holder_[v] = buffers_.size();
        buffers_.push_back(
            {name.empty() ? "a tensor" : name, bytes_of(host_.type(v)), line_text(host_, place, sources_), "", 1});
        steps_.push_back({buffers_.size() - 1, true});
    }

    void retain(ValueId v) {
        if (const size_t number = holder(v); number != kCallers) ++buffers_[number].references;
    }

    void release(ValueId v, PlaceId place) {
        const size_t number = holder(v);
        if (number == kCallers || --buffers_[number].references > 0) return;
        steps_.push_back({number, false});
        end(v, "to " + line_text(host_, place, sources_));
    }

    void end(ValueId v, std::string until) {
        if (const size_t number = holder(v); number != kCallers && buffers_[number].until.empty())
            buffers_[number].until = std::move(until);
    }

    const Function& host_;
    const Sources& sources_;
    std::vector<Buffer> buffers_;
    std::map<ValueId, size_t> holder_;  // of a tensor: the number of its buffer
    std::vector<ValueId> given_;
    std::vector<Step> steps_;
};

}  // namespace

std::string explain_memory(const Function& host, const Sources& sources) {
    return MemoryExplanation(host, sources).run();
}

std::string greatest_text(const std::vector<Dim>& most) {
    std::string text;
    for (const Dim& bytes : most) text += (text.empty() ? "" : " or ") + bytes.text();
    return text.empty() ? "0" : text;
}

MemorySums memory_sums(const Function& host, const Sources& sources) { return MemoryExplanation(host, sources).sums(); }

std::optional<MemoryNumbers> memory_numbers(const Function& host, const Sources& sources,
                                            const std::function<std::optional<int64_t>(const Dim&)>& bytes) {
    return MemoryExplanation(host, sources).numbers(bytes);
}

}  // namespace tsr::ir
