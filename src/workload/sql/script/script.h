// Script: what a script of pgbench's language asks for, as a list of commands. \if, \elif, \else and \endif have become
// branches and jumps, which go forward only, so that a script always comes to its end.
//
// Constant when it is read (parser.h); any number of clients on any threads go through it (script_run.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "workload/sql/expression/expression.h"
#include "workload/sql/expression/variables.h"
#include "workload/sql/script/declaration.h"
#include "workload/sql/script/source.h"
#include "workload/sql/script/sql_text.h"

namespace drover::sql {

// What becomes of the result. `gset`: the last statement's only row goes into variables, and any other number of rows
// is an error. `aset`: the last row of each statement that has one does.
enum class Storing : std::uint8_t { none, gset, aset };

struct SqlCommand {
  SqlText sql;
  Storing storing = Storing::none;
  std::string prefix{};  // of the variables' names; column_slots() finds them
  // Of YQL: what stands before the text when it is sent. Of the declarations those that it mentions, each once.
  std::string pragmas{};
  std::vector<Declaration> declared{};
};

struct SetCommand {
  Slot variable;
  Expression value;
};

// \sleep, and \think, whose length is drawn from the negative-exponential distribution with that mean.
struct PauseCommand {
  std::variant<double, Slot> amount;
  double unit_us;
  bool exponential;
};

enum class PipelineStep : std::uint8_t { start, sync, end };

struct PipelineCommand {
  PipelineStep step;
};

// Goes on with the next command if the condition is true, otherwise with `otherwise`. Indexes may be the number of
// commands: the end.
struct BranchCommand {
  Expression condition;
  std::size_t otherwise;
};

struct JumpCommand {
  std::size_t target;
};

struct Command {
  std::size_t offset;  // in the script, where it begins
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

  // What is wrong with a command, with its place.
  ScriptError error(const Command& command, std::string_view message) const {
    return source_.error_at(command.offset, message);
  }

 private:
  Source source_;
  std::vector<Command> commands_;
};

}  // namespace drover::sql
