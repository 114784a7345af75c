#include "workload/sql/script/script_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "text/utf8.h"

namespace drover::sql {

namespace {

constexpr double pause_ns_max = 1e18;  // 30 years; more does not fit into the clock's counts

double amount_of(const PauseCommand& pause, const Variables& variables) {
  if (const double* amount = std::get_if<double>(&pause.amount)) return *amount;
  const Slot slot = std::get<Slot>(pause.amount);
  const Value value = variables.get(slot);
  if (!value.is_integer() && !value.is_real()) {
    std::string text;
    variables.append_text(slot, text);
    throw EvaluationError(fmt::format("invalid {} \"{}\" of the variable \"{}\": expected a number",
                                      pause.exponential ? "mean" : "sleep time", text::shown(text),
                                      variables.name(slot)));
  }
  return value.to_real();
}

}  // namespace

const Command* ScriptRun::next() {
  const std::vector<Command>& commands = script_.commands();
  while (next_ < commands.size()) {
    const Command& command = commands[next_++];
    try {
      if (const auto* set = std::get_if<SetCommand>(&command.action)) {
        environment_.variables.set(set->variable, evaluate(set->value, environment_));
      } else if (const auto* branch = std::get_if<BranchCommand>(&command.action)) {
        if (!evaluate(branch->condition, environment_).is_true()) next_ = branch->otherwise;
      } else if (const auto* jump = std::get_if<JumpCommand>(&command.action)) {
        next_ = jump->target;
      } else {
        return &command;
      }
    } catch (const EvaluationError& error) {
      throw script_.error(command, error.what());
    }
  }
  return nullptr;
}

std::chrono::nanoseconds ScriptRun::pause() {
  const Command& command = script_.commands().at(index());
  const auto& pause = std::get<PauseCommand>(command.action);
  try {
    double ns = amount_of(pause, environment_.variables) * pause.unit_us * 1e3;
    if (pause.exponential) ns *= -std::log(environment_.random.unit());
    if (!(ns > 0)) return {};  // pgbench does not sleep for a negative time either
    return std::chrono::nanoseconds(static_cast<std::int64_t>(std::min(ns, pause_ns_max)));
  } catch (const EvaluationError& error) {
    throw script_.error(command, error.what());
  }
}

}  // namespace drover::sql
