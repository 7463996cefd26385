// Winners of tuning as text: on disk, and in programs that came with theirs. A record is
//
//     tesserac tuning 1
//     kernel gemm CONTENT
//     device cpu FEATURES threads N NAME
//     sizes M<=1024 N<=1024 K<=512
//     point BM=64, BN=128
//     seconds 0.001234
//     end
//
// and holds for a kernel with this content, on this device, for sizes up to the powers of two that are named. Anything
// else is passed over: a damaged file is a file without records.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "runtime/abi.h"
#include "runtime/tune/device.h"

namespace tsr::runtime {

// What a record is found by: its lines up to the point.
std::string record_key(const TsrTuning& tuning, const uint64_t* slots, const std::string& device = device_text());
// 1 plus the exponent of the smallest power of two that is not below `size`; 0 below 1.
int size_class(int64_t size);

std::string record_text(const std::string& key, const std::string& point, double seconds);
// The point of the first record with this key.
std::optional<std::string> find_point(std::string_view records, const std::string& key);

// The first line, from 1 on, that is no part of a whole record; 0 where the text is records alone.
int first_strange_line(std::string_view records);

// TESSERA_CACHE_DIR, else the user's cache folder; empty: there is none.
std::string cache_folder();
// The file in the cache that has this key's record, or would have it.
std::string record_file(const std::string& folder, const std::string& key);
// Empty where there is no file to be read.
std::string read_records(const std::string& path);
// Makes the folder too. A cache that can not be written costs time, nothing else: errors are not told.
void write_record(const std::string& path, const std::string& record);
// Adds the record to a file as a whole, also where others do so at the same time. False: `errno` says why not.
bool append_record(const std::string& path, const std::string& record);

}  // namespace tsr::runtime
