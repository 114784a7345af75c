// Writes the result document to a file, whole or not at all (atomic_file.h says how).
#pragma once

#include <filesystem>

#include "report/atomic_file.h"
#include "report/result.h"

namespace drover::report {

using ResultFileError = FileError;

// Throws ResultFileError. A file that was there before is then still there and unchanged, and no
// temporary file is left.
void write_result_file(const std::filesystem::path& path, const Result& result);

// Throws ResultFileError if write_result_file could not even begin: to be asked before a run of
// hours. Leaves nothing behind and changes no file.
void check_result_file(const std::filesystem::path& path);

}  // namespace drover::report
