// The commands of `workspace/executeCommand`. Each takes one object: `uri`, `position`, and `level` where code is
// shown.
#pragma once

namespace tsr::lsp {

inline constexpr const char* kRunCommand = "tessera.run";
inline constexpr const char* kSanitizeCommand = "tessera.sanitize";
inline constexpr const char* kCheckGradientsCommand = "tessera.checkGradients";
inline constexpr const char* kShowCommand = "tessera.show";

}  // namespace tsr::lsp
