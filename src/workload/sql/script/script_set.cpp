#include "workload/sql/script/script_set.h"

#include <fmt/format.h>

#include <array>
#include <cassert>
#include <utility>

#include "text/nearest_name.h"
#include "text/plain_text.h"
#include "text/utf8.h"
#include "workload/sql/expression/expression.h"

namespace drover::sql {
namespace {

constexpr std::array<std::pair<std::string_view, Effect>, 13> effects_of_words = {{
    {"select", Effect::reads},
    {"show", Effect::reads},
    {"values", Effect::reads},
    {"table", Effect::reads},
    {"pragma", Effect::reads},
    {"begin", Effect::begins},
    {"start", Effect::begins},
    {"commit", Effect::commits},
    {"end", Effect::commits},
    {"rollback", Effect::rolls_back},
    {"abort", Effect::rolls_back},
    {"savepoint", Effect::keeps_open},
    {"release", Effect::keeps_open},
}};

// Removes leading comments and all leading characters in `signs`.
void skip(std::string_view& text, std::string_view signs) {
  for (;;) {
    text.remove_prefix(std::min(text.find_first_not_of(signs), text.size()));
    if (text.starts_with("--")) {
      text.remove_prefix(std::min(text.find('\n'), text.size()));
    } else if (text.starts_with("/*")) {
      text.remove_prefix(std::min(block_comment_size(text), text.size()));
    } else {
      return;
    }
  }
}

// Removes the next word, with the comments and parentheses before it, and returns it in lower case.
// (A SELECT may stand in parentheses.) Returns an empty text if another character comes first.
std::string next_word(std::string_view& text) {
  skip(text, "( \t\r\n\f\v");
  const auto end = std::ranges::find_if_not(text, is_name_byte);
  const auto size = static_cast<std::size_t>(end - text.begin());
  std::string word = in_lower_case(text.substr(0, size));
  text.remove_prefix(size);
  return word;
}

// `rest` follows ROLLBACK or ABORT.
Effect effect_of_rollback(std::string_view rest) {
  std::string word = next_word(rest);
  if (word == "prepared") return Effect::writes;
  if (word == "work" || word == "transaction") word = next_word(rest);
  return word == "to" ? Effect::keeps_open : Effect::rolls_back;
}

// Returns the words in lower case. Each character that is not part of a name is a word.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i + 1;
    if (!is_blank(text[i])) {
      while (is_name_byte(text[i]) && end < text.size() && is_name_byte(text[end])) ++end;
      words.push_back(in_lower_case(text.substr(i, end - i)));
    }
    i = end;
  }
  return words;
}

TransactionControl control_of(std::string_view word) {
  if (word == "begin" || word == "start") return TransactionControl::begin;
  if (word == "commit" || word == "end") return TransactionControl::commit;
  if (word == "rollback" || word == "abort") return TransactionControl::roll_back;
  return TransactionControl::none;
}

// Returns the number of joined statements that contain more than blanks and comments.
std::size_t statements_in(const SqlText& sql) {
  return static_cast<std::size_t>(std::ranges::count_if(sql.joined(), [](std::string_view one) {
    skip(one, "; \t\r\n\f\v");
    return !one.empty();
  }));
}

// The state of the pipeline before a command. Both states are possible after a condition.
struct PipelineState {
  bool closed = false;
  bool open = false;

  bool is_reachable() const noexcept { return closed || open; }
  bool is_certainly_closed() const noexcept { return closed && !open; }
  bool is_certainly_open() const noexcept { return open && !closed; }
  void add(PipelineState other) noexcept {
    closed = closed || other.closed;
    open = open || other.open;
  }
};

// Refuses commands of a script that its protocol does not have, and that always fail:
//
//   simple                pipelines
//   extended, prepared    two statements joined by \;, \startpipeline within a pipeline,
//                         \syncpipeline and \endpipeline outside of a pipeline, \gset and \aset
//                         within a pipeline, a pipeline that is open at the end of the script
//   declared              pipelines; BEGIN, COMMIT and ROLLBACK in unknown forms or joined to other
//                         statements
//
// Commands between \if and \endif may never be reached. They fail when they are executed.
class ProtocolCheck {
 public:
  ProtocolCheck(const Script& script, Protocol protocol)
      : script_(script), protocol_(protocol), before_(script.commands().size() + 1) {}

  // Throws ScriptError. Jumps lead forward only, so one pass finds the states of all commands.
  void run() {
    before_.front().closed = true;
    for (std::size_t i = 0; i < script_.commands().size(); ++i) {
      if (before_[i].is_reachable()) visit(i);
    }
    if (before_.back().is_certainly_open()) throw script_.error(*last_start_, unfinished_pipeline);
  }

 private:
  void visit(std::size_t index) {
    const Command& command = script_.commands()[index];
    PipelineState state = before_[index];
    const bool is_conditional = index < conditional_end_;
    if (const auto* jump = std::get_if<JumpCommand>(&command.action)) {
      return add_target(jump->target, state);
    }
    if (const auto* branch = std::get_if<BranchCommand>(&command.action)) {
      add_target(branch->otherwise, state);
    } else if (const auto* sql = std::get_if<SqlCommand>(&command.action)) {
      if (protocol_ == Protocol::declared) {
        check_control(command, sql->sql);
      } else if (!is_conditional) {
        check_statement(command, *sql, state);
      }
    } else if (const auto* pipeline = std::get_if<PipelineCommand>(&command.action)) {
      if (!is_conditional) check_pipeline(command, pipeline->step, state);
      const bool ends = pipeline->step == PipelineStep::end;
      state = {.closed = ends, .open = !ends};
      if (pipeline->step == PipelineStep::start) last_start_ = &command;
    }
    before_[index + 1].add(state);
  }

  void add_target(std::size_t target, PipelineState state) {
    before_[target].add(state);
    conditional_end_ = std::max(conditional_end_, target);
  }

  void check_control(const Command& command, const SqlText& sql) const {
    for (const std::string_view one : sql.joined()) {
      const auto control = transaction_control(one);
      if (control && (*control == TransactionControl::none || sql.joints() == 0)) continue;
      throw script_.error(
          command, "expected BEGIN, BEGIN READ ONLY, COMMIT or ROLLBACK as a statement of its own");
    }
  }

  void check_statement(const Command& command, const SqlCommand& sql, PipelineState state) const {
    if (protocol_ != Protocol::simple && statements_in(sql.sql) > 1) {
      throw script_.error(command,
                          "statements joined by \\; need the simple protocol. Separate them with ; "
                          "or use --protocol simple");
    }
    if (sql.storing != Storing::none && state.is_certainly_open()) {
      throw script_.error(command, storing_in_pipeline);
    }
  }

  void check_pipeline(const Command& command, PipelineStep step, PipelineState state) const {
    if (protocol_ == Protocol::declared) {
      throw script_.error(
          command,
          "YDB has no pipelines. To send several statements in one request, join them with \\;");
    }
    if (protocol_ == Protocol::simple) throw script_.error(command, simple_pipeline);
    if (step == PipelineStep::start) {
      if (state.is_certainly_open()) throw script_.error(command, nested_pipeline);
    } else if (state.is_certainly_closed()) {
      throw script_.error(command, no_pipeline);
    }
  }

  const Script& script_;
  const Protocol protocol_;
  std::vector<PipelineState> before_;  // by command; the last one is the end of the script
  const Command* last_start_ = nullptr;
  std::size_t conditional_end_ = 0;  // commands before this index may be skipped
};

// Returns the text in one line of limited length, with single blanks. Characters that are not
// printable or `refused` become '?'.
std::string in_one_line(std::string_view text, std::string_view refused) {
  constexpr int characters_max = 60;
  std::string line;
  int characters = 0;
  while (!text.empty()) {
    const text::Utf8Character character = text::first_character(text);
    const std::string_view bytes = text.substr(0, character.bytes);
    text.remove_prefix(character.bytes);
    const bool blank = is_blank(bytes.front());
    if (blank && line.ends_with(' ')) continue;
    if (characters++ == characters_max) return line + "…";
    const bool is_shown = character.valid && text::is_printable(character.point) &&
                          refused.find(bytes) == std::string_view::npos;
    line += blank ? " " : is_shown ? bytes : "?";
  }
  return line;
}

// Result documents allow no quotes and backslashes in titles, and use "all" for all scripts.
std::string unused_title(std::string_view name, const std::vector<std::string>& used) {
  const std::string wanted = in_one_line(name.substr(name.rfind('/') + 1), "\"\\");
  std::string title = wanted;
  for (int number = 2; title == "all" || std::ranges::find(used, title) != used.end(); ++number) {
    title = fmt::format("{} #{}", wanted, number);
  }
  return title;
}

std::string with_declarations(const SqlCommand& command) {
  std::string text = command.pragmas;
  for (const Declaration& declared : command.declared) text += declared.text();
  return text + command.sql.text();
}

}  // namespace

std::string_view protocol_name(Protocol protocol) noexcept {
  constexpr std::array<std::string_view, 4> names = {"simple", "extended", "prepared", "declared"};
  return names[static_cast<std::size_t>(protocol)];
}

std::string first_word(std::string_view text) {
  return next_word(text);
}

Effect effect_of(std::string_view statement) {
  const std::string first = next_word(statement);
  if (first.empty()) return Effect::reads;
  if (first == "prepare" && next_word(statement) == "transaction") return Effect::commits;
  for (const auto& [word, effect] : effects_of_words) {
    if (word != first) continue;
    return effect == Effect::rolls_back ? effect_of_rollback(statement) : effect;
  }
  return Effect::writes;
}

std::optional<TransactionControl> transaction_control(std::string_view statement) {
  constexpr std::size_t longest = 64;  // longer statements are not split into words
  std::vector<std::string> words = words_of(statement.substr(0, longest));
  const TransactionControl control =
      words.empty() ? TransactionControl::none : control_of(words.front());
  if (control == TransactionControl::none) return control;
  if (words.back() == ";") words.pop_back();
  std::size_t next = 1;
  if (next < words.size() && (words[next] == "transaction" || words[next] == "work")) ++next;
  if (next == words.size() && statement.size() <= longest) return control;
  if (control != TransactionControl::begin || next + 2 != words.size() || words[next] != "read") {
    return std::nullopt;
  }
  if (words[next + 1] == "only") return TransactionControl::begin_read_only;
  if (words[next + 1] == "write") return control;
  return std::nullopt;
}

bool Statement::leaves_open(bool open) const noexcept {
  for (const Effect effect : effects) {
    if (effect == Effect::begins) open = true;
    if (effect == Effect::commits || effect == Effect::rolls_back) open = false;
  }
  return open;
}

bool Statement::may_commit(bool open) const noexcept {
  for (const Effect effect : effects) {
    if (effect == Effect::commits || (effect == Effect::writes && !open)) return true;
    if (effect == Effect::begins) open = true;
    if (effect == Effect::rolls_back) open = false;
  }
  return false;
}

std::optional<WeightedName> parse_weighted(std::string_view text) {
  const std::size_t at = text.rfind('@');
  WeightedName result{std::string(text.substr(0, at))};
  if (result.name.empty()) return std::nullopt;
  if (at == std::string_view::npos) return result;
  std::string_view digits = text.substr(at + 1);
  digits.remove_prefix(std::min(digits.find_first_not_of(" \t\n\v\f\r"), digits.size()));
  if (digits.starts_with('+')) digits.remove_prefix(1);
  const std::optional<std::int32_t> weight = text::number_of<std::int32_t>(digits);
  if (!weight || *weight < 0) return std::nullopt;
  result.weight = *weight;
  return result;
}

ScriptSet::ScriptSet(std::vector<ScriptText> texts, Protocol protocol) : protocol_(protocol) {
  std::int64_t sum = 0;
  for (const ScriptText& text : texts) {
    assert(text.weight >= 0);
    weight_sums_.push_back(sum += text.weight);
  }
  assert(sum > 0);
  const Language language = protocol == Protocol::declared ? Language::yql : Language::sql;
  for (ScriptText& text : texts) {
    shares_.push_back(text.weight / static_cast<double>(sum));
    titles_.push_back(unused_title(text.name, titles_));
    scripts_.push_back(parse_script(std::move(text.name), std::move(text.text), names_, language));
    ProtocolCheck(scripts_.back(), protocol).run();
  }
  // Statements refer to commands, which do not move any more.
  for (std::size_t i = 0; i < scripts_.size(); ++i) add_statements(i);
}

void ScriptSet::add_statements(std::size_t script) {
  const std::vector<Command>& commands = scripts_[script].commands();
  std::vector<std::size_t>& first_statements = first_statements_.emplace_back();
  for (std::size_t index = 0; index < commands.size(); ++index) {
    first_statements.push_back(statements_.size());
    const auto* sql = std::get_if<SqlCommand>(&commands[index].action);
    if (sql == nullptr) continue;
    Statement statement;
    statement.command = sql;
    statement.number = statements_.size();
    statement.script = script;
    statement.index = index;
    statement.has_figures =
        statements_.size() - first_statements.front() < statements_with_figures_max;
    statement.position = scripts_[script].position(commands[index]);
    statement.title = in_one_line(sql->sql.text(), "");
    statement.name = fmt::format("s{}", statement.number);
    statement.parameterised =
        protocol_ == Protocol::declared ? with_declarations(*sql) : sql->sql.with_parameters();
    for (const std::string_view one : sql->sql.joined()) {
      statement.effects.push_back(effect_of(one));
    }
    statements_.push_back(std::move(statement));
  }
  first_statements.push_back(statements_.size());
}

std::size_t ScriptSet::choose(random::Rng& rng) const {
  if (weight_sums_.size() == 1) return 0;
  const std::int64_t drawn = uniform_integer(rng, 1, weight_sums_.back());
  return static_cast<std::size_t>(std::ranges::lower_bound(weight_sums_, drawn) -
                                  weight_sums_.begin());
}

std::span<const Statement> ScriptSet::pipeline(std::size_t script, std::size_t command) const {
  const std::vector<Command>& commands = scripts_[script].commands();
  std::size_t end = command + 1;
  for (; end < commands.size(); ++end) {
    const auto* pipeline = std::get_if<PipelineCommand>(&commands[end].action);
    if (pipeline != nullptr && pipeline->step == PipelineStep::end) break;
  }
  const std::size_t first = first_statements_[script][command];
  return std::span(statements_).subspan(first, first_statements_[script][end] - first);
}

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
