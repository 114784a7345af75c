// Result documents that a command line names: files, and folders that stand for all *.json in them.
//
// Some of the *.json that lie beside results are other documents of Drover, such as the record of a
// search. They are told by their contents, and skipped.
//
// Requires nothing; reads the file system. For the main thread.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "report/compare/metric.h"
#include "report/document/result.h"

namespace drover::cli {

// The files in the order given, those of a folder in the order of their names; folders below are
// not looked into. Throws UsageError, which names the path, if one does not exist, if a folder has
// none, if a file is named twice (by whatever path), or if there are more than files_most.
std::vector<std::filesystem::path> find_result_files(const std::vector<std::string>& paths,
                                                     std::size_t files_most);

// A file that is no result.
struct UnreadResult {
  std::filesystem::path file;
  std::string reason;              // a line, which names the file
  bool is_other_document = false;  // another one of Drover's: nothing is wrong with it
};

using OnResult = std::function<void(const std::filesystem::path&, report::Result)>;

// Calls on_result for each of the files that is a result, in their order. Hands back the others.
std::vector<UnreadResult> read_result_files(const std::vector<std::filesystem::path>& files,
                                            const OnResult& on_result);

// The same where all have to be results: other documents of Drover are skipped, with a line on the
// error stream. Throws std::runtime_error, which names all files that cannot be read, or says that
// no result is among them.
void require_result_files(const std::vector<std::filesystem::path>& files,
                          const OnResult& on_result);

// What metrics of these results can be called: by the first that can be read; as in TPC-C if none can,
// which is said when they are read. Throws nothing.
report::MetricVocabulary vocabulary_of_files(const std::vector<std::string>& paths);

// The metrics of --metric for these results, a name each or several with commas between. Throws UsageError.
std::vector<report::Metric> metrics_of(const std::vector<std::string>& names,
                                       const std::vector<std::string>& paths);

// What --allow-different may hold. Throws UsageError.
void require_obstacle_keys(const std::vector<std::string>& keys);

}  // namespace drover::cli
