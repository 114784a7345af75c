// Values of script expressions, and the variables of a client that hold them. The rules are
// pgbench's.
//
// The names of all variables that a run's scripts mention are collected when the scripts are read.
// Each name has a slot, by which every client finds its own value without a look-up.
//
// Thread safety: names do not change after the scripts were read. Variables belong to one client.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace drover::sql {

// An expression that cannot be evaluated: a division by zero, an overflow, an undefined variable.
// The caller adds the position in the script (ScriptError).
struct EvaluationError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

enum class ValueKind : std::uint8_t { null, boolean, integer, real };

// Null, a boolean, a 64-bit integer or a double.
class Value {
 public:
  Value() = default;  // uninitialised, so that a stack of values costs nothing to create

  static constexpr Value null() noexcept { return {ValueKind::null, 0}; }
  static constexpr Value of(bool value) noexcept { return {ValueKind::boolean, value ? 1 : 0}; }
  static constexpr Value of(std::int64_t value) noexcept { return {ValueKind::integer, value}; }
  static constexpr Value of(double value) noexcept { return Value(value); }

  constexpr ValueKind kind() const noexcept { return kind_; }
  constexpr bool is_null() const noexcept { return kind_ == ValueKind::null; }
  constexpr bool is_integer() const noexcept { return kind_ == ValueKind::integer; }
  constexpr bool is_real() const noexcept { return kind_ == ValueKind::real; }

  // Require: the value is of this kind.
  constexpr bool boolean() const noexcept { return integer_ != 0; }
  constexpr std::int64_t integer() const noexcept { return integer_; }
  constexpr double real() const noexcept { return real_; }

  // Convert between integers and doubles, rounding to the nearest integer and ties to even. Throw
  // EvaluationError for other kinds.
  std::int64_t to_integer() const {
    return kind_ == ValueKind::integer ? integer_ : coerced_to_integer();
  }
  double to_real() const { return kind_ == ValueKind::real ? real_ : coerced_to_real(); }

  // Throws EvaluationError unless the value is a boolean.
  bool to_boolean() const;

  // Returns the value as a condition of \if or WHEN, where null and zero are false.
  bool is_true() const noexcept;

  // Returns true if kind and value are equal (SQL's IS).
  bool is(Value other) const noexcept;

 private:
  constexpr Value(ValueKind kind, std::int64_t integer) noexcept : kind_(kind), integer_(integer) {}
  explicit constexpr Value(double real) noexcept : kind_(ValueKind::real), real_(real) {}

  std::int64_t coerced_to_integer() const;
  double coerced_to_real() const;

  ValueKind kind_;
  union {
    std::int64_t integer_;  // also the boolean, as 0 or 1
    double real_;
  };
};

static_assert(sizeof(Value) == 16);
static_assert(std::is_trivially_default_constructible_v<Value>);

// Appends the text that a statement contains: NULL, true, 17, 0.5. Doubles have 15 digits.
void append_text(Value value, std::string& out);

// Returns the value with its kind, as debug() shows it: "int 17", "double 0.5", "null".
std::string described(Value value);

// Parses the text of -D or of a column: null, a boolean (t, yes, on …), an integer or a double.
// Returns nothing for other texts, which can be put into statements but not into expressions.
std::optional<Value> value_of(std::string_view text);

using Slot = std::uint32_t;

// Slots are numbered from 0 in the order of first mention.
class VariableNames {
 public:
  // Returns the slot of the name, and assigns one to a new name. Requires: is_variable_name(name).
  Slot slot_of(std::string_view name);
  std::optional<Slot> find(std::string_view name) const;

  std::size_t size() const noexcept { return names_.size(); }
  const std::string& name(Slot slot) const { return *names_.at(slot); }

 private:
  std::map<std::string, Slot, std::less<>> slots_;
  std::vector<const std::string*> names_;  // the map's keys, by slot
};

class Variables {
 public:
  // Requires: `names` is complete, and outlives the object.
  explicit Variables(const VariableNames& names);

  // Throws EvaluationError if the variable is unset, or its text is not a value.
  Value get(Slot slot) const {
    const Entry& entry = entries_[slot];
    if (entry.state <= State::computed) return entry.value;
    refuse(slot);
  }

  void set(Slot slot, Value value);
  // Keeps the text for statements: 007 stays 007.
  void set_text(Slot slot, std::string_view text);

  bool is_set(Slot slot) const { return entries_[slot].state != State::unset; }
  // Returns true for a null that an expression or a NULL column has set, false for the text "null".
  bool is_null(Slot slot) const {
    return entries_[slot].state == State::computed && entries_[slot].value.is_null();
  }

  // Appends the text that a statement contains, or nothing if the variable is unset.
  void append_text(Slot slot, std::string& out) const;

  const std::string& name(Slot slot) const { return names_->name(slot); }
  const VariableNames& names() const noexcept { return *names_; }

 private:
  // get() returns the value in the first two states. `textual` and `malformed` have an entry in
  // texts_.
  enum class State : std::uint8_t { textual, computed, malformed, unset };
  struct Entry {
    Value value;
    State state = State::unset;
  };

  [[noreturn]] void refuse(Slot slot) const;

  const VariableNames* names_;
  std::vector<Entry> entries_;
  std::vector<std::string> texts_;  // by slot; empty until the first set_text()
};

// Returns the slot of the variable prefix + column for each column of a result. Columns whose
// variable no script mentions have none.
std::vector<std::optional<Slot>> column_slots(const VariableNames& names, std::string_view prefix,
                                              const std::vector<std::string_view>& columns);

// A variable that the option -D NAME=VALUE defines.
struct VariableDefinition {
  std::string name;
  std::string value;
};

// Parses "name=value". Returns nothing if the name is invalid or the value empty.
std::optional<VariableDefinition> parse_definition(std::string_view text);

// Variables that every client has before its first command.
struct BuiltinVariables {
  std::int64_t client_id = 0;
  std::int64_t default_seed = 0;
  std::int64_t random_seed = 0;
  std::int64_t scale = 1;
};

// Both functions skip variables that no script mentions.
void set_builtin_variables(const BuiltinVariables& values, Variables& variables);
void set_definitions(const std::vector<VariableDefinition>& definitions, Variables& variables);

}  // namespace drover::sql
