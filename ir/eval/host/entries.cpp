// Operations `host`: operands and attributes to the arguments of a C function, as the table of entries says.
#include "ir/passes/host/entries.h"

#include <cstring>

#include <fmt/format.h>

#include "ir/eval/host/host_run.h"
#include "ir/eval/host/runtime_call.h"
#include "ir/law/scalar.h"
#include "ir/passes/host/container_type.h"

namespace tsr::ir::eval {

namespace {

// One call being put together. What the slots point to lives here, until the call is over.
class EntryCall {
public:
    EntryCall(const TsrHostApi& api, const Function& function, const Op& op, const HostEntry& entry,
              const std::vector<HostValue>& values, std::set<std::string>& container_types)
        : api_(api), fn_(function), op_(op), entry_(entry), values_(values), container_types_(container_types) {
        for (const HostArgument argument : entry.arguments) add(argument);
    }

    [[nodiscard]] std::span<const TsrSlot> arguments() const { return arguments_; }

private:
    void push(TsrSlot slot) { arguments_.push_back(slot); }
    void push_integer(int64_t value) {
        TsrSlot slot{};
        slot.integer = value;
        push(slot);
    }
    void push_pointer(const void* pointer) { push_integer(static_cast<int64_t>(reinterpret_cast<uintptr_t>(pointer))); }
    void push_text(const std::string& text) { push_pointer(texts_.emplace_back(text).c_str()); }

    ValueId next() { return op_.operands.at(next_++); }
    TsrSlot next_slot() { return values_[next().index].slot(); }
    int64_t next_integer() { return next_slot().integer; }

    template <typename T>
    const std::vector<T>& attribute(Attr attr) const {
        static const std::vector<T> none;
        const AttrValue* found = op_.attrs.find(attr);
        return found == nullptr ? none : std::get<std::vector<T>>(*found);
    }
    [[nodiscard]] bool has_seed() const { return op_.attrs.has(Attr::seeded); }
    [[nodiscard]] size_t rest() const { return rest_of_operands(entry_, op_.operands.size(), has_seed()); }

    void add(HostArgument argument) {
        using enum HostArgument;
        switch (argument) {
            case tensor:
            case string:
            case container:
            case progress:
            case slot:
            case bits:
            case integer:
                return push(next_slot());
            case real:
                return add_real();
            case integers:
            case strings:
            case slots:
                return add_row();
            case scalars:
                return add_elements();
            case named_tensors:
                return add_named_tensors();
            case items:
                return add_items();
            case random_key:
                return add_random_key();
            case type:
                return push_integer(static_cast<int64_t>(op_.attrs.dtype(Attr::type)));
            case type_of_last:
                return push_integer(static_cast<int64_t>(fn_.type(op_.operands.at(next_ - 1)).elem));
            case extents: {
                const auto& all = attribute<int64_t>(Attr::extents);
                push_pointer(all.data());
                return push_integer(static_cast<int64_t>(all.size()));
            }
            case text:
                return op_.attrs.has(Attr::text) ? push_text(op_.attrs.string(Attr::text)) : push_pointer(nullptr);
            case name: {
                const auto& names = attribute<std::string>(Attr::names);
                return name_ < names.size() ? push_text(names[name_++]) : push_pointer(nullptr);
            }
            case count:
                return push_integer(op_.attrs.integer(Attr::count, 0));
            case result_type: {
                const Type& result = fn_.type(op_.results.at(0));
                return push_pointer(container_types_.insert(container_type(result)).first->c_str());
            }
            case zero:
            case family:
            case place:  // a failure knows it here
                return push_integer(0);
        }
    }

    void add_real() {
        const ValueId v = next();
        TsrSlot slot{};
        slot.bits = cast_scalar(fn_.type(v).elem, DType::f64, values_[v.index].bits());
        push(slot);
    }

    // All that is left, side by side: integers, handles or slots.
    void add_row() {
        std::vector<uint64_t>& row = rows_.emplace_back();
        for (size_t left = rest(); left > 0; --left) row.push_back(next_slot().bits);
        push_pointer(row.data());
        push_integer(static_cast<int64_t>(row.size()));
    }

    void add_elements() {
        const size_t size = stored_size(op_.attrs.dtype(Attr::type));
        std::vector<uint64_t>& row = rows_.emplace_back();
        const size_t count = rest();
        row.resize(count);
        for (size_t i = 0; i < count; ++i) {
            const uint64_t bits = next_slot().bits;
            std::memcpy(reinterpret_cast<uint8_t*>(row.data()) + i * size, &bits, size);
        }
        push_pointer(row.data());
    }

    void add_named_tensors() {
        std::vector<uint64_t>& names = rows_.emplace_back();
        for (const std::string& name : attribute<std::string>(Attr::names)) {
            names.push_back(reinterpret_cast<uintptr_t>(texts_.emplace_back(name).c_str()));
        }
        push_pointer(names.data());
        add_row();
    }

    void add_items() {
        for (const int64_t code : attribute<int64_t>(Attr::codes)) {
            TsrIndexItem item{};
            item.kind = code == index_newaxis    ? TSR_INDEX_NEWAXIS
                        : code == index_ellipsis ? TSR_INDEX_ELLIPSIS
                        : code == index_integer  ? TSR_INDEX_INTEGER
                                                 : TSR_INDEX_SLICE;
            item.given = code >= index_slice ? static_cast<int32_t>(code - index_slice) : 0;
            if (code == index_integer || (item.given & 1) != 0) item.start = next_integer();
            if ((item.given & 2) != 0) item.stop = next_integer();
            if ((item.given & 4) != 0) item.step = next_integer();
            items_.push_back(item);
        }
        push_pointer(items_.data());
        push_integer(static_cast<int64_t>(items_.size()));
    }

    void add_random_key() {
        uint64_t seed = 0;
        if (has_seed()) seed = next_slot().bits;
        api_.next_key(static_cast<uint32_t>(op_.attrs.integer(Attr::count, 0)), has_seed() ? &seed : nullptr, &key_);
        push_pointer(&key_);
    }

    const TsrHostApi& api_;
    const Function& fn_;
    const Op& op_;
    const HostEntry& entry_;
    const std::vector<HostValue>& values_;
    std::set<std::string>& container_types_;
    size_t next_ = 0;
    size_t name_ = 0;
    std::vector<TsrSlot> arguments_;
    std::deque<std::string> texts_;
    std::deque<std::vector<uint64_t>> rows_;
    std::vector<TsrIndexItem> items_;
    TsrRandomKey key_{};
};

// Values here count their references themselves.
bool counts_references(std::string_view name) { return name.ends_with("_retain") || name.ends_with("_release"); }

}  // namespace

// A new reference or a scalar in the type of the operation's result.
void HostRun::give(Frame& frame, const Op& op, TsrSlot slot) {
    const Type& type = frame.function->type(op.results[0]);
    value(frame, op.results[0]) =
        type.is_scalar() ? HostValue::scalar(canonical(type.elem, slot.bits)) : HostValue::owned(api_, type.kind, slot);
}

void HostRun::entry(Frame& frame, const Op& op) {
    const std::string& name = op.attrs.string(Attr::callee);
    const HostEntry* entry = find_host_entry(name);
    const HostThunk thunk = host_thunk(name);
    if (entry == nullptr || thunk == nullptr) throw HostFailure{fmt::format("the runtime has no entry '{}'", name)};
    if (counts_references(name)) return;
    const EntryCall call(api_, *frame.function, op, *entry, frame.values, container_types_);
    TsrSlot given = thunk(api_, call.arguments());
    if (op.results.empty()) return;
    const Type& type = frame.function->type(op.results[0]);
    if (entry->result == HostResult::boolean) given.integer = given.integer != 0 ? 1 : 0;
    if (entry->result == HostResult::real) given.bits = cast_scalar(DType::f64, type.elem, given.bits);
    give(frame, op, given);
}

}  // namespace tsr::ir::eval
