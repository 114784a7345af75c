// ScriptRun: a client's way through a script, once. It does itself what needs neither the database nor the clock, and
// hands out the commands that do:
//
//   for (ScriptRun run(script, environment); const Command* command = run.next();) {
//     if (const auto* sql = std::get_if<SqlCommand>(&command->action)) …
//   }
//
// Belongs to its client; refers to the script and the environment.
#pragma once

#include <chrono>
#include <cstddef>

#include "workload/sql/expression/expression.h"
#include "workload/sql/script/script.h"

namespace drover::sql {

class ScriptRun {
 public:
  // From the command of that index on: the first, or where an earlier run has been.
  ScriptRun(const Script& script, Environment& environment, std::size_t begin = 0)
      : script_(script), environment_(environment), next_(begin) {}

  // The next command that is an SqlCommand, PauseCommand or PipelineCommand; none at the end. Throws ScriptError with
  // the place of the command whose expression has no value.
  const Command* next();

  // The index of the command that next() has just handed out.
  std::size_t index() const noexcept { return next_ - 1; }

  // How long the pause is that next() has just handed out; draws it anew each time. Throws ScriptError.
  std::chrono::nanoseconds pause();

 private:
  const Script& script_;
  Environment& environment_;
  std::size_t next_;
};

}  // namespace drover::sql
