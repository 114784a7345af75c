#include "workload/tpcc/check/catalogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ranges>

#include "text/plain_text.h"
#include "workload/tpcc/check/catalogue.txt.h"
#include "workload/tpcc/schema.h"

namespace drover::tpcc {
namespace {

Span span_named(std::string_view name) {
  if (name == "wide") return Span::wide_range;
  if (name == "history") return Span::history_range;
  return name == "once" ? Span::once : Span::range;
}

// Reads "KIND [VALUE] COLUMN…[ : EXPECTED[ : PREDICATE]]", where VALUE is LOW..HIGH or one value.
void add_domains(std::string_view line, std::vector<Domain>& domains) {
  constexpr std::array<std::string_view, 6> with_value = {"number", "flag", "rate",
                                                          "money",  "text", "length"};
  const std::vector<std::string_view> parts = split(line, " : ");
  const std::vector<std::string_view> words = split(parts[0], " ");
  Domain domain{.kind = std::string(words[0])};
  std::size_t column = 1;
  if (std::ranges::find(with_value, domain.kind) != with_value.end()) {
    domain.expected = words[column];
    const std::vector<std::string_view> bounds = split(words[column++], "..");
    domain.low = bounds.front();
    domain.high = bounds.back();
  }
  if (domain.kind == "length") {
    domain.expected = fmt::format("{} characters", text::replaced(domain.expected, "..", " to "));
  }
  if (parts.size() > 1) domain.expected = parts[1];
  if (parts.size() > 2) domain.low = parts[2];
  for (; column < words.size(); ++column) {
    domain.column = words[column];
    domains.push_back(domain);
  }
}

// `value`: the table, then WORD=VALUE pairs.
void read_pattern(std::string_view value, Condition& condition) {
  const std::size_t space = std::min(value.find(' '), value.size());
  condition.table = value.substr(0, space);
  const Table table = *std::ranges::find(all_tables, condition.table, table_name);
  const auto key = key_columns(table);
  condition.key.assign(key.begin(), key.end());
  if (table == Table::History) condition.key = {"h_c_w_id", "h_c_d_id", "h_c_id"};
  if (table != Table::Item) condition.warehouse = condition.key.front();
  if (condition.key.size() > 2) condition.district = condition.key[1];
  condition.words = {{"table", std::string(condition.table)}};
  if (space == value.size()) return;
  for (const std::string_view word : split(value.substr(space + 1), "; ")) {
    const std::size_t equals = word.find('=');
    condition.words.emplace_back(word.substr(0, equals), std::string(word.substr(equals + 1)));
  }
}

Condition read_condition(const NamedText& entry) {
  auto [span, rest] = entry.fields.front();
  Condition condition{.name = entry.name, .fresh_only = span.starts_with("fresh_")};
  condition.number = text::number_of<int>(entry.name).value_or(0);
  if (condition.fresh_only) span.remove_prefix(6);
  condition.span = span_named(span);
  condition.clause = rest.substr(0, rest.find(' '));
  condition.title = rest.substr(condition.clause.size() + 1);
  if (entry.fields.size() == 1) return condition;
  condition.pattern = entry.fields[1].first;
  read_pattern(entry.fields[1].second, condition);
  const std::string lines = text::replaced(entry.text, "\n  ", " ");
  for (const std::string_view line : split(lines, "\n")) {
    if (!line.empty()) add_domains(line, condition.domains);
  }
  return condition;
}

std::vector<Condition> read_catalogue() {
  std::vector<Condition> all;
  for (const NamedText& entry : named_texts(catalogue_txt)) all.push_back(read_condition(entry));
  return all;
}

void add_share(const Condition& condition, const NamedTexts& texts,
               std::vector<TextArgument>& words) {
  const std::string whole = condition.word("equals");
  const std::string_view property = whole.empty() ? "contains" : "equals";
  const std::string value = whole.empty() ? condition.word("contains") : whole;
  words.emplace_back("text", value);
  words.emplace_back("property",
                     filled_in(text_named(texts, property).text, {},
                               {{"column", condition.word("column")}, {"text", value}}));
}

void add_mean(const Condition& condition, std::vector<TextArgument>& words) {
  const auto number = [&](std::string_view word) {
    return text::number_of<double>(condition.word(word)).value();
  };
  const double step = number("step");
  const double values = std::round((number("high") - number("low")) / step) + 1;
  const double variance = step * step * (values * values - 1) / 12;  // of one value
  words.emplace_back("middle", (number("low") + number("high")) / 2);
  words.emplace_back("deviation", std::sqrt(variance));
  words.emplace_back("bound", 6 * 6 * variance);
  if (condition.word("where").empty()) words.emplace_back("where", "true");
}

}  // namespace

std::string Condition::word(std::string_view name) const {
  const auto found = std::ranges::find(words, name, &TextArgument::first);
  return found == words.end() ? std::string() : std::get<std::string>(found->second);
}

std::vector<TextArgument> arguments_of(const Condition& condition, const NamedTexts& texts) {
  std::vector<TextArgument> words = condition.words;
  const std::string& warehouse = condition.warehouse;
  words.emplace_back("warehouse", warehouse);
  words.emplace_back("group", warehouse.empty() ? "0" : warehouse);
  words.emplace_back("range", warehouse.empty() ? "true"
                                                : filled_in(text_named(texts, "in_range").text, {},
                                                            {{"column", warehouse}}));
  const std::string id = condition.word("any_id");
  if (condition.pattern == "rows") {
    words.emplace_back("id", id.empty() ? std::string(condition.key.back()) : id);
  }
  if (condition.pattern == "share") add_share(condition, texts, words);
  if (condition.pattern == "mean") add_mean(condition, words);
  return words;
}

std::string predicate_of(const Domain& domain, const NamedTexts& texts) {
  const std::string name =
      domain.kind == "agree" ? "agree_" + domain.column : "must_" + domain.kind;
  return filled_in(text_named(texts, name).text, texts,
                   {{"column", domain.column}, {"low", domain.low}, {"high", domain.high}});
}

std::string warehouse_columns(const NamedTexts& texts) {
  constexpr std::array<std::array<const char*, 2>, 9> columns = {{{"district", "d_w_id"},
                                                                  {"customer", "c_w_id"},
                                                                  {"history", "h_w_id"},
                                                                  {"history", "h_c_w_id"},
                                                                  {"new_order", "no_w_id"},
                                                                  {"oorder", "o_w_id"},
                                                                  {"order_line", "ol_w_id"},
                                                                  {"stock", "s_w_id"},
                                                                  {"warehouse", "w_id"}}};
  std::string all;
  for (int place = 0; const auto& [table, column] : columns) {
    if (place > 0) all += "\n  UNION ALL\n";
    all +=
        filled_in(text_named(texts, "warehouse_column").text, {},
                  {{"place", std::to_string(place++)},
                   {"table", table},
                   {"column", column},
                   // The other columns are in keys of YDB.
                   {"or_null", column == std::string_view("h_w_id") ? " OR h_w_id IS NULL" : ""}});
  }
  return all;
}

const std::vector<Condition>& catalogue() {
  static const std::vector<Condition> all = read_catalogue();
  return all;
}

}  // namespace drover::tpcc
