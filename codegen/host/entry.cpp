// Operations `host`: a call of an entry of the runtime, its arguments made as the table of entries says.
#include "codegen/host/host.h"
#include "codegen/llvm/cast.h"
#include "codegen/llvm/function.h"
#include "codegen/llvm/types.h"
#include "ir/passes/host/container_type.h"
#include "ir/passes/host/entries.h"
#include "runtime/abi.h"

namespace tsr::codegen {

using ir::Attr;
using llvm::Value;

// One call being put together: letters take operands from left to right.
class EntryCall {
public:
    EntryCall(HostBody& body, const ir::Op& op, const ir::HostEntry& entry)
        : body_(body), build_(body.build_), data_(body.data_), op_(op), entry_(entry) {}

    Value* emit() {
        for (const char letter : entry_.arguments) add(letter);
        return call_runtime(build_, "tsr_" + std::string(entry_.name), result_type(), arguments_);
    }

private:
    [[nodiscard]] llvm::Type* result_type() const {
        switch (entry_.result) {
            case 'v':
                return nullptr;
            case 't':
            case 's':
            case 'l':
                return build_.ir.getPtrTy();
            case 'c':
                return build_.ir.getInt1Ty();
            case 'n':
                return build_.ir.getInt32Ty();
            case 'd':
                return build_.ir.getDoubleTy();
            default:
                return build_.ir.getInt64Ty();
        }
    }

    void add(char letter) {
        switch (letter) {
            case 't':
            case 's':
            case 'l':
            case 'g':
                push(body_.operand(op_, next_++));
                return;
            case 'e':
            case 'b':
                push(body_.slot_of(op_, next_++));
                return;
            case 'i':
                push(body_.as_i64(op_, next_++));
                return;
            case 'd':
                push(real());
                return;
            case 'A':
                add_integers();
                return;
            case 'X':
                add_strings();
                return;
            case 'E':
                add_slots();
                return;
            case 'W':
                add_scalars();
                return;
            case 'F':
                add_named_tensors();
                return;
            case 'S':
                add_axes();
                return;
            case 'V':
                add_items();
                return;
            case 'R':
                add_random_key();
                return;
            default:
                add_attribute(letter);
                return;
        }
    }

    void add_attribute(char letter) {
        switch (letter) {
            case 'D':
                push(data_.i32(static_cast<int>(op_.attrs.dtype(Attr::type))));
                return;
            case 'O':
                push(data_.i32(static_cast<int>(body_.operand_type(op_, next_ - 1).elem)));
                return;
            case 'T':
                push(op_.attrs.has(Attr::text) ? data_.text(op_.attrs.string(Attr::text)) : data_.null());
                return;
            case 'N':
                push(next_name());
                return;
            case 'K':
                push(data_.i32(op_.attrs.integer(Attr::count, 0)));
                return;
            case 'Y':
                push(data_.text(ir::container_type(body_.source_.type(op_.results[0]))));
                return;
            case 'P':
                push(body_.place_of(op_));
                return;
            // A register full of zeros is a null pointer and an integer 0.
            default:
                push(data_.i64(0));
                return;
        }
    }

    void push(Value* argument) { arguments_.push_back(argument); }
    void push_count(size_t count) { push(data_.i32(static_cast<int64_t>(count))); }

    Value* real() {
        const DType type = body_.operand_type(op_, next_).elem;
        return emit_cast(build_, type, DType::f64, body_.operand(op_, next_++));
    }

    [[nodiscard]] const std::vector<int64_t>& axes() const {
        static const std::vector<int64_t> none;
        const ir::AttrValue* found = op_.attrs.find(Attr::axes);
        return found == nullptr ? none : std::get<std::vector<int64_t>>(*found);
    }

    [[nodiscard]] const std::vector<std::string>& names() const {
        static const std::vector<std::string> none;
        const ir::AttrValue* found = op_.attrs.find(Attr::names);
        return found == nullptr ? none : std::get<std::vector<std::string>>(*found);
    }

    llvm::Constant* next_name() { return name_ < names().size() ? data_.text(names()[name_++]) : data_.null(); }

    [[nodiscard]] bool has_seed() const { return op_.attrs.has(Attr::mode) && op_.attrs.string(Attr::mode) == "seed"; }

    // The operands that no other letter takes.
    [[nodiscard]] size_t rest() const {
        size_t taken = 0;
        for (const char letter : entry_.arguments) {
            if (std::string_view("tslgebid").find(letter) != std::string_view::npos) ++taken;
            if (letter == 'R' && has_seed()) ++taken;
        }
        return op_.operands.size() - taken;
    }

    void add_integers() {
        HostBody::Values all;
        for (size_t left = rest(); left > 0; --left) all.push_back(body_.as_i64(op_, next_++));
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
        for (size_t left = rest(); left > 0; --left) all.push_back(body_.slot_of(op_, next_++));
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

    void add_axes() {
        std::vector<llvm::Constant*> all;
        for (const int64_t axis : axes()) all.push_back(data_.i64(axis));
        push(data_.array(build_.ir.getInt64Ty(), all, "axes"));
        push_count(all.size());
    }

    // TsrIndexItem: kind, given, start, stop, step.
    void add_items() {
        HostBody::Values words;
        for (const int64_t code : axes()) {
            Value* start = data_.i64(0);
            Value* stop = data_.i64(0);
            Value* step = data_.i64(0);
            int64_t kind = TSR_INDEX_SLICE;
            const int64_t given = code >= ir::index_slice ? code - ir::index_slice : 0;
            if (code == ir::index_newaxis) kind = TSR_INDEX_NEWAXIS;
            if (code == ir::index_ellipsis) kind = TSR_INDEX_ELLIPSIS;
            if (code == ir::index_integer) kind = TSR_INDEX_INTEGER;
            if (code == ir::index_integer || (given & 1) != 0) start = body_.as_i64(op_, next_++);
            if ((given & 2) != 0) stop = body_.as_i64(op_, next_++);
            if ((given & 4) != 0) step = body_.as_i64(op_, next_++);
            const HostBody::Values item{data_.i64(kind | given << 32), start, stop, step};
            words.insert(words.end(), item.begin(), item.end());
        }
        push(body_.row(words));
        push_count(axes().size());
    }

    void add_random_key() {
        Value* seed = data_.null();
        if (has_seed()) seed = body_.row({body_.as_i64(op_, next_++)});
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
    Value* given = EntryCall(*this, op, entry).emit();
    if (op.results.empty()) return;
    const ir::Type& type = source_.type(op.results[0]);
    if (entry.result == 'b' || entry.result == 'e') given = from_slot(type, given);
    if (given->getType()->isIntegerTy() && type.is_scalar()) {
        llvm::Type* held = element_type(target_.getContext(), type.elem);
        if (given->getType() != held) given = builder_.CreateIntCast(given, held, true);
    }
    define(op.results[0], given);
}

}  // namespace tsr::codegen
