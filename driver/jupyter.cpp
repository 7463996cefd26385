// `tesserac jupyter install`: Jupyter's entry for the kernel, and the kernel itself, in Python.
#include <cstdlib>
#include <filesystem>

#include <fmt/core.h>

#include "base/json.h"
#include "driver/commands.h"
#include "driver/output.h"
#include "driver/pages.h"
#include "driver/subprocess.h"

namespace tsr::driver {

namespace {

// Where Jupyter looks for kernels; empty: this user has no home.
std::string kernels_folder(const Options& options) {
    if (!options.prefix.empty()) return options.prefix + "/share/jupyter/kernels";
    for (const auto& [variable, below] : {std::pair{"JUPYTER_DATA_DIR", "/kernels"},
                                          {"XDG_DATA_HOME", "/jupyter/kernels"},
                                          {"HOME", "/.local/share/jupyter/kernels"}}) {
        const char* folder = std::getenv(variable);
        if (folder != nullptr && *folder != '\0') return std::string(folder) + below;
    }
    return {};
}

}  // namespace

int install_jupyter(const Options& options) {
    const std::string kernels = kernels_folder(options);
    if (kernels.empty()) {
        fmt::print(stderr, "tesserac: HOME is not set: name a folder with --prefix\n");
        return kUsageError;
    }
    const std::string folder = std::filesystem::absolute(kernels) / "tessera";
    std::error_code wrong;
    std::filesystem::create_directories(folder, wrong);
    if (wrong) {
        fmt::print(stderr, "tesserac: can not make {}: {}\n", folder, wrong.message());
        return 1;
    }
    const std::string entry = fmt::format(
        "{{\n  \"argv\": [\"python3\", {}, \"-f\", \"{{connection_file}}\"],\n  \"display_name\": \"Tessera\",\n"
        "  \"language\": \"tessera\",\n  \"interrupt_mode\": \"signal\",\n  \"env\": {{\"TESSERAC\": {}}}\n}}\n",
        json_string(folder + "/tessera_kernel.py"), json_string(own_path()));
    std::string failed = write_output(folder + "/kernel.json", entry, FileKind::data);
    for (const Page& file : kernel_files()) {
        if (failed.empty()) failed = write_output(folder + "/" + std::string(file.name), file.text, FileKind::data);
    }
    if (!failed.empty()) {
        fmt::print(stderr, "tesserac: {}\n", failed);
        return 1;
    }
    fmt::print("{}\n", folder);
    return 0;
}

}  // namespace tsr::driver
