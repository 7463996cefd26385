#include <algorithm>

#include <fmt/format.h>

#include "ir/core/lines.h"
#include "ir/numerics/function_bounds.h"

namespace tsr::ir {

std::string FunctionBounds::run(std::map<std::string, double>& units) {
    region(fn_.body);
    std::string all = fmt::format("{} ({})\n", fn_.name, line_text(fn_, fn_.place, sources_));
    bool any = false;
    if (fn_.level == Level::graph) {
        const ValueSpan results = yielded(fn_, fn_.body);
        for (size_t i = 0; i < results.size(); ++i) {
            if (!is_of_floats(results[i])) continue;
            any = true;
            all += result(results.size() == 1 ? "result" : fmt::format("result {}", i), results[i], seen(results[i]),
                          units);
        }
    }
    for (const ValueId v : fn_.params()) {
        const auto written = written_.find(v);
        if (fn_.level == Level::graph || written == written_.end() || !is_of_floats(v)) continue;
        any = true;
        all += result(text_of(v), v, written->second, units);
    }
    if (given_ && is_of_floats(*given_)) {
        any = true;
        all += result("result", *given_, seen(*given_), units);
    }
    if (!any) return all + "  gives no floats\n";
    return all + notes(units);
}

void FunctionBounds::mentioned_in(const ErrorTerms& error, std::vector<std::string>& found) const {
    for (const auto& [name, definition] : definitions_) {
        if (std::ranges::find(found, name) != found.end() || !mentions(error, {name})) continue;
        found.push_back(name);
        mentioned_in(definition.error, found);
    }
}

void FunctionBounds::count_units(const ErrorTerms& error, std::map<std::string, double>& units) {
    for (const auto& [magnitude, coefficient] : error.terms()) {
        for (const auto& [text, part] : coefficient.parts()) {
            if (part.second.roundoff > 0) units[part.second.type] = part.second.roundoff;
        }
    }
}

std::string FunctionBounds::terms_text(const std::string& what, const ErrorTerms& error, const Magnitude& size,
                                       double scale, std::map<std::string, double>& units) {
    count_units(error, units);
    std::string text = fmt::format("  {} <= {}\n", what, error.text(size, scale, false));
    const std::string values = error.has_values() ? error.text(size, scale, true) : "";
    if (!values.empty() && values != error.text(size, scale, false)) text += fmt::format("    = {}\n", values);
    return text;
}

std::string FunctionBounds::result(const std::string& called, ValueId v, const Seen& value,
                                   std::map<std::string, double>& units) {
    ErrorTerms error = value.error;
    const auto whole = definitions_.find(error_text(v));
    if (whole != definitions_.end() && error.terms().size() == 1 && error.terms().begin()->first.text() == whole->first)
        error = whole->second.error;
    std::vector<std::string> used;
    mentioned_in(error, used);
    std::set<std::string> reasons = value.unsaid;
    for (const std::string& name : used) {
        const Definition& definition = definitions_.at(name);
        reasons.insert(definition.unsaid.begin(), definition.unsaid.end());
    }
    const std::string type = Type::tensor(fn_.type(v).elem, fn_.type(v).shape, false).text();
    const std::string head =
        fmt::format("{}: {}", called, fn_.type(v).shape.empty() ? std::string(name(fn_.type(v).elem)) : type);
    if (!reasons.empty()) {
        std::string all = fmt::format("  {}: no bound\n", head);
        for (const std::string& reason : reasons) all += "    " + reason + "\n";
        return all;
    }
    shown_.insert(used.begin(), used.end());
    if (error.zero()) return fmt::format("  {}: exact\n", head);
    shown_errors_.push_back(error);
    return terms_text(head + ": |error|", error, value.size, value.scale, units);
}

std::string FunctionBounds::notes(std::map<std::string, double>& units) {
    std::string all;
    std::string told;
    for (const std::string& name : shown_) {
        all += terms_text(name, definitions_.at(name).error, {}, 1, units);
    }
    for (const std::string& line : where_) {
        const std::string value = line.substr(0, line.find(' '));
        if (mentioned(value)) all += "  " + line + "\n";
    }
    for (const std::string& line : cancels_) told += (told.empty() ? "" : ", ") + line;
    if (!told.empty())
        all += fmt::format("  the errors of what is subtracted or added stay where the result is small: {}\n", told);
    for (const std::string& line : conditions_) all += "  " + line + "\n";
    return all;
}

bool FunctionBounds::mentioned(const std::string& value) {
    const auto in = [&](const ErrorTerms& error) {
        return std::ranges::any_of(
            error.terms(), [&](const auto& term) { return term.first.text().find(value) != std::string::npos; });
    };
    for (const std::string& name : shown_) {
        if (in(definitions_.at(name).error)) return true;
    }
    return std::ranges::any_of(shown_errors_, in);
}

}  // namespace tsr::ir
