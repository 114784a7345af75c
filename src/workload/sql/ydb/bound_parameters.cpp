#include "workload/sql/ydb/database_on_ydb.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "database/error.h"
#include "text/plain_text.h"
#include "text/utf8.h"

namespace drover::sql::ydb {

using database::Error;
using database::ErrorClass;
using database::ydb::Cell;
using database::ydb::Decimal;
using database::ydb::Int128;
using database::ydb::Parameters;
using database::ydb::Primitive;
using database::ydb::ScalarType;

namespace {

ScalarType scalar_of(const ParameterType& type) {
  constexpr Primitive primitives[] = {Primitive::boolean, Primitive::int32,  Primitive::int64,
                                      Primitive::uint32,  Primitive::uint64, Primitive::real,
                                      Primitive::utf8,    Primitive::bytes,  Primitive::decimal};
  ScalarType scalar = primitives[static_cast<std::size_t>(type.kind)];
  if (type.kind == ParameterKind::decimal) {
    scalar = ScalarType::decimal(type.precision, type.scale);
  }
  scalar.optional = type.optional;
  return scalar;
}

[[noreturn]] void refuse(std::string_view text, const Declaration& declared) {
  throw Error(ErrorClass::statement, "",
              fmt::format("${}: the value {} does not have the type {}", declared.name,
                          text::shown(text), declared.type_name));
}

template <class Number>
Number number_of(std::string_view text, const Declaration& declared) {
  const std::optional<Number> number = text::number_of<Number>(text);
  if (!number) refuse(text, declared);
  return *number;
}

// Requires: 0 <= exponent <= 35, the limit of a Decimal.
Int128 power_of_ten(int exponent) noexcept {
  Int128 power = 1;
  for (int i = 0; i < exponent; ++i) power *= 10;
  return power;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const text::Utf8Character character = text::first_character(text);
    if (!character.valid) return false;
    text.remove_prefix(character.bytes);
  }
  return true;
}

bool boolean_of(std::string_view text, const Declaration& declared) {
  const std::optional<Value> value = value_of(text);
  if (!value || value->kind() != ValueKind::boolean) refuse(text, declared);
  return value->boolean();
}

void add(Parameters& parameters, const std::string& name, std::string_view text,
         const Declaration& declared) {
  const ScalarType type = scalar_of(declared.type);
  const auto put = [&](const Cell& cell) { parameters.add(name, type, cell); };
  switch (declared.type.kind) {
    case ParameterKind::boolean:
      return put(boolean_of(text, declared));
    case ParameterKind::int32:
      return put(number_of<std::int32_t>(text, declared));
    case ParameterKind::int64:
      return put(number_of<std::int64_t>(text, declared));
    case ParameterKind::uint32:
      return put(number_of<std::uint32_t>(text, declared));
    case ParameterKind::uint64:
      return put(number_of<std::uint64_t>(text, declared));
    case ParameterKind::real:
      return put(number_of<double>(text, declared));
    case ParameterKind::utf8:
      if (!is_utf8(text)) refuse(text, declared);
      return put(text);
    case ParameterKind::bytes:
      return put(text);
    case ParameterKind::decimal:
      return put(decimal_of(text, declared));
  }
}

}  // namespace

Decimal decimal_of(std::string_view text, const Declaration& declared) {
  const bool negative = text.starts_with('-');
  const std::string_view number = text.substr(negative ? 1 : 0);
  const std::size_t point = std::min(number.find('.'), number.size());
  const std::string_view whole = number.substr(0, point);
  const std::string_view fraction = number.substr(std::min(point + 1, number.size()));
  const std::size_t scale = declared.type.scale;
  if (whole.size() + fraction.size() == 0 || fraction.size() > scale) refuse(text, declared);
  const Int128 limit = power_of_ten(declared.type.precision);
  Int128 digits = 0;
  const auto append = [&](char c) {
    if (c < '0' || c > '9') refuse(text, declared);
    digits = digits * 10 + (c - '0');
    if (digits >= limit) refuse(text, declared);
  };
  for (const char c : whole) append(c);
  for (const char c : fraction) append(c);
  for (std::size_t place = fraction.size(); place < scale; ++place) append('0');
  return {negative ? -digits : digits};
}

Parameters bound_parameters(const SqlCommand& command, const Variables& variables) {
  Parameters parameters;
  std::string name;
  std::string text;
  for (const Declaration& declared : command.declared) {
    name = "$" + declared.name;
    text.clear();
    if (append_parameter(variables, declared.slot, text)) {
      add(parameters, name, text, declared);
    } else if (declared.type.optional) {
      parameters.add(name, scalar_of(declared.type), database::ydb::null);
    } else {
      throw Error(ErrorClass::statement, "",
                  fmt::format("${}: the variable is {}, and {} does not allow NULL. Set the "
                              "variable, or declare Optional<{}>",
                              declared.name, variables.is_set(declared.slot) ? "null" : "not set",
                              declared.type_name, declared.type_name));
    }
  }
  return parameters;
}

}  // namespace drover::sql::ydb
