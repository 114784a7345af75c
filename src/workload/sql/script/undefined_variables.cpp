#include "workload/sql/script/script_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

#include "text/nearest_name.h"
#include "text/utf8.h"

namespace drover::sql {
namespace {

// The variables that the scripts of a run, options and Drover itself can set.
struct SetNames {
  std::vector<std::string> names;
  std::vector<std::string> prefixes;  // of \gset and \aset

  bool contains(std::string_view name) const {
    return std::ranges::find(names, name) != names.end() ||
           std::ranges::any_of(prefixes,
                               [&](const std::string& one) { return name.starts_with(one); });
  }
};

SetNames names_that_are_set(const ScriptSet& scripts,
                            const std::vector<VariableDefinition>& definitions) {
  SetNames set;
  Variables before(scripts.names());
  set_builtin_variables({}, before);
  for (Slot slot = 0; slot < scripts.names().size(); ++slot) {
    if (before.is_set(slot)) set.names.push_back(scripts.names().name(slot));
  }
  for (const VariableDefinition& one : definitions) set.names.push_back(one.name);
  for (const Script& script : scripts.scripts()) {
    for (const Command& command : script.commands()) {
      if (const auto* assigned = std::get_if<SetCommand>(&command.action)) {
        set.names.push_back(scripts.names().name(assigned->variable));
      }
      const auto* sql = std::get_if<SqlCommand>(&command.action);
      if (sql != nullptr && sql->storing != Storing::none) set.prefixes.push_back(sql->prefix);
    }
  }
  return set;
}

struct UsedVariable {
  Slot slot;
  std::size_t lines_before;  // from the statement's first line
};

// The variables whose value is NULL if they are not set.
std::vector<UsedVariable> mentions_in(const SqlCommand& command) {
  std::vector<UsedVariable> mentions;
  for (const Declaration& one : command.declared) {
    if (one.type.optional) mentions.push_back({one.slot, 0});
  }
  for (std::size_t i = 0; i < command.sql.parameters().size(); ++i) {
    mentions.push_back({command.sql.parameters()[i], command.sql.lines_before(i)});
  }
  return mentions;
}

}  // namespace

std::vector<std::string> undefined_variable_notes(
    const ScriptSet& scripts, const std::vector<VariableDefinition>& definitions) {
  std::vector<std::string> notes;
  if (scripts.protocol() == Protocol::simple) return notes;
  const SetNames set = names_that_are_set(scripts, definitions);
  std::vector<std::pair<std::size_t, Slot>> noted;
  for (const Statement& statement : scripts.statements()) {
    for (const UsedVariable& mention : mentions_in(*statement.command)) {
      const std::string& name = scripts.names().name(mention.slot);
      const std::pair key(statement.script, mention.slot);
      if (set.contains(name) || std::ranges::find(noted, key) != noted.end()) continue;
      noted.push_back(key);
      notes.push_back(fmt::format(
          "note: {}, line {}: nothing sets the variable {}, so the statement is sent with NULL in "
          "its place{}",
          scripts.scripts()[statement.script].file(),
          statement.position.line + mention.lines_before, text::shown(name),
          text::did_you_mean(name, set.names)));
    }
  }
  return notes;
}

}  // namespace drover::sql
