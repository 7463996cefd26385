// Operations `host`: a call of an entry of the runtime, its arguments made as the table of entries says.
#include "codegen/host/host.h"
#include "codegen/llvm/cast.h"
#include "codegen/llvm/function.h"
#include "codegen/llvm/types.h"
#include "ir/core/internal.h"
#include "ir/passes/host/container_type.h"
#include "ir/passes/host/entries.h"
#include "runtime/abi.h"

namespace tsr::codegen {

using ir::Attr;
using ir::HostArgument;
using llvm::Value;

// One call being put together: its arguments take operands from left to right.
class EntryCall {
public:
    EntryCall(HostBody& body, const ir::Op& op, const ir::HostEntry& entry)
        : body_(body), build_(body.build_), data_(body.data_), op_(op), entry_(entry) {}

    Value* emit() {
        for (const HostArgument argument : entry_.arguments) add(argument);
        return call_runtime(build_, "tsr_" + std::string(entry_.name), result_type(), arguments_);
    }

private:
    [[nodiscard]] llvm::Type* result_type() const {
        using enum ir::HostResult;
        switch (entry_.result) {
            case none:
                return nullptr;
            case tensor:
            case string:
            case container:
                return build_.ir.getPtrTy();
            case boolean:
                return build_.ir.getInt1Ty();
            case i32:
                return build_.ir.getInt32Ty();
            case real:
                return build_.ir.getDoubleTy();
            case progress:
            case integer:
            case bits:
            case slot:
                return build_.ir.getInt64Ty();
        }
        throw ir::InternalError("an entry whose result has no kind");
    }

    void add(HostArgument argument) {
        using enum HostArgument;
        switch (argument) {
            case tensor:
            case string:
            case container:
            case progress:
                return push(body_.operand(op_, next_++));
            case slot:
            case bits:
                return push(body_.slot_of(op_.operands[next_++]));
            case integer:
                return push(body_.as_i64(op_.operands[next_++]));
            case HostArgument::real:
                return push(converted_real());
            case integers:
                return add_integers();
            case strings:
                return add_strings();
            case slots:
                return add_slots();
            case scalars:
                return add_scalars();
            case named_tensors:
                return add_named_tensors();
            case items:
                return add_items();
            case random_key:
                return add_random_key();
            case type:
                return push(data_.i32(static_cast<int>(op_.attrs.dtype(Attr::type))));
            case type_of_last:
                return push(data_.i32(static_cast<int>(body_.operand_type(op_, next_ - 1).elem)));
            case HostArgument::extents:
                return add_extents();
            case text:
                return push(op_.attrs.has(Attr::text) ? data_.text(op_.attrs.string(Attr::text)) : data_.null());
            case name:
                return push(next_name());
            case count:
                return push(data_.i32(op_.attrs.integer(Attr::count, 0)));
            case result_type:
                return push(data_.text(ir::container_type(body_.source_.type(op_.results[0]))));
            case zero:  // a register full of zeros is a null pointer and an integer 0
                return push(data_.i64(0));
            case place:
                return push(body_.place_of(op_));
            case family:
                return push(body_.names_.family(op_.attrs.has(Attr::text) ? op_.attrs.string(Attr::text)
                                                                          : body_.names_.program().on_gpus));
        }
    }

    void push(Value* argument) { arguments_.push_back(argument); }
    void push_count(size_t count) { push(data_.i32(static_cast<int64_t>(count))); }

    Value* converted_real() {
        const DType type = body_.operand_type(op_, next_).elem;
        return emit_cast(build_, type, DType::f64, body_.operand(op_, next_++));
    }

    [[nodiscard]] const std::vector<int64_t>& integers(Attr attr) const {
        static const std::vector<int64_t> none;
        const ir::AttrValue* found = op_.attrs.find(attr);
        return found == nullptr ? none : std::get<std::vector<int64_t>>(*found);
    }

    [[nodiscard]] const std::vector<std::string>& names() const {
        static const std::vector<std::string> none;
        const ir::AttrValue* found = op_.attrs.find(Attr::names);
        return found == nullptr ? none : std::get<std::vector<std::string>>(*found);
    }

    llvm::Constant* next_name() { return name_ < names().size() ? data_.text(names()[name_++]) : data_.null(); }

    [[nodiscard]] bool has_seed() const { return op_.attrs.has(Attr::seeded); }

    [[nodiscard]] size_t rest() const { return ir::rest_of_operands(entry_, op_.operands.size(), has_seed()); }

    void add_integers() {
        HostBody::Values all;
        for (size_t left = rest(); left > 0; --left) all.push_back(body_.as_i64(op_.operands[next_++]));
        push(body_.row(all));
        push_count(all.size());
    }

    void add_strings() {
        HostBody::Values all;
        for (size_t left = rest(); left > 0; --left) all.push_back(body_.operand(op_, next_++));
        push(body_.row(all));
        push_count(all.size());
    }

    void add_slots() {
        HostBody::Values all;
        for (size_t left = rest(); left > 0; --left) all.push_back(body_.slot_of(op_.operands[next_++]));
        push(data_or_row(build_.ir.getInt64Ty(), all));
        push_count(all.size());
    }

    // Known values stand in the program's data, however many they are.
    Value* data_or_row(llvm::Type* type, const HostBody::Values& values) {
        std::vector<llvm::Constant*> known;
        for (Value* value : values) {
            if (auto* constant = llvm::dyn_cast<llvm::Constant>(value)) known.push_back(constant);
        }
        const bool all = !values.empty() && known.size() == values.size();
        return all ? static_cast<Value*>(data_.array(type, known, "values")) : body_.row(values);
    }

    void add_scalars() {
        llvm::Type* stored = memory_type(build_.context(), op_.attrs.dtype(Attr::type));
        HostBody::Values all;
        for (size_t left = rest(); left > 0; --left) {
            Value* element = body_.operand(op_, next_++);
            if (element->getType() != stored) element = build_.ir.CreateZExt(element, stored);
            all.push_back(element);
        }
        push(data_or_row(stored, all));
    }

    void add_named_tensors() {
        std::vector<llvm::Constant*> texts;
        for (const std::string& name : names()) texts.push_back(data_.text(name));
        HostBody::Values all;
        for (size_t left = rest(); left > 0; --left) all.push_back(body_.operand(op_, next_++));
        push(data_.array(build_.ir.getPtrTy(), texts, "names"));
        push(body_.row(all));
        push_count(all.size());
    }

    void add_extents() {
        std::vector<llvm::Constant*> all;
        for (const int64_t extent : integers(Attr::extents)) all.push_back(data_.i64(extent));
        push(data_.array(build_.ir.getInt64Ty(), all, "axes"));
        push_count(all.size());
    }

    // TsrIndexItem: kind, given, start, stop, step.
    void add_items() {
        HostBody::Values words;
        for (const int64_t code : integers(Attr::codes)) {
            Value* start = data_.i64(0);
            Value* stop = data_.i64(0);
            Value* step = data_.i64(0);
            int64_t kind = TSR_INDEX_SLICE;
            const int64_t given = code >= ir::index_slice ? code - ir::index_slice : 0;
            if (code == ir::index_newaxis) kind = TSR_INDEX_NEWAXIS;
            if (code == ir::index_ellipsis) kind = TSR_INDEX_ELLIPSIS;
            if (code == ir::index_integer) kind = TSR_INDEX_INTEGER;
            if (code == ir::index_integer || (given & 1) != 0) start = body_.as_i64(op_.operands[next_++]);
            if ((given & 2) != 0) stop = body_.as_i64(op_.operands[next_++]);
            if ((given & 4) != 0) step = body_.as_i64(op_.operands[next_++]);
            const HostBody::Values item{data_.i64(kind | given << 32), start, stop, step};
            words.insert(words.end(), item.begin(), item.end());
        }
        push(body_.row(words));
        push_count(integers(Attr::codes).size());
    }

    void add_random_key() {
        Value* seed = data_.null();
        if (has_seed()) seed = body_.row({body_.as_i64(op_.operands[next_++])});
        Value* key = body_.stack_room(build_.ir.getInt64Ty(), 2, llvm::Align(8));
        call_runtime(build_, "tsr_next_key", nullptr, {data_.i32(op_.attrs.integer(Attr::count, 0)), seed, key});
        push(key);
    }

    HostBody& body_;
    Build& build_;
    Data& data_;
    const ir::Op& op_;
    const ir::HostEntry& entry_;
    size_t next_ = 0;  // operand
    size_t name_ = 0;
    std::vector<Value*> arguments_;
};

void HostBody::emit_entry(const ir::Op& op) {
    const ir::HostEntry& entry = *ir::find_host_entry(op.attrs.string(Attr::callee));
    if (entry.name == "on_gpu" && !names_.program().with_gpus()) return define(op.results[0], builder_.getFalse());
    Value* given = EntryCall(*this, op, entry).emit();
    if (op.results.empty()) return;
    const ir::Type& type = source_.type(op.results[0]);
    if (entry.result == ir::HostResult::bits || entry.result == ir::HostResult::slot) given = from_slot(type, given);
    if (given->getType()->isIntegerTy() && type.is_scalar()) {
        llvm::Type* held = element_type(target_.getContext(), type.elem);
        if (given->getType() != held) given = builder_.CreateIntCast(given, held, true);
    }
    define(op.results[0], given);
}

}  // namespace tsr::codegen
