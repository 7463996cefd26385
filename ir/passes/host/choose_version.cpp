#include "ir/passes/host/choose_version.h"

#include "ir/build/builder.h"
#include "ir/build/clone.h"
#include "ir/core/lines.h"

namespace tsr::ir {

namespace {

class VersionChoice {
public:
    VersionChoice(Function& out, const std::vector<MemoryVersion>& versions, int64_t limit)
        : out_(out), versions_(versions), limit_(limit), builder_(Builder::at_end(out, out.body)) {}

    void body(PlaceId limit_at) {
        for (const MemoryVersion& version : versions_) needs_.push_back(need(version));
        const ValueId limit = builder_.index(limit_);
        builder_.set_place(limit_at);
        builder_.if_(builder_.gt(needs_.back(), limit), [&](Builder& then) {
            then.host("memory_exceeded", {needs_.back(), limit}, {}, {{Attr::text, name_in_file(out_.name)}});
            return Values{};
        });
        builder_.set_place(out_.place);
        builder_.yield(call(builder_, limit, 0));
    }

private:
    ValueId need(const MemoryVersion& version) {
        ValueId most = builder_.index(0);
        for (const Dim& bytes : version.most) most = builder_.maximum(most, builder_.dim(bytes));
        return most;
    }

    // The first of the versions from `first` on that fits. The last one does.
    Values call(Builder& b, ValueId limit, size_t first) {
        const auto this_one = [&](Builder& at) {
            const OpId made =
                at.emit(OpKind::call, out_.params(), {{Attr::callee, versions_[first].name}}, out_.results);
            return out_.op(made).results;
        };
        if (first + 1 == versions_.size()) return this_one(b);
        const OpId branch = b.if_(b.le(needs_[first], limit), this_one,
                                  [&](Builder& otherwise) { return call(otherwise, limit, first + 1); });
        return out_.op(branch).results;
    }

    Function& out_;
    const std::vector<MemoryVersion>& versions_;
    int64_t limit_;
    Builder builder_;
    Values needs_;
};

}  // namespace

Function choosing_version(const Function& graph, const std::vector<MemoryVersion>& versions, int64_t limit,
                          Span limit_at) {
    Function host = empty_host_of(graph);
    const PlaceId at = host.add_place({limit_at, {}});
    VersionChoice(host, versions, limit).body(at);
    return host;
}

}  // namespace tsr::ir
