#include "workload/sql/script/script_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "text/utf8.h"
#include "workload/sql/script/parser.h"
#include "workload/sql/script/protocol_check.h"

namespace drover::sql {
namespace {

std::vector<std::int32_t> weights_of(const std::vector<ScriptText>& texts) {
  std::vector<std::int32_t> weights;
  for (const ScriptText& text : texts) weights.push_back(text.weight);
  return weights;
}

// On one line, with one blank for several, no more characters than a table has room for, and '?' for what cannot be
// printed and for those `refused`.
std::string in_a_line(std::string_view text, std::string_view refused) {
  constexpr int characters_max = 60;
  std::string line;
  int characters = 0;
  while (!text.empty()) {
    const text::Utf8Character character = text::first_character(text);
    const std::string_view bytes = text.substr(0, character.bytes);
    text.remove_prefix(character.bytes);
    const bool is_blank = bytes.find_first_of(" \t\r\n\f\v") == 0;
    if (is_blank && line.ends_with(' ')) continue;
    if (characters++ == characters_max) return line + "…";
    const bool is_shown = character.valid && text::is_printable(character.point) &&
                          refused.find(bytes) == std::string_view::npos;
    line += is_blank ? " " : is_shown ? bytes : "?";
  }
  return line;
}

// A script's is the name of its file without the folders, as result documents can have it. "all" is what all scripts
// together are called there.
std::string unused_title(std::string_view name, const std::vector<std::string>& used) {
  const std::string wanted = in_a_line(name.substr(name.rfind('/') + 1), "\"\\");
  const auto is_used = [&used](const std::string& title) {
    return title == "all" || std::find(used.begin(), used.end(), title) != used.end();
  };
  std::string title = wanted;
  for (int number = 2; is_used(title); ++number) title = fmt::format("{} #{}", wanted, number);
  return title;
}

Language language_of(Protocol protocol) noexcept {
  return protocol == Protocol::declared ? Language::yql : Language::sql;
}

std::string with_prologue(const SqlCommand& command) {
  std::string text = command.pragmas;
  for (const Declaration& one : command.declared) text += one.text();
  return text + command.sql.text();
}

}  // namespace

std::string_view protocol_name(Protocol protocol) noexcept {
  constexpr std::array<std::string_view, 4> names = {"simple", "extended", "prepared", "declared"};
  return names[static_cast<std::size_t>(protocol)];
}

ScriptSet::ScriptSet(std::vector<ScriptText> texts, Protocol protocol)
    : protocol_(protocol), choice_(weights_of(texts)) {
  double sum = 0;
  for (const ScriptText& text : texts) sum += text.weight;
  for (ScriptText& text : texts) {
    shares_.push_back(text.weight / sum);
    titles_.push_back(unused_title(text.name, titles_));
    scripts_.push_back(
        parse_script(std::move(text.name), std::move(text.text), names_, language_of(protocol)));
    check_for_protocol(scripts_.back(), protocol);
  }
  // Statements refer to commands, which stay where they are from here on.
  for (std::size_t i = 0; i < scripts_.size(); ++i) add_statements(i);
}

void ScriptSet::add_statements(std::size_t script) {
  const std::vector<Command>& commands = scripts_[script].commands();
  std::vector<std::size_t>& places = places_.emplace_back();
  for (std::size_t index = 0; index < commands.size(); ++index) {
    places.push_back(statements_.size());
    const auto* sql = std::get_if<SqlCommand>(&commands[index].action);
    if (sql == nullptr) continue;
    Statement statement;
    statement.command = sql;
    statement.number = statements_.size();
    statement.script = script;
    statement.index = index;
    statement.has_figures = statements_.size() - places.front() < statements_with_figures_max;
    statement.position = scripts_[script].position(commands[index]);
    statement.title = in_a_line(sql->sql.text(), "");
    statement.name = fmt::format("s{}", statement.number);
    statement.parameterised =
        protocol_ == Protocol::declared ? with_prologue(*sql) : sql->sql.with_parameters();
    for (const std::string_view one : sql->sql.joined())
      statement.effects.push_back(effect_of(one));
    statements_.push_back(std::move(statement));
  }
  places.push_back(statements_.size());
}

std::span<const Statement> ScriptSet::pipeline(std::size_t script, std::size_t command) const {
  const std::vector<Command>& commands = scripts_[script].commands();
  std::size_t end = command + 1;
  for (; end < commands.size(); ++end) {
    const auto* pipeline = std::get_if<PipelineCommand>(&commands[end].action);
    if (pipeline != nullptr && pipeline->step == PipelineStep::end) break;
  }
  const std::size_t first = places_[script][command];
  return std::span(statements_).subspan(first, places_[script][end] - first);
}

}  // namespace drover::sql
