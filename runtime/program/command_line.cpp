#include "runtime/program/command_line.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "runtime/fail.h"
#include "runtime/program/scalars.h"

namespace tsr::runtime {

namespace {

bool same_name(std::string_view a, std::string_view b) {
    return std::ranges::equal(
        a, b, {}, [](char c) { return c == '-' ? '_' : c; }, [](char c) { return c == '-' ? '_' : c; });
}

// Edits that turn one word into the other: letters put in, left out, changed.
size_t distance(std::string_view a, std::string_view b) {
    std::vector<size_t> row(b.size() + 1);
    for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
    for (size_t i = 1; i <= a.size(); ++i) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b.size(); ++j) {
            size_t above = row[j];
            row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
            diagonal = above;
        }
    }
    return row[b.size()];
}

// Options of `tesserac run`, which those look for here who write them behind the program's name.
constexpr std::array<std::string_view, 17> kOfCompiler{"-I",
                                                       "-O",
                                                       "-g",
                                                       "-o",
                                                       "--cpu",
                                                       "--target",
                                                       "--schedule",
                                                       "--deterministic",
                                                       "--interpret",
                                                       "--sanitize",
                                                       "--diagnostics",
                                                       "--dump-after",
                                                       "--stop-after",
                                                       "--pass-limit",
                                                       "--time-passes",
                                                       "--explain",
                                                       "--emit"};

bool is_of_compiler(std::string_view word) {
    return std::ranges::any_of(kOfCompiler, [&](std::string_view option) {
        const bool takes_more = option == "-I" || option == "-O";  // -Ifolder, -O2
        return takes_more ? word.starts_with(option) : word == option;
    });
}

class Parser {
public:
    Parser(const TsrProgram& program, const std::vector<std::string>& words) : program_(program), words_(words) {
        line_.values.resize(static_cast<size_t>(program.signature.nparameters));
        line_.outs.resize(static_cast<size_t>(program.nresults));
    }

    Result<CommandLine> parse() {
        while (at_ < words_.size() && !line_.help) {
            Result<Done> done = option(words_[at_++]);
            if (!done) return done.refusal();
        }
        return line_;
    }

private:
    Result<Done> option(const std::string& word) {
        if (word == "--") {
            line_.rest.assign(words_.begin() + static_cast<std::ptrdiff_t>(at_), words_.end());
            at_ = words_.size();
            return Done{};
        }
        if (word == "--help" || word == "-h") {
            line_.help = true;
            return Done{};
        }
        if (!word.starts_with("--")) {
            if (is_of_compiler(word)) return of_compiler(word);
            return Refusal{"'" + word + "' belongs to no option; write --NAME " + word};
        }
        size_t equals = word.find('=');
        name_ = word.substr(2, equals == word.npos ? equals : equals - 2);
        given_.reset();
        if (equals != word.npos) given_ = word.substr(equals + 1);
        if (name_ == "help") return Refusal{"--help takes no value"};
        if (name_ == "seed") return seed();
        if (name_ == "out") return take(line_.out);
        if (name_.starts_with("out.")) return out(name_.substr(4));
        if (name_ == "mesh") return Refusal{"--mesh: this executable holds no code for more than one rank"};
        return parameter();
    }

    // The option's value: behind its =, or the next word.
    Result<Done> take(std::optional<std::string>& slot) {
        if (slot) return Refusal{"--" + name_ + " is given twice"};
        if (!given_ && at_ == words_.size()) return Refusal{"--" + name_ + " needs a value"};
        if (!given_ && words_[at_].starts_with("--")) {
            return Refusal{"--" + name_ +
                           " needs a value, and another option follows; a value that begins so is written --" + name_ +
                           "=" + words_[at_]};
        }
        slot = given_ ? *given_ : words_[at_++];
        return Done{};
    }

    Result<Done> seed() {
        std::optional<std::string> word;
        if (auto taken = take(word); !taken) return taken;
        Result<uint64_t> bits = parse_scalar(*word, TSR_U64);
        if (!bits) return Refusal{"--seed: " + bits.message()};
        line_.seed = *bits;
        return Done{};
    }

    Result<Done> out(const std::string& name) {
        std::string names;
        for (int32_t i = 0; i < program_.nresults; ++i) {
            std::string own = result_name(program_, i);
            if (same_name(own, name)) return take(line_.outs[static_cast<size_t>(i)]);
            names += (i > 0 ? ", " : "") + own;
        }
        return Refusal{"--out." + name + ": main returns no `" + name +
                       "`; it returns: " + (names.empty() ? "nothing" : names)};
    }

    Result<Done> parameter() {
        for (int32_t i = 0; i < program_.signature.nparameters; ++i) {
            const TsrParameter& p = program_.signature.parameters[i];
            bool is_flag = p.kind == TSR_KIND_SCALAR && p.dtype == TSR_BOOL;
            std::optional<std::string>& slot = line_.values[static_cast<size_t>(i)];
            if (is_flag && !given_ && same_name(name_, p.name)) {
                given_ = "true";
                return take(slot);
            }
            if (is_flag && !given_ && same_name(name_, "no-" + std::string(p.name))) {
                given_ = "false";
                return take(slot);
            }
            if (same_name(name_, p.name)) return take(slot);
        }
        return unknown();
    }

    // The parameter whose shape has a dimension of that name.
    const TsrParameter* shaped_by(const std::string& dimension) const {
        const TsrSignature& signature = program_.signature;
        for (int32_t i = 0; i < signature.nparameters; ++i) {
            const TsrParameter& p = signature.parameters[i];
            for (int32_t axis = 0; p.kind == TSR_KIND_TENSOR && axis < p.rank; ++axis) {
                const TsrDimension& size = p.dims[axis];
                for (int32_t step = 0; step < size.nsteps; ++step) {
                    const bool named =
                        size.steps[step].op == TSR_DIM_SYMBOL && dimension == signature.symbols[size.steps[step].value];
                    if (named) return &p;
                }
            }
        }
        return nullptr;
    }

    static Refusal of_compiler(const std::string& word) {
        return Refusal{word + " is an option of the compiler: these stand before the program (tesserac run " + word +
                       " … FILE.tsr)"};
    }

    Result<Done> unknown() const {
        if (const TsrParameter* p = shaped_by(name_)) {
            return Refusal{"--" + name_ + " can not be given: " + name_ + " is a dimension, its size is that of --" +
                           p->name};
        }
        std::vector<std::string> known{"help", "out", "seed"};
        for (int32_t i = 0; i < program_.signature.nparameters; ++i) {
            const TsrParameter& p = program_.signature.parameters[i];
            known.emplace_back(p.name);
            if (p.kind == TSR_KIND_SCALAR && p.dtype == TSR_BOOL) known.push_back("no-" + std::string(p.name));
        }
        std::string message = "unknown option --" + name_;
        if (is_of_compiler("--" + name_)) return of_compiler("--" + name_);
        auto nearest = std::ranges::min_element(known, {}, [&](const std::string& k) { return distance(name_, k); });
        if (distance(name_, *nearest) <= (nearest->size() + 2) / 3) {
            message += "; did you mean --" + *nearest + "?";
        } else {
            message += "; --help shows the options";
        }
        return Refusal{message};
    }

    const TsrProgram& program_;
    const std::vector<std::string>& words_;
    CommandLine line_;
    size_t at_ = 0;
    std::string name_;
    std::optional<std::string> given_;
};

}  // namespace

Result<CommandLine> parse_command_line(const TsrProgram& program, const std::vector<std::string>& words) {
    return Parser(program, words).parse();
}

std::string result_name(const TsrProgram& program, int32_t result) {
    const char* name = program.results[result].name;
    return name != nullptr && *name != 0 ? name : std::to_string(result);
}

}  // namespace tsr::runtime
