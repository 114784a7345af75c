#include "workload/sql/expression/variables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "text/plain_text.h"
#include "text/utf8.h"

namespace drover::sql {

namespace {

bool is_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}

char lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
}

// "t", "TRUE" of "true"; not of nothing.
bool begins_word(std::string_view text, std::string_view word) {
  return !text.empty() && text.size() <= word.size() &&
         std::equal(text.begin(), text.end(), word.begin(),
                    [](char a, char b) { return lower(a) == b; });
}

bool is_word(std::string_view text, std::string_view word) {
  return text.size() == word.size() && begins_word(text, word);
}

std::string_view without_sign_plus(std::string_view text) {
  return text.starts_with('+') ? text.substr(1) : text;
}

bool is_integer_text(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

// Reads a number with strtod(), as pgbench does: inf, nan and hexadecimal numbers, too. Returns
// nothing for a number out of range or too close to 0.
std::optional<Value> real_of(std::string_view text) {
  const std::string whole(text);
  char* end = nullptr;
  errno = 0;
  const double value = std::strtod(whole.c_str(), &end);
  if (whole.empty() || end != whole.c_str() + whole.size() || errno == ERANGE) return std::nullopt;
  return Value::of(value);
}

}  // namespace

bool begins_name(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool is_name_byte(char c) noexcept {
  return begins_name(c) || is_digit(c);
}

bool is_variable_name(std::string_view name) noexcept {
  return !name.empty() && begins_name(name.front()) &&
         std::all_of(name.begin(), name.end(), is_name_byte);
}

Slot VariableNames::slot_of(std::string_view name) {
  const auto found = slots_.find(name);
  if (found != slots_.end()) return found->second;
  const auto slot = static_cast<Slot>(names_.size());
  const auto added = slots_.emplace(name, slot).first;
  names_.push_back(&added->first);
  return slot;
}

std::optional<Slot> VariableNames::find(std::string_view name) const {
  const auto found = slots_.find(name);
  if (found == slots_.end()) return std::nullopt;
  return found->second;
}

std::optional<Value> value_of(std::string_view text) {
  if (is_word(text, "null")) return Value::null();
  if (begins_word(text, "true") || begins_word(text, "yes") || is_word(text, "on")) {
    return Value::of(true);
  }
  if (begins_word(text, "false") || begins_word(text, "no") || is_word(text, "off") ||
      is_word(text, "of")) {
    return Value::of(false);
  }
  // Blanks may stand before a number, not behind it.
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  if (!is_integer_text(text)) return real_of(text);
  const std::optional<std::int64_t> integer =
      text::number_of<std::int64_t>(without_sign_plus(text));
  if (!integer) return std::nullopt;
  return Value::of(*integer);
}

Variables::Variables(const VariableNames& names) : names_(&names), entries_(names.size()) {}

void Variables::set(Slot slot, Value value) {
  entries_[slot].value = value;
  entries_[slot].state = State::computed;
}

void Variables::set_text(Slot slot, std::string_view text) {
  if (texts_.empty()) texts_.resize(entries_.size());
  texts_[slot] = text;
  const std::optional<Value> value = value_of(text);
  entries_[slot].state = value ? State::textual : State::malformed;
  if (value) entries_[slot].value = *value;
}

void Variables::append_text(Slot slot, std::string& out) const {
  switch (entries_[slot].state) {
    case State::textual:
    case State::malformed:
      out += texts_[slot];
      return;
    case State::computed:
      sql::append_text(entries_[slot].value, out);
      return;
    case State::unset:
      return;
  }
}

void Variables::refuse(Slot slot) const {
  if (entries_[slot].state == State::unset) {
    throw EvaluationError(fmt::format("undefined variable \"{}\"", names_->name(slot)));
  }
  const std::string shown = text::shown(texts_[slot]);
  if (is_integer_text(texts_[slot])) {
    throw EvaluationError(fmt::format("variable \"{}\": value \"{}\" is out of range for bigint",
                                      names_->name(slot), shown));
  }
  throw EvaluationError(
      fmt::format("malformed variable \"{}\" value: \"{}\"", names_->name(slot), shown));
}

std::vector<std::optional<Slot>> column_slots(const VariableNames& names, std::string_view prefix,
                                              const std::vector<std::string_view>& columns) {
  std::vector<std::optional<Slot>> slots;
  slots.reserve(columns.size());
  for (const std::string_view column : columns) {
    slots.push_back(names.find(std::string(prefix) + std::string(column)));
  }
  return slots;
}

std::optional<Definition> parse_definition(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals + 1 == text.size()) return std::nullopt;
  if (!is_variable_name(text.substr(0, equals))) return std::nullopt;
  return Definition{std::string(text.substr(0, equals)), std::string(text.substr(equals + 1))};
}

void set_builtin_variables(const VariableNames& names, const BuiltinVariables& values,
                           Variables& variables) {
  const auto set = [&](std::string_view name, std::int64_t value) {
    if (const std::optional<Slot> slot = names.find(name)) variables.set(*slot, Value::of(value));
  };
  set("client_id", values.client_id);
  set("default_seed", values.default_seed);
  set("random_seed", values.random_seed);
  set("scale", values.scale);
}

void set_definitions(const VariableNames& names, const std::vector<Definition>& definitions,
                     Variables& variables) {
  for (const Definition& definition : definitions) {
    const std::optional<Slot> slot = names.find(definition.name);
    if (slot) variables.set_text(*slot, definition.value);
  }
}

}  // namespace drover::sql
