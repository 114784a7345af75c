#include "database/embedded/installation.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <ranges>
#include <system_error>
#include <tuple>

#include "database/embedded/program.h"
#include "database/embedded/server_error.h"

namespace drover::database::embedded {
namespace {

namespace fs = std::filesystem;

bool is_program(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0;
}

// From "postgres (PostgreSQL) 15.8 (Debian 15.8-0)" or "postgres (PostgreSQL) 17beta1".
std::optional<Installation> read_version(const fs::path& bin_folder, const std::string& text) {
  constexpr std::string_view before = "(PostgreSQL) ";
  const size_t found = text.find(before);
  if (found == std::string::npos) return std::nullopt;
  const char* begin = text.data() + found + before.size();
  const char* end = text.data() + text.size();
  Installation installation;
  installation.bin_folder = bin_folder;
  auto [after, error] = std::from_chars(begin, end, installation.major);
  if (error != std::errc()) return std::nullopt;
  if (after != end && *after == '.') {
    after = std::from_chars(after + 1, end, installation.minor).ptr;
  }
  installation.version = fmt::format("{}.{}", installation.major, installation.minor);
  return installation;
}

std::optional<Installation> installation_in(const fs::path& bin_folder) {
  if (!is_program(bin_folder / "postgres") || !is_program(bin_folder / "initdb")) {
    return std::nullopt;
  }
  const ProgramResult result =
      run_to_end({bin_folder / "postgres", {"--version"}, account_for_new_server(), ""});
  if (!result.succeeded()) return std::nullopt;
  return read_version(bin_folder, result.output);
}

// <parent>/<anything that begins with prefix>/bin
void add_versions_in(const fs::path& parent, std::string_view prefix,
                     std::vector<fs::path>& folders) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(parent, error)) {
    if (entry.path().filename().string().starts_with(prefix)) {
      folders.push_back(entry.path() / "bin");
    }
  }
}

std::vector<fs::path> folders_of_path() {
  std::vector<fs::path> folders;
  const char* value = std::getenv("PATH");
  for (const auto part : std::views::split(std::string_view(value == nullptr ? "" : value), ':')) {
    const std::string_view folder(part.begin(), part.end());
    if (folder.starts_with('/')) folders.emplace_back(folder);
  }
  return folders;
}

std::vector<fs::path> candidate_folders() {
  std::vector<fs::path> folders;
  add_versions_in("/usr/lib/postgresql", "", folders);
  add_versions_in("/usr", "pgsql-", folders);
  add_versions_in("/opt/homebrew/opt", "postgresql", folders);
  folders.emplace_back("/opt/homebrew/bin");
  folders.emplace_back("/usr/local/pgsql/bin");
  for (const fs::path& folder : folders_of_path()) {
    folders.push_back(folder);
    if (is_program(folder / "pg_config")) {
      const ProgramResult result =
          run_to_end({folder / "pg_config", {"--bindir"}, account_for_new_server(), ""});
      if (result.succeeded()) {
        folders.emplace_back(result.output.substr(0, result.output.find('\n')));
      }
    }
  }
  return folders;
}

}  // namespace

Installation newest_installation(const std::vector<fs::path>& bin_folders) {
  std::optional<Installation> best;
  for (const fs::path& folder : bin_folders) {
    std::optional<Installation> found = installation_in(folder);
    if (!found) continue;
    if (!best || std::tie(found->major, found->minor) > std::tie(best->major, best->minor)) {
      best = found;
    }
  }
  if (best) return *best;
  throw ServerError(
      "no PostgreSQL server is installed here. Drover looked for the programs 'postgres' and "
      "'initdb' in /usr/lib/postgresql/*/bin, /usr/pgsql-*/bin, PATH and the folder that pg_config "
      "names. Install it with 'apt install postgresql', set DROVER_PG_BINDIR to the folder of its "
      "programs, or name a server of your own with --db");
}

Installation find_installation() {
  const char* chosen = std::getenv("DROVER_PG_BINDIR");
  if (chosen == nullptr || *chosen == '\0') return newest_installation(candidate_folders());
  std::optional<Installation> found = installation_in(fs::absolute(chosen));
  if (found) return *found;
  throw ServerError(
      fmt::format("DROVER_PG_BINDIR is '{}', but this folder has no working programs 'postgres' "
                  "and 'initdb' of PostgreSQL. Correct the variable, or unset it so that drover "
                  "searches for the programs (to install them on Debian: 'apt install postgresql')",
                  chosen));
}

fs::path find_psql(const Installation& installation) {
  std::vector<fs::path> folders = {installation.bin_folder};
  std::ranges::move(candidate_folders(), std::back_inserter(folders));
  for (const fs::path& folder : folders) {
    if (is_program(folder / "psql")) return folder / "psql";
  }
  throw ServerError(
      fmt::format("psql is neither in {} nor elsewhere on this machine. Install it with 'apt "
                  "install postgresql-client'",
                  installation.bin_folder.string()));
}

}  // namespace drover::database::embedded
