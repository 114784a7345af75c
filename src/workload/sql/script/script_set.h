// ScriptSet: the scripts of a run, read and checked for its protocol, with numbered statements.
// Constant; any thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "random/rng.h"
#include "workload/sql/expression/variables.h"
#include "workload/sql/script/script.h"

namespace drover::sql {

// Only the first statements of a script have counts and latencies, because each of them costs a
// histogram per worker.
inline constexpr std::size_t statements_with_figures_max = 100;

// How statements are sent, as in pgbench's -M: as text; as text with parameters; prepared once per
// session. `declared`: as YQL with declared parameters, which is YDB's only way.
enum class Protocol : std::uint8_t { simple, extended, prepared, declared };

std::string_view protocol_name(Protocol protocol) noexcept;

// The effect of a statement, derived from its first words. A SELECT counts as reading, although its
// functions may write.
enum class Effect : std::uint8_t {
  reads,       // SELECT, SHOW, VALUES, TABLE, YQL's PRAGMA and $name = …, empty statements
  begins,      // BEGIN, START
  commits,     // COMMIT, END; also PREPARE TRANSACTION, which outlives the session
  rolls_back,  // ROLLBACK, ABORT
  keeps_open,  // SAVEPOINT, RELEASE, ROLLBACK TO
  writes,      // all other statements
};

Effect effect_of(std::string_view statement);

// Returns the first word in lower case. Skips comments and parentheses before it. Returns an empty
// text if another character comes first.
std::string first_word(std::string_view text);

// BEGIN, COMMIT and ROLLBACK, which YDB's protocol has as requests of their own.
enum class TransactionControl : std::uint8_t { none, begin, begin_read_only, commit, roll_back };

// Recognises BEGIN or START, COMMIT or END, ROLLBACK or ABORT, each optionally with TRANSACTION or
// WORK, and BEGIN with READ ONLY or READ WRITE. Returns `none` for other statements, and nothing if
// one of these continues in another way.
std::optional<TransactionControl> transaction_control(std::string_view statement);

// An SQL command of a script with the facts that are known before it is sent.
struct Statement {
  const SqlCommand* command = nullptr;
  std::size_t number = 0;       // among the statements of all scripts
  std::size_t script = 0;       // index of its script in the set
  std::size_t index = 0;        // index of its command in the script
  Position position;            // in the file
  bool has_figures = true;      // see statements_with_figures_max
  std::string title;            // the text in one line, shortened
  std::string name;             // of the prepared statement
  std::string parameterised;    // with $1, $2, … for variables. YQL: with pragmas and declarations
  std::vector<Effect> effects;  // one for each joined statement

  bool does(Effect effect) const noexcept {
    return std::ranges::find(effects, effect) != effects.end();
  }
  // Returns true if a transaction is open afterwards. `open`: one is open before.
  bool leaves_open(bool open) const noexcept;
  // Returns true if the statement may commit changes. `open`: it is sent within a transaction.
  bool may_commit(bool open) const noexcept;
};

// Errors of pipelines that are found before or during a run.
inline constexpr std::string_view simple_pipeline =
    "cannot use pipeline mode with the simple query protocol";
inline constexpr std::string_view nested_pipeline = "already in pipeline mode";
inline constexpr std::string_view no_pipeline = "not in pipeline mode";
inline constexpr std::string_view storing_in_pipeline =
    "\\gset and \\aset are not allowed in pipeline mode";
inline constexpr std::string_view unfinished_pipeline = "end of script reached with pipeline open";

struct WeightedName {
  std::string name;
  std::int32_t weight = 1;
};

// Parses "name" or "name@weight", split at the last '@'. Blanks and a plus sign may precede the
// weight. Returns nothing if the name is empty, or the weight not a number of 0 … 2147483647.
std::optional<WeightedName> parse_weighted(std::string_view text);

struct ScriptText {
  std::string name;  // of the file in messages, or of a built-in script
  std::string text;
  std::int32_t weight = 1;
};

class ScriptSet {
 public:
  // Throws ScriptError if a script cannot be read, or can never be executed with the protocol.
  // Requires: one weight is above 0, and none is negative.
  ScriptSet(std::vector<ScriptText> texts, Protocol protocol);
  ScriptSet(const ScriptSet&) = delete;
  ScriptSet& operator=(const ScriptSet&) = delete;

  Protocol protocol() const noexcept { return protocol_; }
  const VariableNames& names() const noexcept { return names_; }
  const std::vector<Script>& scripts() const noexcept { return scripts_; }
  // Returns the file names without folders. They are unique: a second "a.sql" becomes "a.sql #2".
  const std::vector<std::string>& titles() const noexcept { return titles_; }
  // Returns each script's share of all executions (0 to 1).
  const std::vector<double>& shares() const noexcept { return shares_; }

  // Draws the index of a script according to the weights.
  std::size_t choose(random::Rng& rng) const;

  const std::vector<Statement>& statements() const noexcept { return statements_; }
  // Requires: the command is an SqlCommand.
  const Statement& statement(std::size_t script, std::size_t command) const {
    return statements_[first_statements_[script][command]];
  }
  // Returns the statements from the given \startpipeline to the next \endpipeline.
  std::span<const Statement> pipeline(std::size_t script, std::size_t command) const;

 private:
  void add_statements(std::size_t script);

  Protocol protocol_;
  VariableNames names_;
  std::vector<Script> scripts_;
  std::vector<std::string> titles_;
  std::vector<double> shares_;
  std::vector<std::int64_t> weight_sums_;  // of each script and all before it
  std::vector<Statement> statements_;
  // By script and command: the number of the first statement at or after the command.
  std::vector<std::vector<std::size_t>> first_statements_;
};

// Returns a note for each variable of a statement that nothing can set: no \set, \gset, \aset,
// definition or built-in variable. Such a statement is always sent with NULL in its place. The note
// contains the script, the line and the nearest name that can be set. Returns nothing for the
// simple protocol, which sends an unset variable as it is written. A \gset or \aset can set every
// name that begins with its prefix.
std::vector<std::string> undefined_variable_notes(
    const ScriptSet& scripts, const std::vector<VariableDefinition>& definitions);

}  // namespace drover::sql
