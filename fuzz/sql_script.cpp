// Reads and executes scripts as SQL and as YQL. Every script ends, or is refused with a message
// that shows the position. A second reading gives the same script.
#include <algorithm>
#include <chrono>
#include <string>
#include <variant>

#include "fuzz.h"
#include "workload/sql/script/script_set.h"

using namespace drover;

namespace {

// Requires the three lines of an error: position and message, the line, the caret below a
// character.
void require_shown(const sql::ScriptError& error) {
  fuzz::require_message(error.message());
  const std::string_view what = error.what();
  fuzz::require(std::count(what.begin(), what.end(), '\n') == 2, "an error has three lines", what);
  fuzz::require(what.ends_with("^"), "an error has a caret", what);
  fuzz::require(error.position().line >= 1 && error.position().column >= 1, "an error has a place",
                what);
}

// Requires that both renderings of a statement agree with its parameters.
void require_rendered(const sql::SqlCommand& command, const sql::Variables& variables) {
  const sql::SqlText& text = command.sql;
  fuzz::require(!text.empty(), "a statement is not empty");
  std::string sent;
  text.render(variables, sent);
  const std::string with_parameters = text.with_parameters();
  if (text.parameters().empty()) {
    fuzz::require(sent == text.text() && with_parameters == sent,
                  "without variables it is the same", sent);
  } else {
    const std::string last = "$" + std::to_string(text.parameters().size());
    fuzz::require(with_parameters.find(last) != std::string::npos, "each variable is a parameter",
                  with_parameters);
  }
  std::string value;
  for (const sql::Slot slot : text.parameters()) sql::append_parameter(variables, slot, value);
}

void go_through(const sql::Script& script, const sql::VariableNames& names, std::string_view text) {
  sql::Variables variables(names);
  sql::set_builtin_variables({.client_id = 1, .default_seed = 5, .random_seed = 6}, variables);
  sql::set_definitions({{"text", std::string(text.substr(0, 30))}, {"seven", "7"}}, variables);
  random::Rng rng(1);
  std::size_t heard = 0;
  sql::EvaluationContext context{variables, rng, [&](sql::Value) { ++heard; }};
  try {
    std::size_t handed_out = 0;
    sql::ScriptRun run(script, context);
    while (const sql::Command* command = run.next()) {
      fuzz::require(++handed_out <= script.commands().size(), "a script ends");
      const sql::Position position = script.position(*command);
      fuzz::require(position.line >= 1 && position.column >= 1, "a command has a place");
      if (const auto* sql = std::get_if<sql::SqlCommand>(&command->action)) {
        require_rendered(*sql, variables);
      } else if (std::holds_alternative<sql::PauseCommand>(command->action)) {
        fuzz::require(run.pause() >= std::chrono::nanoseconds(0), "a pause is no step back");
      }
    }
  } catch (const sql::ScriptError& error) {
    require_shown(error);
  }
}

}  // namespace

namespace {

void read(std::string_view text, sql::Language language) {
  try {
    sql::VariableNames names;
    const sql::Script script = sql::parse_script("file", std::string(text), names, language);
    const std::size_t slots = names.size();
    const sql::Script again = sql::parse_script("file", std::string(text), names, language);
    fuzz::require(names.size() == slots, "a second reading finds no new names");
    fuzz::require(again.commands().size() == script.commands().size(), "… and as many commands");
    go_through(script, names, text);
  } catch (const sql::ScriptError& error) {
    require_shown(error);
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  sql::parse_weighted(text);
  sql::parse_definition(text);
  sql::transaction_control(text);
  read(text, sql::Language::sql);
  read(text, sql::Language::yql);
  return 0;
}
