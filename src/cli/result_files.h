// Results that a command line names: files, and folders that stand for all *.json in them. Other
// documents of Drover in a folder, such as the record of a search, are recognised by their contents
// and skipped. For the main thread.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "report/compare/metric.h"
#include "report/document/result.h"

namespace drover::cli {

// Returns the files in the given order, and the files of a folder (without its subfolders) in the
// order of their names. Throws UsageError, which names the path, if a path does not exist, a folder
// has no *.json, a file is named twice, or there are more than files_most.
std::vector<std::filesystem::path> find_result_files(const std::vector<std::string>& paths,
                                                     std::size_t files_most);

// Requires that `output` is none of the files, which it would replace. `option` and `what` ("parts
// to merge") are for the message of the UsageError.
void require_other_file(std::string_view option, const std::filesystem::path& output,
                        const std::vector<std::filesystem::path>& files, std::string_view what);

// A file that is no result.
struct UnreadResult {
  std::filesystem::path file;
  std::string reason;              // a line, which names the file
  bool is_other_document = false;  // a valid document of Drover that is no result
};

using OnResult = std::function<void(const std::filesystem::path&, report::Result)>;

// Calls on_result for each file that is a result, in order. Returns the files that are not.
std::vector<UnreadResult> read_result_files(const std::vector<std::filesystem::path>& files,
                                            const OnResult& on_result);

// Calls on_result for each file. Skips other documents of Drover with a line on the error stream.
// Throws std::runtime_error that names all files that cannot be read, or if no file is a result.
void require_result_files(const std::vector<std::filesystem::path>& files,
                          const OnResult& on_result);

// Returns the names of metrics of the first result that can be read, or those of TPC-C.
report::MetricVocabulary vocabulary_of_files(const std::vector<std::string>& paths);

// Parses the values of --metric, which may be lists with commas. Throws UsageError.
std::vector<report::Metric> metrics_of(const std::vector<std::string>& names,
                                       const std::vector<std::string>& paths);

// Requires that all values of --allow-different are known. Throws UsageError.
void require_obstacle_keys(const std::vector<std::string>& keys);

}  // namespace drover::cli
