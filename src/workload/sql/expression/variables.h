// The variables of scripts. Every name that the scripts of a run mention has a slot, found when they are read; each
// client has a value a slot. So a command finds its variable by an index, and what nobody mentions is not kept.
//
// Thread safety: the names are complete, and constant, before the first client starts; a client's variables are its
// own.
// Invariant: slots are counted from 0 in the order in which the names came; a name never loses its slot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workload/sql/expression/value.h"

namespace drover::sql {

using Slot = std::uint32_t;

// Letters, digits, '_' and bytes that are not ASCII.
bool is_name_byte(char c) noexcept;
// The same without digits.
bool begins_name(char c) noexcept;
bool is_variable_name(std::string_view name) noexcept;

class VariableNames {
 public:
  // The name's slot; it gets one if it has none. Requires: is_variable_name(name).
  Slot slot_of(std::string_view name);
  std::optional<Slot> find(std::string_view name) const;

  std::size_t size() const noexcept { return names_.size(); }
  const std::string& name(Slot slot) const { return *names_.at(slot); }

 private:
  std::map<std::string, Slot, std::less<>> slots_;
  std::vector<const std::string*> names_;  // the map's keys
};

// What a text means that came from outside, `-D` or a column: null, true (t, yes, on …), false, an integer or a double.
// Nothing if it is none of these; such a text can be put into statements, but not be computed with.
std::optional<Value> value_of(std::string_view text);

class Variables {
 public:
  // Refers to `names`, which must be complete.
  explicit Variables(const VariableNames& names);

  // Throws EvaluationError unless the variable is set to something to compute with.
  Value get(Slot slot) const {
    const Entry& entry = entries_[slot];
    if (entry.state <= State::computed) return entry.value;
    refuse(slot);
  }

  void set(Slot slot, Value value);
  // Keeps the text as it is, for statements: 007 stays 007.
  void set_text(Slot slot, std::string_view text);

  bool is_set(Slot slot) const { return entries_[slot].state != State::unset; }
  // Returns true for a null that an expression or a NULL column has set, false for the text "null".
  bool is_null(Slot slot) const {
    return entries_[slot].state == State::computed && entries_[slot].value.is_null();
  }

  // As it is put into a statement; nothing of a variable that is not set.
  void append_text(Slot slot, std::string& out) const;

  const std::string& name(Slot slot) const { return names_->name(slot); }
  const VariableNames& names() const noexcept { return *names_; }

 private:
  // Those that can be computed with come first. `textual`: texts_ has it as well.
  enum class State : std::uint8_t { textual, computed, malformed, unset };
  struct Entry {
    Value value;
    State state = State::unset;
  };

  [[noreturn]] void refuse(Slot slot) const;

  const VariableNames* names_;
  std::vector<Entry> entries_;
  std::vector<std::string> texts_;  // empty until there is a text
};

// The slots into which the columns of a result go, in their order: of the variable prefix + column. None for a column
// whose variable no script mentions. To be asked once a prepared statement, not once a row.
std::vector<std::optional<Slot>> column_slots(const VariableNames& names, std::string_view prefix,
                                              const std::vector<std::string_view>& columns);

// "name=value" of the option -D.
struct Definition {
  std::string name;
  std::string value;
};

// Nothing unless it is that, with a name that a variable can have and a value that is not empty.
std::optional<Definition> parse_definition(std::string_view text);

// The variables that every client has before its first command.
struct BuiltinVariables {
  std::int64_t client_id = 0;
  std::int64_t default_seed = 0;
  std::int64_t random_seed = 0;
  std::int64_t scale = 1;
};

// Those that a script mentions. Definitions win over these: they are set later.
void set_builtin_variables(const VariableNames& names, const BuiltinVariables& values,
                           Variables& variables);

// Names that no script mentions are passed over.
void set_definitions(const VariableNames& names, const std::vector<Definition>& definitions,
                     Variables& variables);

}  // namespace drover::sql
