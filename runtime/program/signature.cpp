// Checks on entry: types, shapes, dimensions bound and compared, overlaps of mut arguments.
#include <string>
#include <string_view>

#include "runtime/fail.h"
#include "runtime/numbers/dtypes.h"
#include "runtime/numbers/number.h"
#include "runtime/program/dimensions.h"
#include "runtime/room.h"
#include "runtime/tensor/tensor.h"

namespace tsr::runtime {

namespace {

// Where a symbol got its value, for messages about the next one that disagrees.
struct Origin {
    const char* argument;
    const char* dimension;
};

class Binder {
public:
    Binder(const TsrSignature& signature, const TsrSlot* arguments, int64_t* dims, const TsrPlace* place)
        : signature_(signature),
          arguments_(arguments),
          place_(place),
          symbols_(dims, static_cast<size_t>(signature.nsymbols)),
          origins_(symbols_.size()) {
        for (int64_t& symbol : symbols_) symbol = kUnbound;
    }

    void bind() {
        for_parameters([&](const TsrParameter& p, const TsrSlot& argument) {
            if (p.kind == TSR_KIND_TENSOR) check_type(p, *argument.tensor);
        });
        for_dimensions([&](const TsrParameter& p, const TsrDimension& d, int64_t size) {
            if (auto symbol = symbol_alone(d)) bind_symbol(*symbol, size, p.name, d.text);
        });
        for_parameters([&](const TsrParameter& p, const TsrSlot& argument) {
            if (p.kind == TSR_KIND_SCALAR && p.symbol >= 0) {
                bind_symbol(p.symbol, to_i64(number_of(argument.bits, p.dtype)), p.name, p.name);
            }
        });
        while (solve_some()) {
        }
        for_dimensions([&](const TsrParameter& p, const TsrDimension& d, int64_t size) { check(p, d, size); });
    }

private:
    template <typename Visit>
    void for_parameters(Visit visit) {
        for (int32_t i = 0; i < signature_.nparameters; ++i) visit(signature_.parameters[i], arguments_[i]);
    }

    template <typename Visit>
    void for_dimensions(Visit visit) {
        for_parameters([&](const TsrParameter& p, const TsrSlot& argument) {
            for (int32_t axis = 0; p.kind == TSR_KIND_TENSOR && axis < p.rank; ++axis) {
                visit(p, p.dims[axis], argument.tensor->shape[axis]);
            }
        });
    }

    void check_type(const TsrParameter& p, const TsrTensor& tensor) {
        if (!same_storage(tensor.dtype, p.dtype) || tensor.dl.ndim != p.rank) {
            fail(place_, "%s: argument `%s` must be %s, but it is %s", signature_.function, p.name,
                 declared_type(p).c_str(), type_text(tensor).c_str());
        }
    }

    static std::string declared_type(const TsrParameter& p) {
        std::string text(name(p.dtype));
        text += '[';
        for (int32_t axis = 0; axis < p.rank; ++axis) text += (axis > 0 ? ", " : "") + std::string(p.dims[axis].text);
        return text + ']';
    }

    void bind_symbol(int64_t symbol, int64_t value, const char* argument, const char* dimension) {
        auto index = static_cast<size_t>(symbol);
        if (symbols_[index] == kUnbound) {
            if (value < 0) {
                fail(place_, "%s: argument `%s` is %lld, but `%s` is a dimension", signature_.function, argument,
                     static_cast<long long>(value), signature_.symbols[index]);
            }
            symbols_[index] = value;
            origins_[index] = {argument, dimension};
        } else if (symbols_[index] != value) {
            tsr_shape_failed(signature_.function, argument, dimension, value, origins_[index].argument,
                             origins_[index].dimension, symbols_[index], place_);
        }
    }

    bool solve_some() {
        bool progress = false;
        for_dimensions([&](const TsrParameter& p, const TsrDimension& d, int64_t size) {
            std::optional<Solution> solution = solve(d, symbols_, size);
            if (!solution) return;
            const char* symbol = signature_.symbols[solution->symbol];
            if (!solution->value) {
                fail(place_, "%s: argument `%s` has size %lld where `%s` stands: no `%s` gives that",
                     signature_.function, p.name, static_cast<long long>(size), d.text, symbol);
            }
            bind_symbol(solution->symbol, *solution->value, p.name, d.text);
            progress = true;
        });
        return progress;
    }

    void check(const TsrParameter& p, const TsrDimension& d, int64_t size) {
        if (!all_bound(d, symbols_)) return;  // several unknowns: the expression is one dimension of its own
        std::optional<int64_t> expected = evaluate(d, symbols_);
        if (!expected) {
            fail(place_, "%s: argument `%s`: the dimension `%s` is no whole number%s", signature_.function, p.name,
                 d.text, bindings(d).c_str());
        }
        if (*expected == size) return;
        if (constant_alone(d)) {
            tsr_shape_failed(signature_.function, p.name, d.text, size, nullptr, nullptr, *expected, place_);
        }
        fail(place_, "%s: argument `%s` has size %lld where `%s` stands, which is %lld%s", signature_.function, p.name,
             static_cast<long long>(size), d.text, static_cast<long long>(*expected), bindings(d).c_str());
    }

    // " (n = 4 from argument `x`)"
    std::string bindings(const TsrDimension& d) const {
        std::string result;
        for (int32_t i = 0; i < d.nsteps; ++i) {
            if (d.steps[i].op != TSR_DIM_SYMBOL) continue;
            auto index = static_cast<size_t>(d.steps[i].value);
            result += result.empty() ? " (" : ", ";
            result += text("`%s` = %lld from argument `%s`", signature_.symbols[index],
                           static_cast<long long>(symbols_[index]), origins_[index].argument);
        }
        return result.empty() ? result : result + ")";
    }

    const TsrSignature& signature_;
    const TsrSlot* arguments_;
    const TsrPlace* place_;
    std::span<int64_t> symbols_;
    Room<Origin> origins_;  // of symbols that are bound
};

}  // namespace

}  // namespace tsr::runtime

using namespace tsr::runtime;

extern "C" {

void tsr_check_arguments(const TsrSignature* signature, const TsrSlot* arguments, int64_t* dims,
                         const TsrPlace* place) {
    Binder(*signature, arguments, dims, place).bind();
    for (int32_t i = 0; i < signature->nparameters; ++i) {
        const TsrParameter& written = signature->parameters[i];
        if (written.kind != TSR_KIND_TENSOR || !written.mut) continue;
        for (int32_t j = 0; j < signature->nparameters; ++j) {
            const TsrParameter& other = signature->parameters[j];
            // Of two mut arguments each pair is looked at once.
            if (j == i || other.kind != TSR_KIND_TENSOR || (other.mut && j < i)) continue;
            tsr_check_overlap(signature->function, arguments[i].tensor, written.name, arguments[j].tensor, other.name,
                              place);
        }
    }
}

void tsr_quotient_failed(const char* function, const char* argument, const char* dimension, const char* other_argument,
                         const char* symbol, int64_t value, const TsrPlace* place) {
    const std::string of = *argument == '\0' ? "" : text("argument `%s`: ", argument);
    const std::string origin = *symbol == '\0' ? ""
                                               : text(" (`%s` = %lld from argument `%s`)", symbol,
                                                      static_cast<long long>(value), other_argument);
    fail(place, "%s: %sthe dimension `%s` is no whole number%s", function, of.c_str(), dimension, origin.c_str());
}

void tsr_shape_failed(const char* function, const char* argument, const char* dimension, int64_t value,
                      const char* other_argument, const char* other_dimension, int64_t other_value,
                      const TsrPlace* place) {
    const bool alone = other_argument == nullptr || *other_argument == '\0';
    if (alone && std::string_view(dimension) == "grid_groups") {
        fail(place, "%s: argument `%s` has `grid_groups` = %lld, but the launch has %lld groups", function, argument,
             static_cast<long long>(value), static_cast<long long>(other_value));
    }
    if (*argument == '\0') {
        const bool number = *dimension >= '0' && *dimension <= '9';
        fail(place,
             number ? "%s: the value has size %lld where its type says %s"
                    : "%s: the value has size %lld where its type says `%s` = %lld",
             function, static_cast<long long>(value), dimension, static_cast<long long>(other_value));
    }
    if (alone) {
        fail(place, "%s: argument `%s` has size %lld where %s is needed", function, argument,
             static_cast<long long>(value), dimension);
    }
    fail(place, "%s: argument `%s` has `%s` = %lld, but argument `%s` has `%s` = %lld", function, argument, dimension,
         static_cast<long long>(value), other_argument, other_dimension, static_cast<long long>(other_value));
}

TsrTensor* tsr_kernel_argument(TsrTensor* tensor, int32_t mut, const char* function, const char* name,
                               const TsrPlace* place) {
    if (tsr_is_dense(tensor)) return tsr_tensor_retain(tensor);
    if (mut) {
        fail(place, "%s: argument `%s` is written and must be dense in row-major order; it is a view of %s", function,
             name, type_text(*tensor).c_str());
    }
    return tsr_copy(tensor, place);
}
}
