#include "workload/tpcc/sql_text.h"

#include <fmt/args.h>
#include <fmt/format.h>

#include <algorithm>
#include <ranges>

#include "database/error.h"

namespace drover::tpcc {

std::vector<SqlText> sql_texts(std::string_view file, char line_end) {
  std::vector<SqlText> texts;
  for (const auto& part : std::views::split(file, '\n')) {
    std::string_view line(part.begin(), part.end());
    if (line.starts_with("--: ")) {
      const std::size_t space = line.find(' ', 4);
      const std::string_view word = line.substr(4, space - 4);
      const std::string_view value = line.substr(space + 1);
      if (word == "condition" || word == "statement" || word == "shared") {
        texts.push_back({.name = std::string(value)});
      } else {
        texts.back().fields.emplace_back(word, value);
      }
    } else if (!line.starts_with("--") && !texts.empty()) {
      if (line_end == ' ') line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
      texts.back().text.append(line) += line_end;
    }
  }
  for (SqlText& one : texts) one.text.resize(one.text.find_last_not_of(line_end) + 1);
  return texts;
}

std::string filled_in(std::string_view text, const std::vector<SqlText>& file,
                      const std::vector<MadeText>& made) {
  fmt::dynamic_format_arg_store<fmt::format_context> named;
  for (const SqlText& one : file) named.push_back(fmt::arg(one.name.c_str(), one.text));
  for (const auto& [name, value] : made) named.push_back(fmt::arg(name, value));
  return fmt::vformat(text, named);
}

void require_one_row(std::int64_t rows, std::string_view what) {
  if (rows == 1) return;
  throw database::Error(database::ErrorClass::statement, "",
                        fmt::format("{} has {} rows, expected one. The database may be loaded "
                                    "incompletely. Check it with 'drover tpcc check'",
                                    what, rows));
}

void require_written(std::int64_t written, std::int64_t expected, std::string_view what) {
  if (written == expected) return;
  throw database::Error(
      database::ErrorClass::statement, "",
      fmt::format("{} rows of {} were written, expected {}. A trigger or a rule of the database "
                  "may reject rows. Check the data with 'drover tpcc check'",
                  written, what, expected));
}

}  // namespace drover::tpcc
