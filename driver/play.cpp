// `tesserac play`: a page on this machine to write, check, run and look into programs.
#include "driver/commands.h"
#include "driver/output.h"
#include "driver/subprocess.h"
#include "play/server.h"

namespace tsr::driver {

int play_page(const Options& options) {
    play::PlayOptions how;
    how.compiler = own_path();
    how.version = TSR_VERSION;
    how.program = options.input;
    how.import_folders = options.include_folders;
    how.port = options.port;
    how.origins = options.origins;
    how.time_limit = options.time_limit.value_or(how.time_limit);
    how.write = [](const std::string& path, std::string_view bytes) {
        return write_output(path, bytes, FileKind::data);
    };
    how.memory_limit = options.memory_limit << 20;
    return play::serve(how);
}

}  // namespace tsr::driver
