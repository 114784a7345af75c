#include "cli/result_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <set>
#include <stdexcept>
#include <system_error>

#include "file/bounded_file.h"
#include "report/compare/comparability.h"
#include "report/document/json_reader.h"
#include "report/document/result_json.h"
#include "run/usage_error.h"
#include "text/utf8.h"

namespace drover::cli {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t path_shown_most = 300;

std::string path_text(const fs::path& path) {
  return fmt::format("\"{}\"", text::shown(path.native(), path_shown_most));
}

std::vector<fs::path> files_of_folder(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  fs::directory_iterator entries(folder, error);
  for (; !error && entries != fs::directory_iterator(); entries.increment(error)) {
    const fs::path& path = entries->path();
    // Names of files that are being written begin with a dot.
    if (path.extension() != ".json" || path.filename().native().starts_with('.')) continue;
    std::error_code unknown;
    if (entries->is_regular_file(unknown)) files.push_back(path);
  }
  if (error) {
    throw UsageError(
        fmt::format("cannot read the folder {}: {}", path_text(folder), error.message()));
  }
  if (files.empty()) {
    throw UsageError(
        fmt::format("the folder {} has no *.json files. Expected results of runs, as written with "
                    "'drover tpcc run --json'",
                    path_text(folder)));
  }
  std::ranges::sort(files);
  return files;
}

// Returns the field `document`, such as "drover search", or the experiment of a document of the
// lab; empty for other files.
std::string name_of_document(const fs::path& path) {
  std::string name;
  try {
    const std::string text = file::read_bounded_file(path, report::result_bytes_max);
    report::JsonReader json(text);
    json.object([&](std::string_view key) {
      if (key == "document") {
        name = json.text(settings::name.bytes_max);
      } else if (key == "experiment") {
        name = "drover lab " + json.text(settings::name.bytes_max);
      } else {
        json.skip();
      }
    });
    json.finish();
  } catch (const std::runtime_error&) {
    return {};  // read_result_file() has reported the error
  }
  return name.starts_with("drover ") ? name : std::string();
}

}  // namespace

void require_other_file(std::string_view option, const fs::path& output,
                        const std::vector<fs::path>& files, std::string_view what) {
  for (const fs::path& file : files) {
    std::error_code ignored;
    if (!fs::equivalent(file, output, ignored)) continue;
    throw UsageError(
        fmt::format("{}: {} is one of the {}. Name another file", option, path_text(output), what));
  }
}

std::vector<UnreadResult> read_result_files(const std::vector<fs::path>& files,
                                            const OnResult& on_result) {
  std::vector<UnreadResult> unread;
  for (const fs::path& file : files) {
    try {
      on_result(file, report::read_result_file(file));
    } catch (const report::ResultReadError& error) {
      const std::string document = name_of_document(file);
      unread.push_back({file,
                        document.empty()
                            ? error.what()
                            : fmt::format("{} is not the result of a run but a document of '{}'",
                                          path_text(file), text::shown(document)),
                        !document.empty()});
    }
  }
  return unread;
}

void require_result_files(const std::vector<fs::path>& files, const OnResult& on_result) {
  const std::vector<UnreadResult> unread = read_result_files(files, on_result);
  std::string unreadable;
  for (const UnreadResult& one : unread) {
    if (one.is_other_document) {
      fmt::print(stderr, "drover: {}; skipped\n", one.reason);
    } else {
      unreadable += (unreadable.empty() ? "" : "\n") + one.reason;
    }
  }
  if (!unreadable.empty()) throw std::runtime_error(unreadable);
  if (unread.size() == files.size()) {
    throw std::runtime_error(
        "none of the files is the result of a run, as written with 'drover tpcc run --json'");
  }
}

std::vector<fs::path> find_result_files(const std::vector<std::string>& paths,
                                        std::size_t files_most) {
  std::vector<fs::path> files;
  for (const std::string& path : paths) {
    if (path == "-") {
      files.emplace_back(path);
      continue;
    }
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (!fs::exists(status)) {
      throw UsageError(fmt::format("the file or folder {} does not exist", path_text(path)));
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
        fmt::format("{} results are given. Expected at most {}", files.size(), files_most));
  }
  return files;
}

report::MetricVocabulary vocabulary_of_files(const std::vector<std::string>& paths) {
  std::vector<fs::path> files;
  try {
    files = find_result_files(paths, std::numeric_limits<std::size_t>::max());
  } catch (const UsageError&) {
    // The command reports the error when it reads the files.
  }
  for (const fs::path& file : files) {
    try {
      return report::vocabulary_of(report::read_result_file(file));
    } catch (const report::ResultReadError&) {
      continue;
    }
  }
  return {};
}

std::vector<report::Metric> metrics_of(const std::vector<std::string>& names,
                                       const std::vector<std::string>& paths) {
  std::vector<report::Metric> metrics;
  if (names.empty()) return metrics;
  const report::MetricVocabulary vocabulary = vocabulary_of_files(paths);
  try {
    for (const std::string& text : names) {
      for (const report::Metric& metric : report::parse_metrics(text, vocabulary))
        metrics.push_back(metric);
    }
  } catch (const report::MetricError& error) {
    throw UsageError(fmt::format("--metric: {}", error.what()));
  }
  return metrics;
}

void require_obstacle_keys(const std::vector<std::string>& keys) {
  const auto known = report::obstacle_keys();
  for (const std::string& key : keys) {
    if (key == "all" || std::ranges::find(known, key) != known.end()) continue;
    throw UsageError(fmt::format("--allow-different {}: expected all, or some of {}",
                                 text::shown(key), fmt::join(known, ", ")));
  }
}

}  // namespace drover::cli
