// What a call from C has made and not freed: a call that fails gives it back.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>

namespace tsr::runtime {

enum class ObjectKind : uint8_t { tensor, string, list };

class MadeObjects {
public:
    // This thread's objects are noted until `keep`, or the end of this object's life, which frees what is left: every
    // reference to it was held by frames that are gone. These may nest.
    MadeObjects();
    MadeObjects(const MadeObjects&) = delete;
    MadeObjects& operator=(const MadeObjects&) = delete;
    ~MadeObjects();

    void keep();

    void note(ObjectKind kind, void* object) {
        if (count_ < first_.size())
            first_[count_++] = {object, kind};
        else
            others_.emplace(object, kind);
    }
    void forget(void* object) {
        for (size_t i = count_; i-- > 0;) {
            if (first_[i].object != object) continue;
            first_[i] = first_[--count_];
            return;
        }
        others_.erase(object);
    }

private:
    struct Made {
        void* object;
        ObjectKind kind;
    };
    template <typename Visit>
    void for_each(Visit visit) const {
        for (size_t i = 0; i < count_; ++i) visit(first_[i].object, first_[i].kind);
        for (const auto& [object, kind] : others_) visit(object, kind);
    }

    // A small call makes few objects: they need no table.
    std::array<Made, 16> first_;
    size_t count_ = 0;
    std::unordered_map<void*, ObjectKind> others_;
    MadeObjects* outer_;
};

// NULL outside of calls from C: executables free nothing when they end.
extern constinit thread_local MadeObjects* made_objects;

inline void object_made(ObjectKind kind, void* object) {
    if (made_objects != nullptr) [[unlikely]]
        made_objects->note(kind, object);
}

inline void object_freed(void* object) {
    if (made_objects != nullptr) [[unlikely]]
        made_objects->forget(object);
}

}  // namespace tsr::runtime
