// Script: a script of pgbench's language as a list of commands, and its execution for one client up
// to the commands that need the database or the clock.
//
// Scripts are constant after they were read. Any number of clients on any threads execute them.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "workload/sql/expression/expression.h"
#include "workload/sql/expression/variables.h"
#include "workload/sql/script/source.h"

namespace drover::sql {

// SqlText: the text of a message to the server with the variables that it mentions. It contains one
// statement, or several that `\;` joins.
class SqlText {
 public:
  static constexpr std::size_t parameters_max = 65'535;  // limit of PostgreSQL's protocol

  // Returns the text as written, with `:name` for variables.
  const std::string& text() const noexcept { return text_; }
  bool empty() const noexcept { return text_.empty(); }

  // Returns the number of `\;`.
  std::size_t joints() const noexcept { return joints_.size(); }
  // Returns the joined statements as written.
  std::vector<std::string_view> joined() const;

  // Returns the text with $1, $2, … for variables. Each mention of a variable has a number of its
  // own, because the server may derive different types.
  std::string with_parameters() const;
  // Returns the variables that $1, $2, … stand for, in this order.
  const std::vector<Slot>& parameters() const noexcept { return parameters_; }
  // Returns the number of line ends before the parameter with this index.
  std::size_t lines_before(std::size_t parameter) const;

  // Appends the text with values for variables. Unset variables stay as written: `n` in
  // `array[1:n]` may not be a variable.
  void render(const Variables& variables, std::string& out) const;

  // The scanner builds the text with these functions.
  void append(std::string_view text) { text_ += text; }
  void append_variable(std::string_view name, Slot slot);
  void append_joint();
  void trim_end();

 private:
  struct Mention {
    std::size_t begin;
    std::size_t end;
  };

  std::string text_;
  std::vector<Mention> mentions_;    // of variables in the text, in order
  std::vector<Slot> parameters_;     // of the same mentions
  std::vector<std::size_t> joints_;  // offsets of their ';' in the text
};

// Appends the value of a parameter. Returns false if it is NULL, which includes unset variables.
bool append_parameter(const Variables& variables, Slot slot, std::string& out);

// Types of YQL parameters.
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
  bool optional = false;       // variables that are null or unset become NULL
  std::uint8_t precision = 0;  // digits of a decimal
  std::uint8_t scale = 0;      // digits of a decimal after the point

  friend bool operator==(const ParameterType&, const ParameterType&) = default;
};

// Parses "Int64", "Utf8?", "Optional<Decimal(22,9)>". Returns nothing for unknown types.
std::optional<ParameterType> parse_parameter_type(std::string_view written);

// A parameter that `DECLARE $name AS Type;` declares in YQL. It has the value of the variable
// `name`.
struct Declaration {
  std::string name;  // without '$'
  Slot slot = 0;     // of the variable
  ParameterType type;
  std::string type_name;  // as written

  std::string text() const { return "DECLARE $" + name + " AS " + type_name + ";\n"; }
};

// Stores results in variables. `gset`: the row of the last statement, which must have exactly one.
// `aset`: the last row of each statement that has rows.
enum class Storing : std::uint8_t { none, gset, aset };

struct SqlCommand {
  SqlText sql;
  Storing storing = Storing::none;
  std::string prefix{};  // of the variables that store columns: see column_slots()
  // YQL only: the text sent before the statement, and the declared parameters that it mentions.
  std::string pragmas{};
  std::vector<Declaration> declared{};
};

struct SetCommand {
  Slot variable;
  Expression value;
};

// \sleep, or \think, which draws from a negative-exponential distribution with this mean.
struct PauseCommand {
  std::variant<double, Slot> amount;
  double unit_us;
  bool exponential;
};

enum class PipelineStep : std::uint8_t { start, sync, end };

struct PipelineCommand {
  PipelineStep step;
};

// \if and \elif: continues with the next command if the condition is true, else at the index
// `otherwise`. Jumps lead forward only, so every script ends. Their target may be the end.
struct BranchCommand {
  Expression condition;
  std::size_t otherwise;
};

struct JumpCommand {
  std::size_t target;
};

struct Command {
  std::size_t offset;  // in the script
  std::variant<SqlCommand, SetCommand, PauseCommand, PipelineCommand, BranchCommand, JumpCommand>
      action;
};

class Script {
 public:
  Script(Source source, std::vector<Command> commands)
      : source_(std::move(source)), commands_(std::move(commands)) {}

  const std::string& file() const noexcept { return source_.file(); }
  const std::vector<Command>& commands() const noexcept { return commands_; }

  Position position(const Command& command) const { return source_.position_of(command.offset); }
  ScriptError error(const Command& command, std::string_view message) const {
    return source_.error_at(command.offset, message);
  }

 private:
  Source source_;
  std::vector<Command> commands_;
};

inline constexpr std::size_t script_bytes_max = std::size_t{4} << 20;

// The language of statements. YQL sends variables only as declared parameters, so mentions of
// undeclared variables are errors. Declarations and PRAGMAs apply to all later statements.
enum class Language : std::uint8_t { sql, yql };

// Reads a script of pgbench's language, as described by the manual of PostgreSQL 17. `file` is its
// name in messages. All scripts of a run share `names`. Throws ScriptError, also for a script
// without commands. Differences from pgbench:
//
//   \think MEAN [us|ms|s]   an addition: a pause of a negative-exponential length
//   \shell, \setshell       refused, because they would block all clients of a thread
//   ':name'                 unchanged within quotes and comments in every protocol
//   null variables          become NULL as parameters, not the text NULL. \gset stores NULL as null
//   retries                 begin with the failed transaction (clients/clients.h)
//   errors in any command   are found here: unclosed quotes, invalid names, bytes of value 0
Script parse_script(std::string file, std::string text, VariableNames& names,
                    Language language = Language::sql);

// ScriptRun: one execution of a script for a client, which owns it. It executes \set and \if
// itself, and returns the commands that need the database or the clock:
//
//   for (ScriptRun run(script, context); const Command* command = run.next();) {
//     if (const auto* sql = std::get_if<SqlCommand>(&command->action)) …
//   }
class ScriptRun {
 public:
  // Starts with the command of index `begin`.
  ScriptRun(const Script& script, EvaluationContext& context, std::size_t begin = 0)
      : script_(script), context_(context), next_(begin) {}

  // Returns the next SqlCommand, PauseCommand or PipelineCommand, or null at the end. Throws
  // ScriptError if an expression has no value.
  const Command* next();

  // Returns the index of the command that next() returned last.
  std::size_t index() const noexcept { return next_ - 1; }

  // Returns the length of the pause that next() returned last. Each call draws the length of a
  // \think again. Throws ScriptError.
  std::chrono::nanoseconds pause();

 private:
  const Script& script_;
  EvaluationContext& context_;
  std::size_t next_;
};

// The scanners find the end of a statement in a script of SQL or YQL, and the variables that it
// mentions. They know quotes, comments and brackets, and no other syntax.

enum class StatementEnd : std::uint8_t { semicolon, backslash, end_of_file };

// `$name`, or `:name`, which YQL does not have.
struct YqlMention {
  std::string name;
  std::size_t offset;
  bool has_colon;
};

struct ScannedStatement {
  SqlText sql;        // with its ';'; empty if the text contains only blanks and comments
  std::size_t begin;  // offset of the first word
  std::size_t end;    // offset after the ';', at the backslash or at the end of the text
  StatementEnd ended_by;
  std::vector<YqlMention> mentions = {};  // YQL only
};

// Scans SQL like psql and pgbench. A statement ends at a ';' outside of quotes, comments,
// parentheses and BEGIN ATOMIC … END, at the backslash of a meta command, or at the end of the
// text. `:name` outside of quotes and comments is a variable and gets a slot. `::` is a cast.
// Throws ScriptError for unclosed quotes and comments, and above SqlText::parameters_max variables.
ScannedStatement scan_statement(const Source& source, std::size_t offset, VariableNames& names);

// Scans YQL with its quotes ('…' and "…" with backslashes, `…`, @@…@@), comments, parentheses and
// braces. A named expression ($rows = SELECT …;) is joined to the next statement, as with `\;`,
// because the server forgets the name after the request. Throws ScriptError for unclosed quotes and
// comments, and for a named expression without a next statement.
ScannedStatement scan_yql_statement(const Source& source, std::size_t offset);

}  // namespace drover::sql
