// Texts in an embedded file of SQL or YQL. "--: condition NAME", "--: statement NAME" or
// "--: pattern NAME" begins a text, and "--: shared NAME" a text that other texts include.
// "--: WORD VALUE" adds a field to the text that is not sent. Other lines that begin with "--" are
// comments.
//
// Also the checks of the number of rows that a statement has returned or written.
//
// Pure functions; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace drover::tpcc {

struct NamedText {
  std::string name;
  std::vector<std::pair<std::string_view, std::string_view>> fields = {};  // words and their values
  std::string text = {};  // without a line end at its end
};
using NamedTexts = std::vector<NamedText>;

// Returns the texts of the file. With a blank as `line_end`, each text becomes one line without
// indentation.
NamedTexts named_texts(std::string_view file, char line_end = '\n');

// Returns null if there is no such text.
const NamedText* find_text(const NamedTexts& texts, std::string_view name);
// Throws std::logic_error if there is no such text.
const NamedText& text_named(const NamedTexts& texts, std::string_view name);

// A value for a name in braces.
using TextArgument = std::pair<std::string, std::variant<std::string, double>>;

// Replaces names in braces by the shared texts of the file and by `arguments`.
std::string filled_in(std::string_view text, const NamedTexts& file,
                      const std::vector<TextArgument>& arguments = {});

// Returns the parts of a text between separators.
std::vector<std::string_view> split(std::string_view text, std::string_view separator);

// Throws database::Error (class statement) unless a statement has returned one row. `what` names
// the row.
void require_one_row(std::int64_t rows, std::string_view what);

// Throws database::Error (class statement) unless a statement has written the expected number of
// rows of `what`.
void require_written(std::int64_t written, std::int64_t expected, std::string_view what);

}  // namespace drover::tpcc
