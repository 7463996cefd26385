// One function per command. Each gives the exit code: 0, or 1 after it has said what is wrong.
#pragma once

#include "driver/options.h"

namespace tsr::driver {

inline constexpr int kUsageError = 2;

int compile(const Options& options);
int run(const Options& options);
int tune(const Options& options);
int check(const Options& options);
int format_files(const Options& options);
int explain(const Options& options);
int bisect(const Options& options);
int reduce(const Options& options);
int serve_editor(const Options& options);
int play_page(const Options& options);
int install_jupyter(const Options& options);
int print_completions(const Options& options);
int print_manual(const Options& options);
int print_version(const Options& options);
int print_help(const Options& options);

}  // namespace tsr::driver
