// Parameters of YQL as a script declares them: `DECLARE $amount AS Int64;` makes the variable `amount` the parameter
// $amount of every statement behind it that mentions it. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "workload/sql/expression/variables.h"

namespace drover::sql {

// Types that a value of a script can be given.
enum class ParameterKind : std::uint8_t {
  boolean,
  int32,
  int64,
  uint32,
  uint64,
  real,  // Double
  utf8,
  bytes,
  decimal,
};

struct ParameterType {
  ParameterKind kind = ParameterKind::int64;
  bool optional = false;       // a variable that is null or not set is NULL
  std::uint8_t precision = 0;  // of a decimal: digits in all
  std::uint8_t scale = 0;      // of a decimal: digits after the point

  friend bool operator==(const ParameterType&, const ParameterType&) = default;
};

// "Int64", "Utf8?", "Optional<Decimal(22,9)>"; nothing if it is none of these.
std::optional<ParameterType> parse_parameter_type(std::string_view written);

// The names of the types, for messages.
std::string known_parameter_types();

struct Declaration {
  std::string name;  // without its '$'
  Slot slot = 0;     // of the variable
  ParameterType type;
  std::string type_name;  // as it was written

  std::string text() const { return "DECLARE $" + name + " AS " + type_name + ";\n"; }
};

// What is wrong with it, or the name and the type that it has: `DECLARE $name AS Type;`.
struct ReadDeclaration {
  std::string problem;  // empty: there is none
  std::string name;
  std::string type_name;
  ParameterType type;
};
ReadDeclaration read_declaration(std::string_view statement);

}  // namespace drover::sql
