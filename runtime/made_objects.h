// What a call from C has made and not freed: a call that fails gives it back.
#pragma once

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

    void note(ObjectKind kind, void* object) { objects_.emplace(object, kind); }
    void forget(void* object) { objects_.erase(object); }

private:
    std::unordered_map<void*, ObjectKind> objects_;
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
