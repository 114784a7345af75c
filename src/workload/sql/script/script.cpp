#include "workload/sql/script/script.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "text/utf8.h"

namespace drover::sql {
namespace {

constexpr double pause_ns_max = 1e18;  // about 30 years, to fit into the clock's range

double amount_of(const PauseCommand& pause, const Variables& variables) {
  if (const double* amount = std::get_if<double>(&pause.amount)) return *amount;
  const Slot slot = std::get<Slot>(pause.amount);
  const Value value = variables.get(slot);
  if (value.is_integer() || value.is_real()) return value.to_real();
  std::string text;
  variables.append_text(slot, text);
  throw EvaluationError(fmt::format("invalid {} \"{}\" of the variable \"{}\": expected a number",
                                    pause.exponential ? "mean" : "sleep time", text::shown(text),
                                    variables.name(slot)));
}

}  // namespace

void SqlText::append_variable(std::string_view name, Slot slot) {
  const std::size_t begin = text_.size();
  text_ += ':';
  text_ += name;
  mentions_.push_back({begin, text_.size()});
  parameters_.push_back(slot);
}

void SqlText::append_joint() {
  joints_.push_back(text_.size());
  text_ += ';';
}

void SqlText::trim_end() {
  text_.resize(text_.find_last_not_of(" \t\r\n\f\v") + 1);
}

std::vector<std::string_view> SqlText::joined() const {
  std::vector<std::string_view> statements;
  const std::string_view text = text_;
  std::size_t begin = 0;
  for (const std::size_t joint : joints_) {
    statements.push_back(text.substr(begin, joint - begin));
    begin = joint + 1;
  }
  statements.push_back(text.substr(begin));
  return statements;
}

std::string SqlText::with_parameters() const {
  std::string result;
  std::size_t from = 0;
  for (std::size_t i = 0; i < mentions_.size(); ++i) {
    result.append(text_, from, mentions_[i].begin - from);
    fmt::format_to(std::back_inserter(result), "${}", i + 1);
    from = mentions_[i].end;
  }
  return result.append(text_, from);
}

std::size_t SqlText::lines_before(std::size_t parameter) const {
  const std::string_view before = std::string_view(text_).substr(0, mentions_[parameter].begin);
  return static_cast<std::size_t>(std::ranges::count(before, '\n'));
}

void SqlText::render(const Variables& variables, std::string& out) const {
  std::size_t from = 0;
  for (std::size_t i = 0; i < mentions_.size(); ++i) {
    if (!variables.is_set(parameters_[i])) continue;
    out.append(text_, from, mentions_[i].begin - from);
    variables.append_text(parameters_[i], out);
    from = mentions_[i].end;
  }
  out.append(text_, from);
}

bool append_parameter(const Variables& variables, Slot slot, std::string& out) {
  if (!variables.is_set(slot) || variables.is_null(slot)) return false;
  variables.append_text(slot, out);
  return true;
}

const Command* ScriptRun::next() {
  const std::vector<Command>& commands = script_.commands();
  while (next_ < commands.size()) {
    const Command& command = commands[next_++];
    try {
      if (const auto* set = std::get_if<SetCommand>(&command.action)) {
        context_.variables.set(set->variable, evaluate(set->value, context_));
      } else if (const auto* branch = std::get_if<BranchCommand>(&command.action)) {
        if (!evaluate(branch->condition, context_).is_true()) next_ = branch->otherwise;
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
    double ns = amount_of(pause, context_.variables) * pause.unit_us * 1e3;
    if (pause.exponential) ns *= -std::log(context_.random.unit());
    if (!(ns > 0)) return {};  // as in pgbench, a negative time is no pause
    return std::chrono::nanoseconds(static_cast<std::int64_t>(std::min(ns, pause_ns_max)));
  } catch (const EvaluationError& error) {
    throw script_.error(command, error.what());
  }
}

}  // namespace drover::sql
