// Tuned launches: the fastest point is found on copies, kept on disk, and found there again.
#include <bit>
#include <cstdlib>
#include <string>

#include <doctest/doctest.h>
#include <unistd.h>

#include "file_helpers.h"
#include "runtime/tune/record.h"

namespace tsr::runtime::tests {

namespace {

constexpr TsrPlace kTuningPlace{"k.tsr", 3, 1};

// y[0] += 1, slots[1] the size, the groups of the point in slots[2]. What runs it takes as many milliseconds as it has
// groups, and counts in `runs`.
int runs[3];

template <int Point>
void grow(const uint64_t* slots, int64_t begin, int64_t end, void*, TsrTask*) {
    ++runs[Point];
    auto* y = std::bit_cast<float*>(slots[0]);
    for (int64_t i = begin; i < end; ++i) usleep(1000);
    y[0] = y[0] * 2 + 1;
    y[1] = static_cast<float>(slots[2]);
}

TsrKernelVariant variant(TsrKernelEntry entry) {
    return {TSR_MACHINE_X86_64, 0, TSR_LEVEL_V1, nullptr, nullptr, entry, 100, 0, "plan"};
}

void fails(const uint64_t*, int64_t, int64_t, void*, TsrTask* task) {
    static constexpr TsrMessage kMessage{{"k.tsr", 5, 9}, 0, nullptr};
    ++runs[2];
    tsr_task_assert_failed(task, &kMessage, nullptr, 0);
}

// A kernel of three points, the second of which is the fastest, in a cache of its own.
struct Kernel {
    explicit Kernel(const char* content) : content(content) {
        setenv("TESSERA_CACHE_DIR", folder.path("cache").c_str(), 1);
        unsetenv("TESSERA_TUNE");
        unsetenv("TESSERA_TUNE_RECORD");
        tuning.content = content;
        for (int& count : runs) count = 0;
    }
    Kernel(const Kernel&) = delete;
    Kernel& operator=(const Kernel&) = delete;
    ~Kernel() { unsetenv("TESSERA_CACHE_DIR"); }

    // The number of groups that the point which was taken had.
    float launch(int64_t size) {
        const uint64_t slots[] = {std::bit_cast<uint64_t>(tsr_data(y.get())), static_cast<uint64_t>(size), 0, 0, 0};
        const int64_t groups[] = {12, 1, 1, 12, 2, 1, 1, 2, 24, 1, 1, 24};
        TsrTensor* const tensors[] = {y.get()};
        tsr_launch_tuned(&tuning, slots, tensors, groups, nullptr, nullptr);
        return static_cast<const float*>(y->dl.data)[1];
    }
    std::string record_path(int64_t size) const {
        const uint64_t slots[] = {0, static_cast<uint64_t>(size), 0, 0, 0};
        return record_file(cache_folder(), record_key(tuning, slots));
    }

    Folder folder;
    const char* content;
    TensorRef y = tensor(TSR_F32, {2}, {0, 0});
    const char* names[5] = {"y", "n", "groups.x", "groups.y", "groups.z"};
    TsrKernelVariant variants[3] = {variant(grow<0>), variant(grow<1>), variant(grow<2>)};
    const uint8_t uses[5] = {TSR_SLOT_WRITTEN};
    TsrKernelFamily families[3] = {{"k", kTuningPlace, 5, 1, names, &variants[0], uses},
                                   {"k", kTuningPlace, 5, 1, names, &variants[1], uses},
                                   {"k", kTuningPlace, 5, 1, names, &variants[2], uses}};
    TsrTuningPoint points[3] = {{&families[0], "B=8"}, {&families[1], "B=64"}, {&families[2], "B=4"}};
    TsrTuning tuning{"k", nullptr, 3, 1, 1, 0, points, nullptr};
};

}  // namespace

TEST_CASE("the fastest point is taken; the tensors are written once") {
    Kernel k("fastest");
    CHECK(k.launch(100) == 2);
    CHECK(values(*k.y)[0] == 1);
    const int measured = runs[1];
    CHECK(runs[0] > 0);
    CHECK(runs[2] > 0);
    CHECK(measured > 2);
    // Sizes up to 128 are one class.
    CHECK(k.launch(128) == 2);
    CHECK(k.launch(65) == 2);
    CHECK(runs[1] == measured + 2);
    CHECK(values(*k.y)[0] == 7);
    const int others = runs[0];
    CHECK(k.launch(129) == 2);
    CHECK(runs[0] > others);
}

TEST_CASE("nothing to do is nothing to measure") {
    Kernel k("nothing");
    const uint64_t slots[] = {0, 0, 0, 0, 0};
    const int64_t groups[12] = {};
    tsr_launch_tuned(&k.tuning, slots, nullptr, groups, nullptr, nullptr);
    CHECK(runs[0] + runs[1] + runs[2] == 0);
}

TEST_CASE("the winner is read from disk, from the program before it, and only for what it was measured for") {
    Kernel k("disk");
    const uint64_t slots[] = {0, 100, 0, 0, 0};
    const std::string key = record_key(k.tuning, slots);
    write_record(k.record_path(100), record_text(key, "B=4", 0.5));
    CHECK(k.launch(100) == 24);
    CHECK(runs[0] == 0);
    // Another size is not in it.
    CHECK(k.launch(1000) == 2);
    CHECK(find_point(read_records(k.record_path(1000)), key) == std::nullopt);

    Kernel known("known");
    const std::string records =
        record_text(record_key(k.tuning, slots), "B=4", 0.5) + record_text(record_key(known.tuning, slots), "B=8", 0.5);
    known.tuning.known = records.c_str();
    write_record(known.record_path(100), record_text(record_key(known.tuning, slots), "B=64", 0.5));
    CHECK(known.launch(100) == 12);
    CHECK(runs[1] == 0);
}

TEST_CASE("a damaged record, or one of no point, is measured again and written anew") {
    const std::vector<std::string> wrong{"", "tesserac", "{key}point B=4\nseconds 1\n", "{key}point B=4\n",
                                         "{key}point B=5\nseconds 1\nend\n"};
    for (size_t i = 0; i < wrong.size(); ++i) {
        const std::string content = "damaged" + std::to_string(i);
        Kernel k(content.c_str());
        const uint64_t slots[] = {0, 100, 0, 0, 0};
        std::string text = wrong[i];
        if (text.starts_with("{key}")) text = "tesserac tuning 1\n" + record_key(k.tuning, slots) + text.substr(5);
        write_record(k.record_path(100), text);
        CAPTURE(text);
        CHECK(k.launch(100) == 2);
        CHECK(find_point(read_records(k.record_path(100)), record_key(k.tuning, slots)) == "B=64");
    }
}

TEST_CASE("a cache that can not be written costs time and nothing else") {
    Kernel k("unwritable");
    setenv("TESSERA_CACHE_DIR", "/proc/none", 1);
    CHECK(k.launch(100) == 2);
    CHECK(values(*k.y)[0] == 1);
}

TEST_CASE("TESSERA_TUNE=off takes the first point, =again does not believe what is known") {
    Kernel off("off");
    setenv("TESSERA_TUNE", "off", 1);
    CHECK(off.launch(100) == 12);
    CHECK(runs[1] == 0);
    const uint64_t slots[] = {0, 1000, 0, 0, 0};
    write_record(off.record_path(1000), record_text(record_key(off.tuning, slots), "B=4", 0.5));
    CHECK(off.launch(1000) == 24);

    Kernel again("again");
    write_record(again.record_path(1000), record_text(record_key(again.tuning, slots), "B=4", 0.5));
    setenv("TESSERA_TUNE", "again", 1);
    CHECK(again.launch(1000) == 2);
    setenv("TESSERA_TUNE", "maybe", 1);
    CHECK(failure([&] { again.launch(1); }) == "TESSERA_TUNE=maybe: expected off or again");
    unsetenv("TESSERA_TUNE");
}

TEST_CASE("an assertion that fails while measuring leaves the first point, and is told once") {
    Kernel k("assertion");
    k.variants[2] = variant(fails);
    CHECK(k.launch(100) == 12);
    CHECK(runs[2] == 1);
    CHECK(values(*k.y)[0] == 1);
    CHECK(read_records(k.record_path(100)).empty());
}

TEST_CASE("winners are listed where TESSERA_TUNE_RECORD says, measured or not") {
    Kernel k("listed");
    const std::string list = k.folder.path("list");
    setenv("TESSERA_TUNE_RECORD", list.c_str(), 1);
    k.launch(100);
    k.launch(100);
    k.launch(1000);
    unsetenv("TESSERA_TUNE_RECORD");
    for (const uint64_t size : {100, 1000}) {
        const uint64_t slots[] = {0, size, 0, 0, 0};
        CHECK(find_point(read_records(list), record_key(k.tuning, slots)) == "B=64");
    }
}

TEST_CASE("classes of sizes are powers of two") {
    CHECK(size_class(-3) == 0);
    CHECK(size_class(0) == 0);
    CHECK(size_class(1) == 1);
    CHECK(size_class(2) == 2);
    CHECK(size_class(3) == 3);
    CHECK(size_class(4) == 3);
    CHECK(size_class(5) == 4);
    CHECK(size_class(1024) == 11);
    CHECK(size_class(1025) == 12);
    CHECK(size_class(int64_t{1} << 62) == 63);
}

}  // namespace tsr::runtime::tests
