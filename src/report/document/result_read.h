// Reads a result document (docs/result-format.md) back into a Result: the inverse of to_json().
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
#include <stdexcept>
#include <string_view>

#include "report/document/result.h"

namespace drover::report {

inline constexpr std::size_t result_bytes_max = std::size_t{256} << 20;

// The message is one line, printable whatever the file holds: the file, the place in it such as
// transactions.NewOrder.ok_count, what was expected and what was found.
class ResultReadError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Throws ResultReadError. `name` is what messages call the text.
Result read_result(std::string_view text, std::string_view name = "result");

// Throws ResultReadError, also if it is no regular file or above result_bytes_max.
Result read_result_file(const std::filesystem::path& path);

}  // namespace drover::report
