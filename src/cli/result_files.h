// Result documents that a command line names: files, and folders that stand for all *.json in them.
//
// Requires nothing; reads the file system. For the main thread.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace drover::cli {

// The files in the order given, those of a folder in the order of their names; folders below are
// not looked into. Throws UsageError, which names the path, if one does not exist, if a folder has
// none, if a file is named twice (by whatever path), or if there are more than files_most.
std::vector<std::filesystem::path> find_result_files(const std::vector<std::string>& paths,
                                                     std::size_t files_most);

}  // namespace drover::cli
