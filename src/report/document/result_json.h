// A Result as one JSON document (docs/result-format.md describes every field), and back.
//
// `summary` and `transactions` contain the fields of YDB's CLI (ydb workload tpcc run --format
// json) under their names and units; ours stand beside them. A number that is not finite becomes
// 0, so that every field keeps its type.
//
// To read it is the inverse:
//
//   to_json(read_result(document_text(to_json(x)))) == to_json(x)
//
// Files come from anywhere, so nothing in them is believed: what is not of the format, or cannot be
// what a run measured, is refused with its place. Fields that are not known are skipped, since
// newer versions of drover add some; a document of another schema_version is refused. Fields that
// repeat others (percentiles, sums) are not read: they follow from what is. Besides the text
// itself, memory stays below three times its size, and 5 MB.
//
// May be called from any thread.
#pragma once

#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>

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

inline constexpr std::size_t result_bytes_max = std::size_t{256} << 20;

// The message is one line, printable whatever the file holds: the file, the place in it such as
// transactions.NewOrder.ok_count, what was expected and what was found.
struct ResultReadError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Throws ResultReadError. `name` is what messages call the text.
Result read_result(std::string_view text, std::string_view name = "result");

// Throws ResultReadError, also if it is no regular file or above result_bytes_max.
Result read_result_file(const std::filesystem::path& path);

}  // namespace drover::report
