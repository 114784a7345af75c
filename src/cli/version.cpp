#include "cli/version.h"

#include <fmt/format.h>
#include <libpq-fe.h>
#include <pg_config.h>

#include <CLI/Version.hpp>
#include <nlohmann/json_fwd.hpp>

#include "cli/build_commit.h"
#include "cli/commands.h"

#ifndef DROVER_VERSION
#define DROVER_VERSION "unknown"
#endif

namespace drover::cli {
report::Tool tool() {
  return {.name = "drover",
          .version = DROVER_VERSION,
          .commit = DROVER_COMMIT,
          .compiler = fmt::format("clang {}.{}.{}", __clang_major__, __clang_minor__,
                                  __clang_patchlevel__)};
}

std::string commit_date() {
  return DROVER_COMMIT_DATE;
}

std::string version_text() {
  const report::Tool self = tool();
  std::string text = fmt::format("{} {}\n", self.name, self.version);
  text += fmt::format("commit    {} of {}\n", self.commit, commit_date());
  text += fmt::format("compiler  {}\n", self.compiler);
  // 150018 is 15.18; before version 10 there were three parts, and none of them is supported.
  const int libpq = PQlibVersion();
  text +=
      fmt::format("libpq     {}.{}, built with {}\n", libpq / 10'000, libpq % 10'000, PG_VERSION);
  text += fmt::format("with      CLI11 {}, fmt {}.{}.{}, nlohmann-json {}.{}.{}", CLI11_VERSION,
                      FMT_VERSION / 10'000, FMT_VERSION / 100 % 100, FMT_VERSION % 100,
                      NLOHMANN_JSON_VERSION_MAJOR, NLOHMANN_JSON_VERSION_MINOR,
                      NLOHMANN_JSON_VERSION_PATCH);
  return text;
}

}  // namespace drover::cli
