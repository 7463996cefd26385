#include "runtime/text/tensor_text.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <vector>

#include "runtime/numbers/dtypes.h"
#include "runtime/numbers/number.h"
#include "runtime/tensor/home.h"
#include "runtime/text/digits.h"
#include "runtime/text/float_column.h"
#include "runtime/text/format_spec.h"

namespace tsr::runtime {

namespace {

constexpr int64_t kSummaryAbove = 1000;
constexpr int64_t kEdge = 3;
constexpr size_t kLine = 75;

bool summarized(int64_t extent, bool summary) { return summary && 2 * kEdge < extent; }

// Offsets of the elements that are shown, row-major.
void shown_offsets(const TsrTensor& t, int32_t axis, int64_t offset, bool summary, std::vector<int64_t>& out) {
    if (axis == t.dl.ndim) {
        out.push_back(offset);
        return;
    }
    int64_t extent = t.shape[axis];
    for (int64_t i = 0; i < extent; ++i) {
        if (summarized(extent, summary) && i == kEdge) i = extent - kEdge;
        shown_offsets(t, axis + 1, offset + i * t.strides[axis], summary, out);
    }
}

void align_right(std::vector<std::string>& words) {
    size_t width = 0;
    for (const std::string& word : words) width = std::max(width, word.size());
    for (std::string& word : words) word.insert(0, width - word.size(), ' ');
}

std::vector<std::string> complex_words(const std::vector<Number>& numbers) {
    std::vector<double> real, imaginary;
    for (const Number& n : numbers) {
        real.push_back(n.floating);
        imaginary.push_back(double{n.imaginary});
    }
    FloatColumn reals(real, TSR_F32, false), imaginaries(imaginary, TSR_F32, true);
    std::vector<std::string> words;
    for (size_t i = 0; i < numbers.size(); ++i) {
        std::string part = imaginaries.text(imaginary[i]);
        part.insert(part.find_last_not_of(' ') + 1, "j");
        words.push_back(reals.text(real[i]) + part);
    }
    return words;
}

// One word per number, all of one width.
std::vector<std::string> plain_words(const std::vector<Number>& numbers, int32_t dtype) {
    if (dtype == TSR_C64) return complex_words(numbers);
    std::vector<std::string> words;
    if (family(dtype) == Family::floating || family(dtype) == Family::scale) {
        std::vector<double> values;
        for (const Number& n : numbers) values.push_back(n.floating);
        FloatColumn column(values, dtype, false);
        for (double value : values) words.push_back(column.text(value));
        return words;
    }
    for (const Number& n : numbers) {
        if (dtype == TSR_BOOL) {
            words.push_back(n.unsigned_integer != 0 ? " True" : "False");
        } else {
            words.push_back(n.kind == Number::Kind::integer ? std::to_string(n.integer)
                                                            : std::to_string(n.unsigned_integer));
        }
    }
    align_right(words);
    return words;
}

// Lays words out in brackets; wraps rows at the line's end.
class Layout {
public:
    Layout(const TsrTensor& t, const std::vector<std::string>& words, bool summary)
        : tensor_(t), words_(words), summary_(summary) {}

    std::string text() { return axis(0, " ", kLine); }

private:
    // The text of the rest of the shape from `axis` on, without the indent of its first line.
    std::string axis(int32_t axis, const std::string& indent, size_t width) {
        if (axis == tensor_.dl.ndim) return words_[next_++];
        std::string text =
            axis + 1 == tensor_.dl.ndim ? row(tensor_.shape[axis], indent, width) : block(axis, indent, width);
        return '[' + text.substr(indent.size()) + ']';
    }

    std::string row(int64_t extent, const std::string& indent, size_t width) {
        std::string text, line = indent;
        auto extend = [&](const std::string& word) {
            bool wrap = line.size() + word.size() > width - 1 && line.size() > indent.size();
            if (wrap) {
                text += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
                line = indent;
            }
            line += word;
        };
        for (int64_t i = 0; i < extent; ++i) {
            if (summarized(extent, summary_) && i == kEdge) {
                extend("...");
                line += ' ';
                i = extent - kEdge;
            }
            extend(words_[next_++]);
            if (i + 1 < extent) line += ' ';
        }
        return text + line;
    }

    std::string block(int32_t axis, const std::string& indent, size_t width) {
        std::string text;
        std::string separator(static_cast<size_t>(tensor_.dl.ndim - axis - 1), '\n');
        int64_t extent = tensor_.shape[axis];
        for (int64_t i = 0; i < extent; ++i) {
            if (summarized(extent, summary_) && i == kEdge) {
                text.append(indent).append("...").append(separator);
                i = extent - kEdge;
            }
            text.append(indent).append(this->axis(axis + 1, indent + ' ', width - 1));
            if (i + 1 < extent) text += separator;
        }
        return text;
    }

    const TsrTensor& tensor_;
    const std::vector<std::string>& words_;
    bool summary_;
    size_t next_ = 0;
};

}  // namespace

Result<std::string> tensor_text(const TsrTensor& tensor, std::string_view spec) {
    read_at_home(tensor);
    if (tensor.dl.ndim == 0) return format_value(read_bits(tensor, 0), tensor.dtype, spec);
    int64_t count = size(tensor);
    if (count == 0) return std::string("[]");
    bool summary = count > kSummaryAbove;
    std::vector<int64_t> offsets;
    shown_offsets(tensor, 0, 0, summary, offsets);
    std::vector<std::string> words;
    if (spec.empty()) {
        std::vector<Number> numbers;
        for (int64_t offset : offsets) numbers.push_back(number_of(read_bits(tensor, offset), tensor.dtype));
        words = plain_words(numbers, tensor.dtype);
    } else {
        for (int64_t offset : offsets) {
            Result<std::string> word = format_value(read_bits(tensor, offset), tensor.dtype, spec);
            if (!word) return word;
            words.push_back(*word);
        }
        align_right(words);
    }
    return Layout(tensor, words, summary).text();
}

}  // namespace tsr::runtime
