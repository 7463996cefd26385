#include "runtime/io/npy_header.h"

#include "runtime/fail.h"

namespace tsr::runtime {

namespace {

// Reads the few forms of Python literals that NumPy writes. After the first error every read gives nothing.
class Reader {
public:
    explicit Reader(std::string_view text) : text_(text) {}

    bool take(char c) {
        skip_space();
        if (at_ >= text_.size() || text_[at_] != c) return false;
        ++at_;
        return true;
    }

    bool take_word(std::string_view word) {
        skip_space();
        if (text_.substr(at_, word.size()) != word) return false;
        at_ += word.size();
        return true;
    }

    bool string(std::string& out) {
        skip_space();
        if (at_ >= text_.size() || (text_[at_] != '\'' && text_[at_] != '"')) return false;
        size_t end = text_.find(text_[at_], at_ + 1);
        if (end == text_.npos) return false;
        out = text_.substr(at_ + 1, end - at_ - 1);
        at_ = end + 1;
        return out.find('\\') == out.npos;
    }

    bool integer(int64_t& out) {
        skip_space();
        size_t first = at_;
        out = 0;
        for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
            if (__builtin_mul_overflow(out, 10, &out) || __builtin_add_overflow(out, text_[at_] - '0', &out))
                return false;
        }
        bool any = at_ > first;
        if (any && at_ < text_.size() && text_[at_] == 'L') ++at_;  // as Python 2 wrote long integers
        return any;
    }

    bool at_end() {
        skip_space();
        return at_ == text_.size();
    }

private:
    void skip_space() {
        while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) ++at_;
    }

    std::string_view text_;
    size_t at_ = 0;
};

bool read_shape(Reader& reader, std::vector<int64_t>& shape) {
    if (!reader.take('(')) return false;
    while (!reader.take(')')) {
        int64_t extent = 0;
        if (!reader.integer(extent) || shape.size() > 64) return false;
        shape.push_back(extent);
        if (!reader.take(',')) return reader.take(')');
    }
    return true;
}

}  // namespace

Result<NpyHeader> parse_npy_header(std::string_view text) {
    Reader reader(text);
    NpyHeader header;
    bool descr = false, order = false, shape = false;
    auto malformed = [] { return Refusal{"malformed: the header is not the dictionary that NumPy writes"}; };
    if (!reader.take('{')) return malformed();
    while (!reader.take('}')) {
        std::string key;
        if (!reader.string(key) || !reader.take(':')) return malformed();
        if (key == "descr" && !descr) {
            if (reader.take('[')) return Refusal{"the elements are records (a structured dtype), not numbers"};
            descr = reader.string(header.descr);
            if (!descr) return malformed();
        } else if (key == "fortran_order" && !order) {
            header.fortran_order = reader.take_word("True");
            order = header.fortran_order || reader.take_word("False");
            if (!order) return malformed();
        } else if (key == "shape" && !shape) {
            shape = read_shape(reader, header.shape);
            if (!shape) return malformed();
        } else {
            return malformed();
        }
        if (!reader.take(',')) {
            if (!reader.take('}')) return malformed();
            break;
        }
    }
    if (!descr || !order || !shape || !reader.at_end()) return malformed();
    return header;
}

}  // namespace tsr::runtime
