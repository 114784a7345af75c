#include "workload/tpcc/sql_text.h"

#include <fmt/args.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ranges>
#include <stdexcept>

#include "database/error.h"

namespace drover::tpcc {

NamedTexts named_texts(std::string_view file, char line_end) {
  constexpr std::array<std::string_view, 4> beginnings = {"condition", "statement", "pattern",
                                                          "shared"};
  NamedTexts texts;
  for (std::string_view line : split(file, "\n")) {
    if (line.starts_with("--: ")) {
      const std::size_t space = line.find(' ', 4);
      const std::string_view word = line.substr(4, space - 4);
      const std::string_view value = line.substr(space + 1);
      if (std::ranges::find(beginnings, word) != beginnings.end()) {
        texts.push_back({.name = std::string(value)});
      } else {
        texts.back().fields.emplace_back(word, value);
      }
    } else if (!line.starts_with("--") && !texts.empty()) {
      if (line_end == ' ') line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
      texts.back().text.append(line) += line_end;
    }
  }
  for (NamedText& one : texts) one.text.resize(one.text.find_last_not_of(line_end) + 1);
  return texts;
}

const NamedText* find_text(const NamedTexts& texts, std::string_view name) {
  const auto found = std::ranges::find(texts, name, &NamedText::name);
  return found == texts.end() ? nullptr : &*found;
}

const NamedText& text_named(const NamedTexts& texts, std::string_view name) {
  const NamedText* found = find_text(texts, name);
  if (found == nullptr) throw std::logic_error(fmt::format("the file has no text {}", name));
  return *found;
}

std::string filled_in(std::string_view text, const NamedTexts& file,
                      const std::vector<TextArgument>& arguments) {
  fmt::dynamic_format_arg_store<fmt::format_context> named;
  for (const NamedText& one : file) named.push_back(fmt::arg(one.name.c_str(), one.text));
  for (const auto& [name, value] : arguments) {
    std::visit([&](const auto& one) { named.push_back(fmt::arg(name.c_str(), one)); }, value);
  }
  return fmt::vformat(text, named);
}

std::vector<std::string_view> split(std::string_view text, std::string_view separator) {
  std::vector<std::string_view> parts;
  for (const auto& part : std::views::split(text, separator)) {
    parts.emplace_back(part.begin(), part.end());
  }
  return parts;
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
