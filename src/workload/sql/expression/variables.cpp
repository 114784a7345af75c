#include "workload/sql/expression/variables.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cfloat>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "text/plain_text.h"
#include "text/utf8.h"
#include "workload/sql/script/source.h"

namespace drover::sql {
namespace {

// Names in messages are pgbench's.
std::string_view kind_name(ValueKind kind) noexcept {
  constexpr std::array<std::string_view, 4> names = {"null", "boolean", "int", "double"};
  return names[static_cast<std::size_t>(kind)];
}

[[noreturn]] void refuse_coercion(ValueKind from, std::string_view to) {
  throw EvaluationError(fmt::format("cannot coerce {} to {}", kind_name(from), to));
}

// Formats like C, because fmt's shortest form has another number of digits.
std::string_view real_text(double value, std::array<char, 32>& buffer) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-Infinity" : "Infinity";
  const int size = std::snprintf(buffer.data(), buffer.size(), "%.*g", DBL_DIG, value);
  return {buffer.data(), static_cast<std::size_t>(size)};
}

bool is_integer_text(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return !text.empty() && std::ranges::all_of(text, is_decimal_digit);
}

// Reads a number with strtod(), as pgbench does, including inf, nan and hexadecimal numbers.
// Returns nothing for a number out of range or too close to 0.
std::optional<Value> real_of(std::string_view text) {
  const std::string whole(text);
  char* end = nullptr;
  errno = 0;
  const double value = std::strtod(whole.c_str(), &end);
  if (whole.empty() || end != whole.c_str() + whole.size() || errno == ERANGE) return std::nullopt;
  return Value::of(value);
}

// Returns true if `word` begins with the text, which is in lower case and not empty.
bool abbreviates(std::string_view text, std::string_view word) {
  return !text.empty() && word.starts_with(text);
}

}  // namespace

std::int64_t Value::coerced_to_integer() const {
  if (kind_ != ValueKind::real) refuse_coercion(kind_, "int");
  const double rounded = std::nearbyint(real_);
  // The negated comparison also refuses NaN. 2^63 is a double, the largest integer is not.
  if (!(rounded >= -0x1p63 && rounded < 0x1p63)) {
    throw EvaluationError(fmt::format("double to int overflow for {:f}", real_));
  }
  return static_cast<std::int64_t>(rounded);
}

double Value::coerced_to_real() const {
  if (kind_ != ValueKind::integer) refuse_coercion(kind_, "double");
  return static_cast<double>(integer_);
}

bool Value::to_boolean() const {
  if (kind_ != ValueKind::boolean) refuse_coercion(kind_, "boolean");
  return boolean();
}

bool Value::is_true() const noexcept {
  if (kind_ == ValueKind::null) return false;
  return kind_ == ValueKind::real ? real_ != 0 : integer_ != 0;
}

bool Value::is(Value other) const noexcept {
  if (kind_ != other.kind_) return false;
  if (kind_ == ValueKind::null) return true;
  return kind_ == ValueKind::real ? real_ == other.real_ : integer_ == other.integer_;
}

void append_text(Value value, std::string& out) {
  switch (value.kind()) {
    case ValueKind::null:
      out += "NULL";
      return;
    case ValueKind::boolean:
      out += value.boolean() ? "true" : "false";
      return;
    case ValueKind::integer: {
      const fmt::format_int digits(value.integer());  // a third of format_to()'s instructions
      out.append(digits.data(), digits.size());
      return;
    }
    case ValueKind::real:
      std::array<char, 32> buffer;
      out += real_text(value.real(), buffer);
  }
}

std::string described(Value value) {
  std::string text(kind_name(value.kind()));
  if (value.is_null()) return text;
  text += ' ';
  append_text(value, text);
  return text;
}

std::optional<Value> value_of(std::string_view text) {
  constexpr std::size_t longest_word = 5;
  const std::string lower = text.size() <= longest_word ? in_lower_case(text) : "";
  if (lower == "null") return Value::null();
  if (abbreviates(lower, "true") || abbreviates(lower, "yes") || lower == "on") {
    return Value::of(true);
  }
  if (abbreviates(lower, "false") || abbreviates(lower, "no") || lower == "off" || lower == "of") {
    return Value::of(false);
  }
  // Blanks are allowed before a number, but not after it.
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  if (!is_integer_text(text)) return real_of(text);
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto integer = text::number_of<std::int64_t>(text);
  return integer ? std::optional(Value::of(*integer)) : std::nullopt;
}

Slot VariableNames::slot_of(std::string_view name) {
  if (const std::optional<Slot> known = find(name)) return *known;
  const auto slot = static_cast<Slot>(names_.size());
  names_.push_back(&slots_.emplace(name, slot).first->first);
  return slot;
}

std::optional<Slot> VariableNames::find(std::string_view name) const {
  const auto found = slots_.find(name);
  return found == slots_.end() ? std::nullopt : std::optional(found->second);
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
  const State state = entries_[slot].state;
  if (state == State::computed) {
    sql::append_text(entries_[slot].value, out);
  } else if (state != State::unset) {
    out += texts_[slot];
  }
}

void Variables::refuse(Slot slot) const {
  const std::string& name = names_->name(slot);
  if (!is_set(slot)) throw EvaluationError(fmt::format("undefined variable \"{}\"", name));
  const std::string shown = text::shown(texts_[slot]);
  if (is_integer_text(texts_[slot])) {
    throw EvaluationError(
        fmt::format("variable \"{}\": value \"{}\" is out of range for bigint", name, shown));
  }
  throw EvaluationError(fmt::format("malformed variable \"{}\" value: \"{}\"", name, shown));
}

std::vector<std::optional<Slot>> column_slots(const VariableNames& names, std::string_view prefix,
                                              const std::vector<std::string_view>& columns) {
  std::vector<std::optional<Slot>> slots;
  slots.reserve(columns.size());
  for (const std::string_view column : columns) {
    slots.push_back(names.find(std::string(prefix).append(column)));
  }
  return slots;
}

std::optional<VariableDefinition> parse_definition(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals + 1 == text.size()) return std::nullopt;
  if (!is_variable_name(text.substr(0, equals))) return std::nullopt;
  return VariableDefinition{std::string(text.substr(0, equals)),
                            std::string(text.substr(equals + 1))};
}

void set_builtin_variables(const BuiltinVariables& values, Variables& variables) {
  const auto set = [&](std::string_view name, std::int64_t value) {
    if (const auto slot = variables.names().find(name)) variables.set(*slot, Value::of(value));
  };
  set("client_id", values.client_id);
  set("default_seed", values.default_seed);
  set("random_seed", values.random_seed);
  set("scale", values.scale);
}

void set_definitions(const std::vector<VariableDefinition>& definitions, Variables& variables) {
  for (const VariableDefinition& definition : definitions) {
    const auto slot = variables.names().find(definition.name);
    if (slot) variables.set_text(*slot, definition.value);
  }
}

}  // namespace drover::sql
