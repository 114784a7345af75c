// Writes the result document to a file, whole or not at all.
//
// The document goes to a temporary file of the same folder, is synced to the disk, and takes the
// name asked for in one step: whoever reads the file sees the old one or the new one, never half.
// What is not a regular file (a pipe) and what stands under /dev is written in place.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>

#include "report/result.h"

namespace drover::report {

// The message names the file, the step that failed, the reason, and what to do.
class ResultFileError : public std::runtime_error {
 public:
  ResultFileError(const std::filesystem::path& path, const std::string& step, int error_number);

  const std::filesystem::path& path() const { return path_; }
  int error_number() const { return error_number_; }  // of errno

 private:
  std::filesystem::path path_;
  int error_number_;
};

// Throws ResultFileError. A file that was there before is then still there and unchanged, and no
// temporary file is left.
void write_result_file(const std::filesystem::path& path, const Result& result);

// Throws ResultFileError if write_result_file could not even begin: to be asked before a run of
// hours. Leaves nothing behind and changes no file.
void check_result_file(const std::filesystem::path& path);

}  // namespace drover::report
