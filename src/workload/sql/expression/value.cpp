#include "workload/sql/expression/value.h"

#include <fmt/format.h>

#include <array>
#include <cfloat>
#include <cmath>
#include <cstdio>

namespace drover::sql {

namespace {

[[noreturn]] void refuse_coercion(Kind from, std::string_view to) {
  throw EvaluationError(fmt::format("cannot coerce {} to {}", kind_name(from), to));
}

// In C's spelling, for the shortest one of C++ has another number of digits.
std::string_view real_text(double value, std::array<char, 32>& buffer) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-Infinity" : "Infinity";
  const int size = std::snprintf(buffer.data(), buffer.size(), "%.*g", DBL_DIG, value);
  return {buffer.data(), static_cast<std::size_t>(size)};
}

}  // namespace

std::string_view kind_name(Kind kind) noexcept {
  switch (kind) {
    case Kind::null:
      return "null";
    case Kind::boolean:
      return "boolean";
    case Kind::integer:
      return "int";
    case Kind::real:
      break;
  }
  return "double";
}

std::int64_t Value::coerced_to_integer() const {
  if (kind_ != Kind::real) refuse_coercion(kind_, "int");
  const double rounded = std::nearbyint(real_);
  // 2^63 is a double, the largest integer is not; nothing holds of NaN.
  if (!(rounded >= -0x1p63 && rounded < 0x1p63)) {
    throw EvaluationError(fmt::format("double to int overflow for {:f}", real_));
  }
  return static_cast<std::int64_t>(rounded);
}

double Value::coerced_to_real() const {
  if (kind_ != Kind::integer) refuse_coercion(kind_, "double");
  return static_cast<double>(integer_);
}

bool Value::to_boolean() const {
  if (kind_ != Kind::boolean) refuse_coercion(kind_, "boolean");
  return boolean();
}

bool Value::is_true() const noexcept {
  switch (kind_) {
    case Kind::null:
      return false;
    case Kind::boolean:
    case Kind::integer:
      return integer_ != 0;
    case Kind::real:
      break;
  }
  return real_ != 0;
}

bool Value::is(Value other) const noexcept {
  if (kind_ != other.kind_) return false;
  if (kind_ == Kind::null) return true;
  return kind_ == Kind::real ? real_ == other.real_ : integer_ == other.integer_;
}

void append_text(Value value, std::string& out) {
  switch (value.kind()) {
    case Kind::null:
      out += "NULL";
      return;
    case Kind::boolean:
      out += value.boolean() ? "true" : "false";
      return;
    case Kind::integer: {
      const fmt::format_int digits(value.integer());  // a third of format_to()'s instructions
      out.append(digits.data(), digits.size());
      return;
    }
    case Kind::real:
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

}  // namespace drover::sql
