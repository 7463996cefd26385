#include <algorithm>

#include "runtime/numbers/dtypes.h"
#include "runtime/program/command_line.h"
#include "runtime/text/format_spec.h"

namespace tsr::runtime {

namespace {

std::string declared_type(const TsrParameter& p) {
    if (p.kind == TSR_KIND_STRING) return "string";
    std::string text(name(p.dtype));
    if (p.kind != TSR_KIND_TENSOR) return text;
    text += '[';
    for (int32_t axis = 0; axis < p.rank; ++axis) text += (axis > 0 ? ", " : "") + std::string(p.dims[axis].text);
    return text + ']';
}

struct Row {
    std::string option, type, note;
};

Row parameter_row(const TsrParameter& p) {
    bool flag = p.kind == TSR_KIND_SCALAR && p.dtype == TSR_BOOL;
    std::string option = "--" + std::string(p.name);
    if (flag) {
        option += ", --no-" + std::string(p.name);
    } else {
        option += p.kind == TSR_KIND_TENSOR ? " FILE" : p.kind == TSR_KIND_STRING ? " TEXT" : " NUMBER";
    }
    std::string note = p.has_default ? "default " + std::string(p.default_text != nullptr ? p.default_text : "") : "";
    if (p.kind == TSR_KIND_SCALAR && p.symbol >= 0 && !p.has_default) note = "default: as the shapes say";
    return {option, declared_type(p), note};
}

std::string results_note(const TsrProgram& program) {
    std::string names;
    for (int32_t i = 0; i < program.nresults; ++i) names += (i > 0 ? ", " : "") + result_name(program, i);
    return names;
}

std::string table(const std::vector<Row>& rows) {
    int64_t option = 0, type = 0;
    for (const Row& row : rows) {
        option = std::max(option, characters(row.option));
        type = std::max(type, characters(row.type));
    }
    std::string result;
    for (const Row& row : rows) {
        std::string line =
            "  " + row.option + std::string(static_cast<size_t>(option - characters(row.option)) + 2, ' ');
        line += row.type + std::string(static_cast<size_t>(type - characters(row.type)) + 2, ' ') + row.note;
        line.resize(line.find_last_not_of(' ') + 1);
        result += line + "\n";
    }
    return result;
}

bool required(const TsrParameter& p) {
    return !p.has_default && !(p.kind == TSR_KIND_SCALAR && (p.symbol >= 0 || p.dtype == TSR_BOOL));
}

}  // namespace

std::string help_text(const TsrProgram& program) {
    std::string text;
    if (program.docstring != nullptr && *program.docstring != 0) {
        text += program.docstring;
        while (text.ends_with('\n') || text.ends_with(' ')) text.pop_back();
        text += "\n\n";
    }
    text += "usage: " + std::string(program.name);
    std::vector<Row> rows;
    bool optional = false, tensors = false;
    for (int32_t i = 0; i < program.signature.nparameters; ++i) {
        const TsrParameter& p = program.signature.parameters[i];
        rows.push_back(parameter_row(p));
        tensors |= p.kind == TSR_KIND_TENSOR;
        optional |= !required(p);
        if (required(p)) text += " " + rows.back().option;
    }
    text += optional || program.nresults > 0 ? " [OPTION …]\n\n" : "\n\n";
    if (program.nresults == 1) {
        rows.push_back({"--out FILE", "", "where the result goes; without it, it is printed"});
    } else if (program.nresults > 1) {
        rows.push_back({"--out FILE", "", "an .npz or .safetensors for all results: " + results_note(program)});
        rows.push_back({"--out.NAME FILE", "", "where one result goes; without any, they are printed"});
    }
    rows.push_back({"--seed N", "", "of random numbers, default 0"});
    rows.push_back({"--help", "", "this page"});
    text += table(rows);
    if (tensors) {
        text += "\nTensors are read from .npy, .npz (FILE:KEY) and .safetensors (FILE:KEY) files";
        text += ". TESSERA_DEVICE=cpu|cuda:N chooses the device, TESSERA_THREADS=N the number of threads.\n";
    }
    return text;
}

}  // namespace tsr::runtime
