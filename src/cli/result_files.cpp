#include "cli/result_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <system_error>

#include "cli/usage_error.h"
#include "report/bounded_file.h"

namespace drover::cli {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t path_shown_most = 300;

std::string path_text(const fs::path& path) {
  return fmt::format("\"{}\"", report::shown(path.native(), path_shown_most));
}

std::vector<fs::path> files_of_folder(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  fs::directory_iterator entries(folder, error);
  for (; !error && entries != fs::directory_iterator(); entries.increment(error)) {
    const fs::path& path = entries->path();
    // Names that begin with a dot are those of files that are being written.
    if (path.extension() != ".json" || path.filename().native().starts_with('.')) continue;
    std::error_code unknown;
    if (!entries->is_directory(unknown)) files.push_back(path);
  }
  if (error) {
    throw UsageError(
        fmt::format("cannot read the folder {}: {}", path_text(folder), error.message()));
  }
  if (files.empty()) {
    throw UsageError(
        fmt::format("the folder {} has no *.json; expected results of 'drover tpcc run --json'",
                    path_text(folder)));
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace

std::vector<fs::path> find_result_files(const std::vector<std::string>& paths,
                                        std::size_t files_most) {
  std::vector<fs::path> files;
  for (const std::string& path : paths) {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (!fs::exists(status)) {
      throw UsageError(fmt::format("there is no file or folder {}", path_text(path)));
    }
    if (fs::is_directory(status)) {
      for (fs::path& file : files_of_folder(path)) files.push_back(std::move(file));
    } else {
      files.emplace_back(path);
    }
  }
  std::set<fs::path> seen;
  for (const fs::path& file : files) {
    std::error_code error;
    const fs::path whole = fs::weakly_canonical(file, error);
    if (!seen.insert(error ? file : whole).second) {
      throw UsageError(fmt::format("{} is named twice", path_text(file)));
    }
  }
  if (files.size() > files_most) {
    throw UsageError(
        fmt::format("{} results are too many; expected at most {}", files.size(), files_most));
  }
  return files;
}

}  // namespace drover::cli
