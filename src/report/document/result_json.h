// The result as a JSON document (docs/result-format.md), and its reader.
//
// `summary` and `transactions` contain the fields of YDB's CLI (ydb workload tpcc run --format
// json) under their names and units. The reader is the inverse of the writer:
//
//   to_json(read_result(document_text(to_json(x)))) == to_json(x)
//
// The reader trusts no file: it refuses values that no run can have measured, and names their
// place. It skips unknown fields, which newer versions add, and refuses another schema_version.
// Fields that repeat others (percentiles, sums) are only compared. Besides the text, it needs less
// memory than three times its size, and 5 MB. For any thread.
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

// Returns the text of a document: one field per line, arrays of numbers on one line, and one line
// for each element of an array of objects. Bytes that are not UTF-8 become replacement characters.
std::string document_text(const nlohmann::json& document);

// Returns the file for file::check_can_write(), which is called before a long run.
inline file::WantedFile result_file(const std::filesystem::path& path) {
  return {path, "result file"};
}

// Writes the file completely or not at all. Throws file::FileError.
void write_result_file(const std::filesystem::path& path, const Result& result);

inline constexpr std::size_t result_bytes_max = std::size_t{256} << 20;

// The message is one printable line: the file, the place in it such as
// transactions.NewOrder.ok_count, what was expected and what was found.
struct ResultReadError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Reads a document that messages call `name`. Throws ResultReadError.
Result read_result(std::string_view text, std::string_view name = "result");

// Throws ResultReadError, also if the file is not regular or larger than result_bytes_max.
Result read_result_file(const std::filesystem::path& path);

}  // namespace drover::report
