#include "cli/version.h"

#include <fmt/format.h>

#include "cli/commands.h"

#ifndef DROVER_VERSION
#define DROVER_VERSION "unknown"
#endif
#ifndef DROVER_COMMIT
#define DROVER_COMMIT "unknown"
#endif

namespace drover::cli {

report::Tool tool() {
  return {.name = "drover",
          .version = DROVER_VERSION,
          .commit = DROVER_COMMIT,
          .compiler = fmt::format("clang {}.{}.{}", __clang_major__, __clang_minor__,
                                  __clang_patchlevel__)};
}

std::string version_text() {
  const report::Tool self = tool();
  return fmt::format("drover {} (commit {}, {})", self.version, self.commit, self.compiler);
}

}  // namespace drover::cli
