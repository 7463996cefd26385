// Rows of numbers between commas (RFC 4180 without quotes).
#include <string_view>
#include <vector>

#include "runtime/fail.h"
#include "runtime/numbers/dtypes.h"
#include "runtime/program/scalars.h"
#include "runtime/tensor/rows.h"
#include "runtime/tensor/tensor.h"
#include "runtime/text/string.h"

namespace tsr::runtime {

namespace {

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) text.remove_suffix(1);
    return text;
}

// The part up to `separator`, which is taken off with it.
std::string_view taken(std::string_view& text, char separator) {
    const size_t end = std::min(text.find(separator), text.size());
    const std::string_view part = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return part;
}

struct Numbers {
    std::vector<uint64_t> bits;
    int64_t rows = 0, columns = -1;  // columns are known from the first row on
};

// The numbers of one line; a refusal names the first cell that is none, from 1.
Result<std::vector<uint64_t>> numbers_of(std::string_view line, int32_t dtype) {
    std::vector<uint64_t> numbers;
    for (bool more = true; more;) {
        more = line.find(',') != std::string_view::npos;
        const std::string word(trimmed(taken(line, ',')));
        Result<uint64_t> bits = parse_scalar(word, dtype);
        if (!bits) return Refusal{text("column %zu: %s", numbers.size() + 1, bits.message().c_str())};
        numbers.push_back(*bits);
    }
    return numbers;
}

// A heading is a first line in which no cell is a number.
bool is_heading(std::string_view line, int32_t dtype) {
    for (bool more = true; more;) {
        more = line.find(',') != std::string_view::npos;
        if (parse_scalar(std::string(trimmed(taken(line, ','))), dtype)) return false;
    }
    return true;
}

Result<Numbers> numbers_in(std::string_view contents, int32_t dtype) {
    Numbers all;
    bool first = true;
    for (int64_t number = 1; !contents.empty(); ++number) {
        const std::string_view line = trimmed(taken(contents, '\n'));
        if (line.empty()) continue;
        const bool heading = first && is_heading(line, dtype);
        first = false;
        if (heading) continue;
        Result<std::vector<uint64_t>> row = numbers_of(line, dtype);
        if (!row) return Refusal{text("line %lld, %s", static_cast<long long>(number), row.message().c_str())};
        const auto columns = static_cast<int64_t>(row->size());
        if (all.columns >= 0 && columns != all.columns) {
            return Refusal{text("line %lld has %lld numbers, those above have %lld", static_cast<long long>(number),
                                static_cast<long long>(columns), static_cast<long long>(all.columns))};
        }
        all.columns = columns;
        ++all.rows;
        all.bits.insert(all.bits.end(), row->begin(), row->end());
    }
    return all;
}

}  // namespace

}  // namespace tsr::runtime

using namespace tsr::runtime;

extern "C" TsrTensor* tsr_load_csv(const TsrString* path, int32_t dtype, int32_t rank, const TsrPlace* place) {
    const std::string name(view(path));
    TsrString* contents = tsr_read_text(path, place);
    Result<Numbers> numbers = numbers_in(view(contents), dtype);
    tsr_string_release(contents);
    if (!numbers) fail(place, "%s: %s", name.c_str(), numbers.message().c_str());
    if (numbers->rows == 0) fail(place, "%s: no row of numbers", name.c_str());
    if (rank == 1 && numbers->columns != 1) {
        fail(place, "%s: a vector is wanted, each row has %lld numbers", name.c_str(),
             static_cast<long long>(numbers->columns));
    }
    const int64_t shape[] = {numbers->rows, numbers->columns};
    TensorRef result = make_tensor(dtype, {shape, static_cast<size_t>(rank)}, before_writing(dtype), place);
    size_t at = 0;
    for_rows<1>({result->shape, static_cast<size_t>(rank)}, {result->strides},
                [&](Offsets<1> start, int64_t length, Offsets<1>) {
                    for (int64_t i = 0; i < length; ++i) write_bits(*result, start[0] + i, numbers->bits[at++]);
                });
    return result.give();
}
