// Statement: an SQL command of a script with what is known of it before it is sent.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "workload/sql/script/script.h"

namespace drover::sql {

// What a statement does, by its first words alone. A SELECT counts as reading, though a function that it calls may
// write.
enum class Effect : std::uint8_t {
  reads,       // SELECT, SHOW, VALUES, TABLE, YQL's PRAGMA and $name = …; or nothing is there
  begins,      // BEGIN, START
  commits,     // COMMIT, END, PREPARE TRANSACTION: it outlives the session
  rolls_back,  // ROLLBACK, ABORT
  keeps_open,  // SAVEPOINT, RELEASE, ROLLBACK TO: parts of a transaction, which goes on
  writes,      // anything else
};

Effect effect_of(std::string_view statement);

// Returns the number of joined statements that contain more than blanks and comments.
std::size_t statements_in(const SqlText& sql);

// In small letters, behind comments and parentheses, as a SELECT may stand in; empty where another sign comes first.
std::string first_word(std::string_view text);

struct Statement {
  const SqlCommand* command = nullptr;
  std::size_t number = 0;   // counted over all scripts
  std::size_t script = 0;   // its place in the set
  std::size_t index = 0;    // of the command in the script
  Position position;        // in the script's file
  bool has_figures = true;  // of its own: it is one of the first of its script
  std::string title;        // its text in a line, shortened
  std::string name;         // as a prepared statement
  // Its text with $1, $2, … in place of the variables; of YQL, behind its pragmas and declarations.
  std::string parameterised;
  std::vector<Effect> effects;  // one, or several where statements were joined

  bool does(Effect effect) const noexcept {
    return std::find(effects.begin(), effects.end(), effect) != effects.end();
  }
  bool ends_transaction() const noexcept {
    return does(Effect::commits) || does(Effect::rolls_back);
  }
  // Whether a transaction is open behind it, where one was `open` before.
  bool leaves_open(bool open) const noexcept;
  // Whether something may be in the database for good when it is done; `open`: it is sent within a transaction.
  bool may_commit(bool open) const noexcept;
};

}  // namespace drover::sql
