// A Result as one JSON document: docs/result-format.md describes every field.
//
// `summary` and `transactions` contain the fields of YDB's CLI (ydb workload tpcc run --format
// json) under their names and units; ours stand beside them. A number that is not finite becomes
// 0, so that every field keeps its type.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "file/atomic_file.h"
#include "report/document/result.h"

namespace drover::report {

nlohmann::json to_json(const Result& result);

// The text of a document, laid out for people who open the file: a field a line, but arrays of
// numbers on one line and a line for each element of an array of objects (a point of the time
// series). Text that is not UTF-8, such as a foreign server's message, gets replacement
// characters.
std::string document_text(const nlohmann::json& document);

// Before a run of hours, file::check_can_write() says whether write_result_file() could begin.
inline file::WantedFile result_file(const std::filesystem::path& path) {
  return {path, "result file"};
}

// Whole or not at all. Throws file::FileError.
void write_result_file(const std::filesystem::path& path, const Result& result);

}  // namespace drover::report
