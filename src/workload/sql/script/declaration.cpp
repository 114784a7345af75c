#include "workload/sql/script/declaration.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "text/plain_text.h"
#include "text/utf8.h"
#include "workload/sql/expression/expression_lexer.h"

namespace drover::sql {
namespace {

constexpr std::pair<std::string_view, ParameterKind> known_types[] = {
    {"Bool", ParameterKind::boolean},  {"Int32", ParameterKind::int32},
    {"Int64", ParameterKind::int64},   {"Uint32", ParameterKind::uint32},
    {"Uint64", ParameterKind::uint64}, {"Double", ParameterKind::real},
    {"Utf8", ParameterKind::utf8},     {"Text", ParameterKind::utf8},
    {"String", ParameterKind::bytes},  {"Bytes", ParameterKind::bytes},
};
constexpr std::uint8_t decimal_digits_max = 35;

std::string without_blanks(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c != '\n' && !is_blank_of_line(c)) result += c;
  }
  return result;
}

bool take_prefix(std::string_view& text, std::string_view prefix) {
  if (!in_lower_case(text).starts_with(in_lower_case(prefix))) return false;
  text.remove_prefix(prefix.size());
  return true;
}

// "(22,9)"
std::optional<ParameterType> decimal_type(std::string_view arguments) {
  const std::size_t comma = arguments.find(',');
  if (!arguments.starts_with('(') || !arguments.ends_with(')') || comma == std::string_view::npos) {
    return std::nullopt;
  }
  const auto precision = text::number_of<std::uint8_t>(arguments.substr(1, comma - 1));
  const auto scale =
      text::number_of<std::uint8_t>(arguments.substr(comma + 1, arguments.size() - comma - 2));
  if (!precision || !scale || *precision < 1 || *precision > decimal_digits_max ||
      *scale > *precision) {
    return std::nullopt;
  }
  return ParameterType{.kind = ParameterKind::decimal, .precision = *precision, .scale = *scale};
}

std::optional<ParameterType> plain_type(std::string_view written) {
  std::string_view rest = written;
  if (take_prefix(rest, "decimal")) return decimal_type(rest);
  for (const auto& [name, kind] : known_types) {
    if (in_lower_case(name) == in_lower_case(written)) return ParameterType{.kind = kind};
  }
  return std::nullopt;
}

ReadDeclaration problem(std::string text) {
  ReadDeclaration read;
  read.problem = std::move(text);
  return read;
}

// The next word, and what follows it.
std::string_view take_word(std::string_view& text) {
  const auto is_blank = [](char c) { return c == '\n' || is_blank_of_line(c); };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  const auto end = std::find_if(text.begin(), text.end(), is_blank);
  const std::string_view word = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(word.size());
  return word;
}

}  // namespace

std::optional<ParameterType> parse_parameter_type(std::string_view written) {
  const std::string compact = without_blanks(written);
  std::string_view rest = compact;
  bool optional = false;
  if (take_prefix(rest, "optional<")) {
    if (!rest.ends_with('>')) return std::nullopt;
    rest.remove_suffix(1);
    optional = true;
  } else if (rest.ends_with('?')) {
    rest.remove_suffix(1);
    optional = true;
  }
  std::optional<ParameterType> type = plain_type(rest);
  if (type) type->optional = optional;
  return type;
}

std::string known_parameter_types() {
  std::vector<std::string_view> names;
  for (const auto& [name, kind] : known_types) names.push_back(name);
  return fmt::format("{} and Decimal(22,9), each also as Optional<…>", fmt::join(names, ", "));
}

ReadDeclaration read_declaration(std::string_view statement) {
  std::string_view rest = statement;
  if (rest.ends_with(';')) rest.remove_suffix(1);
  take_word(rest);  // DECLARE
  const std::string_view name = take_word(rest);
  if (!name.starts_with('$') || !is_variable_name(name.substr(1))) {
    return problem("expected DECLARE $name AS Type; with the name of a variable");
  }
  if (in_lower_case(take_word(rest)) != "as") {
    return problem(fmt::format("expected AS and a type behind DECLARE {}", name));
  }
  const std::string written = without_blanks(rest);
  const std::optional<ParameterType> type = parse_parameter_type(written);
  if (!type) {
    return problem(fmt::format("a parameter cannot have the type \"{}\". Expected {}",
                               text::shown(written), known_parameter_types()));
  }
  return {{}, std::string(name.substr(1)), written, *type};
}

}  // namespace drover::sql
