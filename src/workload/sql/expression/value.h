// Value: what an expression of a script comes to: null, a boolean, an integer of 64 bits or a double. 16 bytes,
// copied like a number. Coercions between the kinds are those of pgbench: integers and doubles become each other,
// anything else is an error.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

namespace drover::sql {

// An expression that has no value: a division by zero, a sum out of range, a variable that nobody has set. Whoever
// knows which command it stands in makes a ScriptError of it.
struct EvaluationError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

enum class Kind : std::uint8_t { null, boolean, integer, real };

// "integer" and the like are for the code; messages say what pgbench says: null, boolean, int, double.
std::string_view kind_name(Kind kind) noexcept;

class Value {
 public:
  Value() = default;  // not initialised: a stack of values costs nothing to make

  static constexpr Value null() noexcept { return {Kind::null, 0}; }
  static constexpr Value of(bool value) noexcept { return {Kind::boolean, value ? 1 : 0}; }
  static constexpr Value of(std::int64_t value) noexcept { return {Kind::integer, value}; }
  static constexpr Value of(double value) noexcept { return Value(value); }

  constexpr Kind kind() const noexcept { return kind_; }
  constexpr bool is_null() const noexcept { return kind_ == Kind::null; }
  constexpr bool is_integer() const noexcept { return kind_ == Kind::integer; }
  constexpr bool is_real() const noexcept { return kind_ == Kind::real; }

  // Require: the value is of that kind.
  constexpr bool boolean() const noexcept { return integer_ != 0; }
  constexpr std::int64_t integer() const noexcept { return integer_; }
  constexpr double real() const noexcept { return real_; }

  // Throw EvaluationError. A double becomes the nearest integer, of two the even one.
  std::int64_t to_integer() const {
    return kind_ == Kind::integer ? integer_ : coerced_to_integer();
  }
  double to_real() const { return kind_ == Kind::real ? real_ : coerced_to_real(); }
  bool to_boolean() const;

  // As a condition of \if and WHEN: null and zero are false. Of any kind.
  bool is_true() const noexcept;

  // The same kind and the same value, as IS has it.
  bool is(Value other) const noexcept;

 private:
  constexpr Value(Kind kind, std::int64_t integer) noexcept : kind_(kind), integer_(integer) {}
  explicit constexpr Value(double real) noexcept : kind_(Kind::real), real_(real) {}

  std::int64_t coerced_to_integer() const;
  double coerced_to_real() const;

  Kind kind_;
  union {
    std::int64_t integer_;  // also the boolean, as 0 or 1
    double real_;
  };
};

static_assert(sizeof(Value) == 16);
static_assert(std::is_trivially_default_constructible_v<Value>);

// As it is put into a statement: NULL, true, 17, 0.5. Doubles have 15 digits, as in pgbench.
void append_text(Value value, std::string& out);

// With its kind, as debug() shows it: "int 17", "double 0.5", "boolean true", "null".
std::string described(Value value);

}  // namespace drover::sql
