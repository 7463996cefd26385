// Tensors that the program itself loads and saves.
#include "runtime/io/files.h"

#include <algorithm>

#include "runtime/fail.h"
#include "runtime/host/loss_scale.h"
#include "runtime/tensor/random_counts.h"
#include "runtime/text/string.h"
#include "runtime/trace/trace.h"

using namespace tsr::runtime;

namespace {

void demand_safetensors(const TsrString* path, const TsrPlace* place) {
    const std::string file(view(path));
    if (!file.ends_with(".safetensors")) fail(place, "%s: a checkpoint is a .safetensors file", file.c_str());
}

constexpr const char* kRandomCounts = "tessera.random";
constexpr const char* kLossScale = "tessera.loss_scale";

struct Checkpoint {
    std::vector<TensorRef> tensors;
    std::string random_counts;
    std::string loss_scale;
};

// Each tensor as the file has it, in the type and shape of the one that is to take it.
Result<Checkpoint> read_checkpoint(const std::string& file, std::span<const char* const> names,
                                   std::span<const TsrTensor* const> wanted) {
    Result<std::unique_ptr<Source>> source = open_file(file);
    if (!source) return source.refusal();
    Result<std::vector<std::string>> known = safetensors_names(**source);
    if (!known) return known.refusal();
    Checkpoint all;
    for (size_t i = 0; i < names.size(); ++i) {
        const std::string name = names[i];
        if (std::ranges::find(*known, name) == known->end()) return Refusal{"has no '" + name + "'"};
        Result<TensorRef> tensor = read_safetensors(**source, name);
        if (!tensor) return Refusal{name + ": " + tensor.message()};
        const std::string held = type_text(**tensor), needed = type_text(*wanted[i]);
        if ((*tensor)->dtype != wanted[i]->dtype || !std::ranges::equal(shape(**tensor), shape(*wanted[i])))
            return Refusal{text("'%s' is %s, %s is needed", name.c_str(), held.c_str(), needed.c_str())};
        all.tensors.push_back(std::move(*tensor));
    }
    Result<std::string> counts = safetensors_metadata(**source, kRandomCounts);
    if (!counts) return counts.refusal();
    all.random_counts = std::move(*counts);
    Result<std::string> scale = safetensors_metadata(**source, kLossScale);
    if (!scale) return scale.refusal();
    all.loss_scale = std::move(*scale);
    return all;
}

void save(const TsrString* path, const char* const* names, const TsrTensor* const* tensors, int32_t count,
          std::span<const Metadata> metadata, const TsrPlace* place) {
    tsr_wait();
    std::vector<NamedTensor> entries;
    for (int32_t i = 0; i < count; ++i) {
        std::string name = names != nullptr && names[i] != nullptr ? names[i] : std::to_string(i);
        entries.push_back({name, TensorRef(tsr_tensor_retain(const_cast<TsrTensor*>(tensors[i])))});
    }
    Result<Done> saved = save_tensors(std::string(view(path)), entries, metadata);
    if (!saved) fail(place, "%s", saved.message().c_str());
}

}  // namespace

extern "C" {

TsrTensor* tsr_load(const TsrString* path, const TsrString* key, const TsrPlace* place) {
    return tsr_load_as(path, key, -1, -1, place);
}

TsrTensor* tsr_load_as(const TsrString* path, const TsrString* key, int32_t dtype, int32_t rank,
                       const TsrPlace* place) {
    std::string text(view(path));
    bool has_key = key != nullptr && key->length > 0;
    Location location = has_key ? Location{text, std::string(view(key))} : split_location(text);
    if (auto other = check_no_trace(location.path); !other) fail(place, "%s", other.message().c_str());
    Result<TensorRef> tensor = load_tensor(location, dtype, rank);
    if (!tensor) fail(place, "%s", tensor.message().c_str());
    return tensor->give();
}

void tsr_save(const TsrString* path, const char* const* names, const TsrTensor* const* tensors, int32_t count,
              const TsrPlace* place) {
    save(path, names, tensors, count, {}, place);
}

void tsr_save_checkpoint(const TsrString* path, const char* const* names, const TsrTensor* const* tensors,
                         int32_t count, const TsrPlace* place) {
    demand_safetensors(path, place);
    std::vector<Metadata> states;
    const auto add = [&](const char* name, const std::string& state) {
        if (!state.empty()) states.push_back({name, state});
    };
    add(kRandomCounts, random_counts());
    add(kLossScale, loss_scale_state());
    save(path, names, tensors, count, states, place);
}

void tsr_load_checkpoint(const TsrString* path, const char* const* names, const TsrTensor* const* tensors,
                         int32_t count, const TsrPlace* place) {
    demand_safetensors(path, place);
    const std::string file(view(path));
    if (auto other = check_no_trace(file); !other) fail(place, "%s", other.message().c_str());
    tsr_wait();
    Result<Checkpoint> read =
        read_checkpoint(file, {names, static_cast<size_t>(count)}, {tensors, static_cast<size_t>(count)});
    if (!read) fail(place, "%s: %s", file.c_str(), read.message().c_str());
    const bool counted = !read->random_counts.empty();  // other programs' files say nothing of it
    if (counted && !set_random_counts(read->random_counts))
        fail(place, "%s: malformed: '%s'", file.c_str(), kRandomCounts);
    if (!read->loss_scale.empty() && !set_loss_scale_state(read->loss_scale))
        fail(place, "%s: malformed: '%s'", file.c_str(), kLossScale);
    for (int32_t i = 0; i < count; ++i)
        tsr_assign(const_cast<TsrTensor*>(tensors[i]), read->tensors[static_cast<size_t>(i)].get(), place);
}
}
