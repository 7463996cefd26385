#include "codegen/llvm/data.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/GlobalVariable.h>

namespace tsr::codegen {

llvm::Constant* Data::i32(int64_t value) {
    return llvm::ConstantInt::getSigned(llvm::Type::getInt32Ty(module_.getContext()), value);
}

llvm::Constant* Data::i64(int64_t value) {
    return llvm::ConstantInt::getSigned(llvm::Type::getInt64Ty(module_.getContext()), value);
}

llvm::Constant* Data::null() { return llvm::ConstantPointerNull::get(llvm::PointerType::get(module_.getContext(), 0)); }

llvm::Constant* Data::structure(const std::vector<llvm::Constant*>& fields) {
    return llvm::ConstantStruct::getAnon(module_.getContext(), fields);
}

llvm::Constant* Data::global(llvm::Constant* value, const std::string& name) {
    auto* made =
        new llvm::GlobalVariable(module_, value->getType(), true, llvm::GlobalValue::PrivateLinkage, value, name);
    made->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
    return made;
}

llvm::Constant* Data::array(llvm::Type* element, const std::vector<llvm::Constant*>& values, const std::string& name) {
    if (values.empty()) return null();
    return global(llvm::ConstantArray::get(llvm::ArrayType::get(element, values.size()), values), name);
}

llvm::Constant* Data::text(const std::string& bytes) {
    llvm::Constant*& made = texts_[bytes];
    if (made == nullptr) made = global(llvm::ConstantDataArray::getString(module_.getContext(), bytes), "text");
    return made;
}

llvm::Constant* Data::place_value(Span span) {
    if (sources_ == nullptr || !span.valid()) return structure({null(), i32(0), i32(0)});
    const LineColumn at = sources_->position(span.file, span.begin);
    return structure({text(sources_->path(span.file)), i32(at.line), i32(at.column)});
}

llvm::Constant* Data::place(Span span) {
    if (sources_ == nullptr || !span.valid()) return null();
    llvm::Constant*& made = places_[{span.file.index, span.begin}];
    if (made == nullptr) made = global(place_value(span), "place");
    return made;
}

llvm::Constant* Data::string(const std::string& bytes) {
    llvm::Constant*& made = strings_[bytes];
    if (made == nullptr) {
        made = global(structure({i32(-1), i32(0), i64(static_cast<int64_t>(bytes.size())), text(bytes)}), "string");
    }
    return made;
}

llvm::Constant* Data::table(llvm::Constant* elements, unsigned address_space) {
    llvm::Constant*& made = tables_[elements];
    if (made != nullptr) return made;
    auto* global =
        new llvm::GlobalVariable(module_, elements->getType(), true, llvm::GlobalValue::PrivateLinkage, elements,
                                 "table", nullptr, llvm::GlobalValue::NotThreadLocal, address_space);
    global->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
    return made = global;
}

llvm::Constant* Data::message(Span span, const std::string& format, const std::vector<DType>& values) {
    std::vector<llvm::Constant*> pieces;
    size_t next = 0;
    for (const FormatPiece& piece : format_pieces(format)) {
        if (!piece.hole) {
            pieces.push_back(structure({text(piece.text), i32(0), null()}));
        } else if (next < values.size()) {
            llvm::Constant* spec = piece.text.empty() ? null() : text(piece.text);
            pieces.push_back(structure({null(), i32(static_cast<int>(values[next++])), spec}));
        }
    }
    llvm::Type* element = structure({null(), i32(0), null()})->getType();
    llvm::Constant* list = array(element, pieces, "pieces");
    return global(structure({place_value(span), i32(static_cast<int64_t>(pieces.size())), list}), "message");
}

std::vector<FormatPiece> format_pieces(const std::string& format) {
    std::vector<FormatPiece> pieces;
    std::string text;
    for (size_t i = 0; i < format.size(); ++i) {
        const char c = format[i];
        const bool doubled = i + 1 < format.size() && format[i + 1] == c;
        if ((c == '{' || c == '}') && doubled) {
            text += c;
            ++i;
        } else if (c == '{') {
            const size_t end = std::min(format.find('}', i), format.size());
            if (!text.empty()) pieces.push_back({false, std::move(text)});
            text.clear();
            std::string spec = format.substr(i + 1, end - i - 1);
            if (!spec.empty() && spec[0] == ':') spec.erase(0, 1);
            pieces.push_back({true, spec});
            i = end;
        } else {
            text += c;
        }
    }
    if (!text.empty()) pieces.push_back({false, text});
    return pieces;
}

}  // namespace tsr::codegen
