// Statement texts in an embedded file of SQL or YQL. "--: condition NAME" or "--: statement NAME"
// begins a text, "--: shared NAME" a text that others include, and "--: WORD VALUE" adds a field to
// it that is not sent. Other lines that begin with "--" are comments.
//
// Also the checks of the number of rows that a statement has returned or written.
//
// Pure functions; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace drover::tpcc {

struct SqlText {
  std::string name;
  std::vector<std::pair<std::string_view, std::string_view>> fields = {};  // words and their values
  std::string text = {};  // without a line end at its end
};

// Returns the texts of the file. With a blank as `line_end`, each text becomes one line without
// indentation.
std::vector<SqlText> sql_texts(std::string_view file, char line_end = '\n');

// Replaces names in braces by the shared texts of the file and by `made`.
using MadeText = std::pair<const char*, std::string>;
std::string filled_in(std::string_view text, const std::vector<SqlText>& file,
                      const std::vector<MadeText>& made = {});

// Throws database::Error (class statement) unless a statement has returned one row. `what` names
// the row.
void require_one_row(std::int64_t rows, std::string_view what);

// Throws database::Error (class statement) unless a statement has written the expected number of
// rows of `what`.
void require_written(std::int64_t written, std::int64_t expected, std::string_view what);

}  // namespace drover::tpcc
