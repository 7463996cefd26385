// What is written about a library: a header of C and a manifest.
#include <algorithm>
#include <cctype>

#include <fmt/core.h>

#include "base/json.h"
#include "driver/library.h"

namespace tsr::driver {

namespace {

// What a scalar is in C; types that C has no numbers for travel as their bits.
std::string_view c_type(DType type) {
    switch (type) {
        case DType::f32:
            return "float";
        case DType::f64:
            return "double";
        case DType::boolean:
            return "bool";
        case DType::i64:
        case DType::index:
            return "int64_t";
        case DType::i32:
            return "int32_t";
        case DType::i16:
            return "int16_t";
        case DType::i8:
        case DType::i4:
            return "int8_t";
        case DType::u64:
            return "uint64_t";
        case DType::u32:
            return "uint32_t";
        case DType::u16:
        case DType::f16:
        case DType::bf16:
            return "uint16_t";
        case DType::u8:
        case DType::fp8_e4m3:
        case DType::fp8_e5m2:
        case DType::fp6_e3m2:
        case DType::fp6_e2m3:
        case DType::fp4_e2m1:
        case DType::e8m0:
        case DType::c64:
            return "uint8_t";
    }
    return "";
}

// The leaf `net.w1` of a tree, as C names it.
std::string c_name(std::string name) {
    std::ranges::replace(name, '.', '_');
    return name;
}

std::string result_name(const Library::Function& function, size_t number, size_t count) {
    const auto& names = function.exported.results;
    if (number < names.size() && !names[number].empty()) return "result_" + names[number];
    return count == 1 ? "result" : fmt::format("result_{}", number);
}

std::string prototype(const Library::Function& function, const ir::Function& source) {
    std::string parameters;
    auto add = [&](const std::string& text) { parameters += (parameters.empty() ? "" : ", ") + text; };
    for (ir::ValueId param : source.params()) {
        const ir::Type& type = source.type(param);
        const std::string name = c_name(source.value(param).name);
        if (type.kind == ir::TypeKind::tensor)
            add(fmt::format("{}DLTensor* {}", type.mut ? "" : "const ", name));
        else if (type.kind == ir::TypeKind::string)
            add("const char* " + name);
        else
            add(fmt::format("{} {}", c_type(type.elem), name));
    }
    for (size_t i = 0; i < source.results.size(); ++i) {
        const ir::Type& type = source.results[i];
        const auto name = result_name(function, i, source.results.size());
        add(type.kind == ir::TypeKind::tensor ? fmt::format("DLManagedTensor** {}", name)
                                              : fmt::format("{}* {}", c_type(type.elem), name));
    }
    return fmt::format("int32_t {}({});", function.exported.symbol, parameters.empty() ? "void" : parameters);
}

// The types as the language writes them, for the reader of the header.
std::string types(const ir::Function& source) {
    std::string out;
    for (ir::ValueId param : source.params())
        out += fmt::format("{}{}: {}", out.empty() ? "" : ", ", source.value(param).name, source.type(param).text());
    std::string results;
    for (ir::Type type : source.results) {
        type.mut = false;  // it is the caller's
        results += (results.empty() ? "" : ", ") + type.text();
    }
    return fmt::format("({}){}{}", out, results.empty() ? "" : " -> ", results);
}

std::string comment(std::string_view text) {
    std::string out;
    for (char c : text)
        out += c == '\n' ? std::string("\n * ") : c == '/' && out.ends_with('*') ? " /" : std::string(1, c);
    return out;
}

constexpr std::string_view kDlpack = R"(#if defined(__has_include)
#if __has_include(<dlpack/dlpack.h>)
#include <dlpack/dlpack.h>
#endif
#endif
#ifndef DLPACK_DLPACK_H_
#define DLPACK_DLPACK_H_
/* The structures of DLPack (https://dmlc.github.io/dlpack), where its own header is not installed. */
typedef enum { kDLCPU = 1, kDLCUDA = 2 } DLDeviceType;
typedef struct { int32_t device_type; int32_t device_id; } DLDevice;
typedef enum { kDLInt = 0, kDLUInt = 1, kDLFloat = 2, kDLBfloat = 4, kDLComplex = 5, kDLBool = 6 } DLDataTypeCode;
typedef struct { uint8_t code; uint8_t bits; uint16_t lanes; } DLDataType;
typedef struct {
    void* data;
    DLDevice device;
    int32_t ndim;
    DLDataType dtype;
    int64_t* shape;
    int64_t* strides; /* in elements; NULL: row-major without gaps */
    uint64_t byte_offset;
} DLTensor;
typedef struct DLManagedTensor {
    DLTensor dl_tensor;
    void* manager_ctx;
    void (*deleter)(struct DLManagedTensor* self);
} DLManagedTensor;
#endif
)";

std::string_view kind(const ir::Type& type) {
    return type.kind == ir::TypeKind::tensor ? "tensor" : type.kind == ir::TypeKind::string ? "string" : "scalar";
}

std::string described(const std::string& name, ir::Type type, bool result = false) {
    type.mut = type.mut && !result;
    std::string out = fmt::format(R"({{"name":{},"kind":"{}")", json_string(name), kind(type));
    if (type.kind != ir::TypeKind::string) out += fmt::format(R"(,"dtype":"{}")", tsr::name(type.elem));
    if (type.kind != ir::TypeKind::tensor) return out + "}";
    std::string shape;
    for (const ir::Dim& dim : type.shape) shape += (shape.empty() ? "" : ",") + json_string(dim.text());
    return out + fmt::format(R"(,"shape":[{}]{}}})", shape, type.mut ? R"(,"mut":true)" : "");
}

}  // namespace

std::string header_text(const Library& library, const ir::Module& module) {
    std::string guard;
    for (char c : library.name) guard += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    std::string out = fmt::format(R"(/* The functions of `{0}`, made by tesserac {1}.
 *
 * Tensors are DLPack's, in the memory of the CPU; they are borrowed for the call. A tensor that a function gives is a
 * new DLManagedTensor: call its deleter. Every function gives a status:
 *   0  done
 *   1  an argument is of another type, rank or shape than the function takes; nothing was done
 *   2  the program failed; tensors that it writes may be half written
 * {0}_last_error() tells what was wrong. Calls from several threads wait for each other. */
#ifndef {2}_H
#define {2}_H

#include <stdbool.h>
#include <stdint.h>

{3}
#ifdef __cplusplus
extern "C" {{
#endif

/* What the last failed call on this thread said; "" when there was none. */
const char* {0}_last_error(void);
)",
                                  library.name, TSR_VERSION, guard, kDlpack);
    for (const Library::Function& function : library.functions) {
        const ir::Function& source = *module.find(function.exported.function);
        out += fmt::format("\n/* {}{}{}{} */\n{}\n", function.name, types(source),
                           function.documentation.empty() ? "" : "\n * ", comment(function.documentation),
                           prototype(function, source));
    }
    for (const Library::LeftOut& kernel : library.left_out)
        out += fmt::format("\n/* Not here: kernel `{}`: {}. A host function may launch it. */\n", kernel.kernel,
                           kernel.why);
    return out + fmt::format("\n#ifdef __cplusplus\n}}\n#endif\n\n#endif /* {}_H */\n", guard);
}

std::string manifest_text(const Library& library, const ir::Module& module) {
    std::string functions;
    for (const Library::Function& function : library.functions) {
        const ir::Function& source = *module.find(function.exported.function);
        std::string parameters;
        for (ir::ValueId param : source.params()) {
            parameters += (parameters.empty() ? "" : ",") + described(source.value(param).name, source.type(param));
        }
        std::string results;
        for (size_t i = 0; i < source.results.size(); ++i) {
            results += (results.empty() ? "" : ",") +
                       described(result_name(function, i, source.results.size()), source.results[i], true);
        }
        functions += fmt::format(
            "{}\n  {{\"name\":{},\"kind\":\"{}\",\"symbol\":{},\"documentation\":{},\n   \"parameters\":[{}],\n   "
            "\"results\":[{}]}}",
            functions.empty() ? "" : ",", json_string(function.name), function.kernel ? "kernel" : "function",
            json_string(function.exported.symbol), json_string(function.documentation), parameters, results);
    }
    return fmt::format("{{\"library\":{},\"tesserac\":\"{}\",\"last_error\":{},\n \"functions\":[{}\n ]}}\n",
                       json_string(library.name), TSR_VERSION, json_string(library.last_error()), functions);
}

}  // namespace tsr::driver
