#include "runtime/io/files.h"

#include <array>
#include <new>

#include "runtime/fail.h"
#include "runtime/io/inputs.h"
#include "runtime/io/npy.h"
#include "runtime/io/png.h"
#include "runtime/io/zip.h"
#include "runtime/numbers/dtypes.h"
#include "runtime/tensor/home.h"

namespace tsr::runtime {

namespace {

std::string listed(const std::vector<std::string>& names) {
    std::string result;
    for (size_t i = 0; i < names.size() && i < 8; ++i) result += (i > 0 ? ", " : "") + names[i];
    if (names.size() > 8) result += ", …";
    return result.empty() ? "none" : result;
}

// The key asked for, or the only one there is.
Result<std::string> choose_key(const std::vector<std::string>& names, const std::string& key) {
    if (key.empty() && names.size() == 1) return names[0];
    if (key.empty()) return Refusal{"which tensor? Write the file as FILE:KEY; its keys are: " + listed(names)};
    for (const std::string& name : names) {
        if (name == key) return name;
    }
    return Refusal{"no tensor '" + key + "'; its keys are: " + listed(names)};
}

Result<TensorRef> load_npz(const Source& source, const std::string& key, int32_t dtype) {
    Result<std::vector<ZipMember>> members = zip_members(source);
    if (!members) return members.refusal();
    std::vector<std::string> names;
    for (const ZipMember& member : *members) {
        bool npy = member.name.ends_with(".npy");
        names.push_back(npy ? member.name.substr(0, member.name.size() - 4) : member.name);
    }
    Result<std::string> chosen = choose_key(names, key);
    if (!chosen) return chosen.refusal();
    for (size_t i = 0; i < names.size(); ++i) {
        if (names[i] != *chosen) continue;
        Result<std::vector<uint8_t>> bytes = read_zip_member(source, (*members)[i]);
        if (!bytes) return bytes.refusal();
        return read_npy(MemorySource(*bytes), dtype);
    }
    return Refusal{"no tensor '" + key + "'"};
}

Result<TensorRef> load_safetensors(const Source& source, const std::string& key) {
    Result<std::vector<std::string>> names = safetensors_names(source);
    if (!names) return names.refusal();
    Result<std::string> chosen = choose_key(*names, key);
    if (!chosen) return chosen.refusal();
    return read_safetensors(source, *chosen);
}

Result<TensorRef> load_by_extension(const Location& location, int32_t dtype) {
    bool npy = location.path.ends_with(".npy"), npz = location.path.ends_with(".npz");
    if (!npy && !npz && !location.path.ends_with(".safetensors")) {
        return Refusal{"tensors are read from .npy, .npz and .safetensors files"};
    }
    Result<std::unique_ptr<Source>> source = open_file(location.path);
    if (!source) return source.refusal();
    if (npy && !location.key.empty())
        return Refusal{"an .npy file holds one tensor and has no keys; write " + location.path};
    if (npy) return read_npy(**source, dtype);
    if (npz) return load_npz(**source, location.key, dtype);
    return load_safetensors(**source, location.key);
}

Result<Done> write_npz(OutputFile& file, std::span<const NamedTensor> tensors) {
    ZipWriter zip(file);
    for (const NamedTensor& entry : tensors) {
        Result<std::string> header = npy_header(*entry.tensor);
        if (!header) return header.refusal();
        std::array<std::span<const uint8_t>, 2> parts{
            std::span(reinterpret_cast<const uint8_t*>(header->data()), header->size()), dense_data(*entry.tensor)};
        zip.add(entry.name + ".npy", parts);
    }
    zip.finish();
    return Done{};
}

Result<Done> write_by_extension(OutputFile& file, const std::string& path, std::span<const NamedTensor> tensors,
                                std::span<const Metadata> metadata) {
    if (path.ends_with(".npz")) return write_npz(file, tensors);
    if (path.ends_with(".safetensors")) return write_safetensors(file, tensors, metadata);
    bool npy = path.ends_with(".npy");
    if (!npy && !path.ends_with(".png")) {
        return Refusal{"tensors are written to .npy, .npz, .safetensors and .png files"};
    }
    if (tensors.size() != 1) {
        return Refusal{text("%zu tensors do not go into one %s file; use .npz or .safetensors", tensors.size(),
                            npy ? ".npy" : ".png")};
    }
    if (!npy) return write_png(file, *tensors[0].tensor);
    Result<std::string> header = npy_header(*tensors[0].tensor);
    if (!header) return header.refusal();
    file.write(*header);
    file.write(dense_data(*tensors[0].tensor));
    return Done{};
}

// A device or a pipe has no extension: it gets .npy.
std::string named_kind(const std::string& path) { return path.starts_with("/dev/") ? path + ".npy" : path; }

}  // namespace

Location split_location(const std::string& text) {
    for (const char* extension : {".npz:", ".safetensors:", ".npy:"}) {
        size_t at = text.rfind(extension);
        if (at == text.npos) continue;
        size_t colon = at + std::string_view(extension).size() - 1;
        return {text.substr(0, colon), text.substr(colon + 1)};
    }
    return {text, ""};
}

Result<TensorRef> load_tensor(const Location& location, int32_t dtype, int32_t rank) {
    Result<TensorRef> tensor = Refusal{""};
    try {
        tensor = load_by_extension(location, dtype);
    } catch (const std::bad_alloc&) {  // of an archive's member: tensors ask for themselves
        tensor = Refusal{"out of memory"};
    }
    std::string file = location.path + (location.key.empty() ? "" : ":" + location.key);
    if (!tensor) return Refusal{file + ": " + tensor.message()};
    const TsrTensor& t = **tensor;
    if (dtype >= 0 && !same_storage(dtype, t.dtype)) {
        return Refusal{file + ": holds " + type_text(t) + ", but " + std::string(name(dtype)) + " elements are needed"};
    }
    if (rank >= 0 && rank != t.dl.ndim) {
        return Refusal{text("%s: holds %s of rank %d, but rank %d is needed", file.c_str(), type_text(t).c_str(),
                            t.dl.ndim, rank)};
    }
    if (dtype >= 0) (*tensor)->dtype = dtype;
    return tensor;
}

Result<Done> check_output(const std::string& path) {
    if (!is_tensor_file(path)) {
        return Refusal{path + ": tensors are written to .npy, .npz, .safetensors and .png files"};
    }
    return check_place(path);
}

Result<Done> save_tensors(const std::string& path, std::span<const NamedTensor> tensors,
                          std::span<const Metadata> metadata) {
    if (auto place = check_output(path); !place) return place;
    std::vector<NamedTensor> dense;
    for (const NamedTensor& entry : tensors) {
        dense.push_back({entry.name, TensorRef(tsr_contiguous(entry.tensor.get(), nullptr))});
        read_at_home(*dense.back().tensor);
    }
    OutputFile file(path);
    Result<Done> written = write_by_extension(file, named_kind(path), dense, metadata);
    if (written) written = file.commit();
    if (!written) return Refusal{path + ": " + written.message()};
    return written;
}

bool is_tensor_file(const std::string& path) {
    const std::string kind = named_kind(path);
    return kind.ends_with(".npy") || kind.ends_with(".png") || holds_several(kind);
}

bool holds_several(const std::string& path) { return path.ends_with(".npz") || path.ends_with(".safetensors"); }

}  // namespace tsr::runtime
