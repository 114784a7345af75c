#include "workload/sql/script/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "text/nearest_name.h"
#include "text/plain_text.h"
#include "text/utf8.h"
#include "workload/sql/expression/expression_lexer.h"
#include "workload/sql/expression/expression_parser.h"
#include "workload/sql/script/sql_scanner.h"
#include "workload/sql/script/statement.h"
#include "workload/sql/script/yql_scanner.h"

namespace drover::sql {

namespace {

// A word of a meta command: what stands between blanks.
struct Word {
  std::string_view text;
  std::size_t offset;
};

// Editors begin UTF-8 with a mark that is no part of the text; psql passes over it, too.
std::string without_mark(std::string text) {
  constexpr std::string_view mark = "\xef\xbb\xbf";
  if (text.starts_with(mark)) text.erase(0, mark.size());
  return text;
}

// An \if that waits for its \endif.
struct OpenCondition {
  std::size_t begin;                  // in the script
  std::optional<std::size_t> branch;  // the last condition's, until it is known where it leads
  std::vector<std::size_t> jumps_to_end{};  // those behind each part
  bool has_else = false;
};

class ScriptParser {
 public:
  ScriptParser(std::string file, std::string text, VariableNames& names, Language language)
      : source_(std::move(file), without_mark(std::move(text))),
        names_(names),
        language_(language) {}

  Script parse();

 private:
  using Reader = void (ScriptParser::*)();
  struct MetaCommand {
    std::string_view name;
    Reader read;
  };
  static const std::array<MetaCommand, 15> meta_commands;

  void read_statement();
  StatementEnd read_sql();
  StatementEnd read_yql();
  void declare(const ScannedStatement& statement);
  void require_parameters() const;
  void read_meta();
  void read_set();
  void read_setrandom() { refuse("\\setrandom is no longer a command. Use \\set NAME random(…)"); }
  void read_shell() {
    refuse("shell commands are not supported, because they would block all clients");
  }
  void read_sleep() { read_pause(false); }
  void read_think() { read_pause(true); }
  void read_pause(bool exponential);
  void read_if();
  void read_elif();
  void read_else();
  void read_endif();
  void read_gset() { read_storing(Storing::gset); }
  void read_aset() { read_storing(Storing::aset); }
  void read_storing(Storing storing);
  void read_start_pipeline() { read_pipeline(PipelineStep::start); }
  void read_sync_pipeline() { read_pipeline(PipelineStep::sync); }
  void read_end_pipeline() { read_pipeline(PipelineStep::end); }
  void read_pipeline(PipelineStep step);

  std::optional<Word> next_word();
  void require_no_more_words(std::string_view message);
  Expression read_expression();
  std::variant<double, Slot> pause_amount(const Word& word, bool exponential);
  double unit_us(const Word& word) const;
  OpenCondition& open_condition(bool before_else);
  void add_branch(OpenCondition& condition);
  void end_part(OpenCondition& condition);

  template <class Action>
  void add(Action action) {
    commands_.push_back({command_.offset, std::move(action)});
  }

  // Of the command that is being read.
  [[noreturn]] void refuse(std::string_view message) const {
    throw source_.error_at(command_.offset, message);
  }
  [[noreturn]] void refuse_at(std::size_t offset, std::string_view message) const {
    throw source_.error_at(offset, fmt::format("{} in command \"{}\"", message, command_.text));
  }

  Source source_;
  VariableNames& names_;
  const Language language_;
  std::size_t offset_ = 0;
  Word command_{};  // its name, and where its backslash stands
  std::vector<Command> commands_;
  bool after_statement_ = false;  // the last command is one of SQL, without a \gset
  std::vector<OpenCondition> conditions_;
  std::string pragmas_;  // of YQL, so far
  std::vector<Declaration> declarations_;
  std::vector<YqlMention> undeclared_;  // of names that may be those of variables
};

const std::array<ScriptParser::MetaCommand, 15> ScriptParser::meta_commands = {{
    {"set", &ScriptParser::read_set},
    {"setrandom", &ScriptParser::read_setrandom},
    {"sleep", &ScriptParser::read_sleep},
    {"think", &ScriptParser::read_think},
    {"setshell", &ScriptParser::read_shell},
    {"shell", &ScriptParser::read_shell},
    {"if", &ScriptParser::read_if},
    {"elif", &ScriptParser::read_elif},
    {"else", &ScriptParser::read_else},
    {"endif", &ScriptParser::read_endif},
    {"gset", &ScriptParser::read_gset},
    {"aset", &ScriptParser::read_aset},
    {"startpipeline", &ScriptParser::read_start_pipeline},
    {"syncpipeline", &ScriptParser::read_sync_pipeline},
    {"endpipeline", &ScriptParser::read_end_pipeline},
}};

Script ScriptParser::parse() {
  if (source_.text().size() > script_bytes_max) {
    throw source_.error_at(
        0, fmt::format("a script has at most {}", text::bytes_text(script_bytes_max)));
  }
  if (const std::size_t zero = source_.text().find('\0'); zero != std::string_view::npos) {
    throw source_.error_at(zero, "a script must be text, and this byte is 0");
  }
  while (offset_ < source_.text().size()) read_statement();
  require_parameters();
  if (!conditions_.empty()) {
    throw source_.error_at(conditions_.back().begin, "\\if without matching \\endif");
  }
  if (commands_.empty()) throw source_.error_at(0, "the script has no command");
  return {std::move(source_), std::move(commands_)};
}

void ScriptParser::read_statement() {
  const StatementEnd ended_by = language_ == Language::yql ? read_yql() : read_sql();
  if (ended_by != StatementEnd::backslash) return;
  read_meta();
  after_statement_ = false;
}

StatementEnd ScriptParser::read_sql() {
  ScannedStatement statement = scan_statement(source_, offset_, names_);
  command_ = {{}, statement.begin};
  offset_ = statement.end;
  if (!statement.sql.empty()) {
    add(SqlCommand{std::move(statement.sql)});
    after_statement_ = true;
  }
  return statement.ended_by;
}

StatementEnd ScriptParser::read_yql() {
  ScannedYql scanned = scan_yql_statement(source_, offset_);
  ScannedStatement& statement = scanned.statement;
  command_ = {{}, statement.begin};
  offset_ = statement.end;
  if (statement.sql.empty()) return statement.ended_by;
  const std::string word = first_word(statement.sql.text());
  after_statement_ = false;
  if (word == "declare") {
    declare(statement);
    return statement.ended_by;
  }
  if (word == "pragma" && statement.sql.joints() == 0) {
    pragmas_ +=
        statement.sql.text() + (statement.ended_by == StatementEnd::semicolon ? "\n" : ";\n");
    return statement.ended_by;
  }
  SqlCommand command{std::move(statement.sql)};
  command.pragmas = pragmas_;
  after_statement_ = true;
  for (YqlMention& mention : scanned.mentions) {
    const auto named = [&](const Declaration& one) { return one.name == mention.name; };
    const auto found = std::find_if(declarations_.begin(), declarations_.end(), named);
    if (mention.has_colon || found == declarations_.end()) {
      undeclared_.push_back(std::move(mention));
    } else if (std::none_of(command.declared.begin(), command.declared.end(), named)) {
      command.declared.push_back(*found);
    }
  }
  add(std::move(command));
  return statement.ended_by;
}

// A second declaration of a name counts from there on.
void ScriptParser::declare(const ScannedStatement& statement) {
  ReadDeclaration read = read_declaration(statement.sql.text());
  if (!read.problem.empty()) refuse(read.problem);
  std::erase_if(declarations_, [&](const Declaration& one) { return one.name == read.name; });
  const Slot slot = names_.slot_of(read.name);
  declarations_.push_back({std::move(read.name), slot, read.type, std::move(read.type_name)});
}

// Other names are YQL's own: $rows = SELECT …, or what follows a colon.
void ScriptParser::require_parameters() const {
  for (const YqlMention& mention : undeclared_) {
    if (!names_.find(mention.name)) continue;
    throw source_.error_at(
        mention.offset,
        fmt::format("the variable {0} is a parameter in YQL: write DECLARE ${0} AS Int64; (or "
                    "another type) before this statement, and ${0} in it",
                    mention.name));
  }
}

// From the backslash to the end of the line. A backslash alone is no command, as in pgbench.
void ScriptParser::read_meta() {
  const std::size_t begin = offset_++;
  const std::optional<Word> name = next_word();
  if (!name) return;
  command_ = {name->text, begin};
  const std::string lower = in_lower_case(name->text);
  const auto known = std::find_if(meta_commands.begin(), meta_commands.end(),
                                  [&](const MetaCommand& one) { return one.name == lower; });
  if (known == meta_commands.end()) {
    std::vector<std::string> names;
    for (const MetaCommand& one : meta_commands) names.push_back("\\" + std::string(one.name));
    refuse(fmt::format("invalid command \"\\{}\"{}", shown_bare(name->text),
                       text::did_you_mean("\\" + lower, names)));
  }
  (this->*known->read)();
}

std::optional<Word> ScriptParser::next_word() {
  offset_ = behind_blanks_of_line(source_, offset_);
  const std::size_t begin = offset_;
  while (offset_ < source_.text().size() && source_.at(offset_) != '\n' &&
         !is_blank_of_line(source_.at(offset_)) && continuation_at(source_, offset_) == 0) {
    ++offset_;
  }
  if (offset_ == begin) return std::nullopt;
  return Word{source_.text().substr(begin, offset_ - begin), begin};
}

void ScriptParser::require_no_more_words(std::string_view message) {
  if (const std::optional<Word> word = next_word()) refuse_at(word->offset, message);
}

Expression ScriptParser::read_expression() {
  ParsedExpression parsed = parse_expression(source_, offset_, names_);
  offset_ = parsed.end;
  return std::move(parsed.expression);
}

void ScriptParser::read_set() {
  const std::optional<Word> name = next_word();
  if (!name) refuse_at(offset_, "missing argument");
  if (!is_variable_name(name->text)) {
    refuse_at(name->offset, fmt::format("invalid variable name ({})", shown_bare(name->text)));
  }
  const Slot variable = names_.slot_of(name->text);
  add(SetCommand{variable, read_expression()});
}

// The unit may stand behind a number without a blank: 10ms.
void ScriptParser::read_pause(bool exponential) {
  std::optional<Word> amount = next_word();
  if (!amount) refuse_at(offset_, "missing argument");
  std::optional<Word> unit = next_word();
  if (!unit && !amount->text.starts_with(':')) {
    const std::size_t digits =
        std::min(amount->text.find_first_not_of("+-.0123456789"), amount->text.size());
    if (digits > 0 && digits < amount->text.size()) {
      unit = Word{amount->text.substr(digits), amount->offset + digits};
      amount->text = amount->text.substr(0, digits);
    }
  }
  require_no_more_words("too many arguments");
  add(PauseCommand{pause_amount(*amount, exponential), unit ? unit_us(*unit) : 1e6, exponential});
}

std::variant<double, Slot> ScriptParser::pause_amount(const Word& word, bool exponential) {
  if (word.text.starts_with(':')) {
    const std::string_view name = word.text.substr(1);
    if (is_variable_name(name)) return names_.slot_of(name);
    refuse_at(word.offset, fmt::format("invalid variable name ({})", shown_bare(name)));
  }
  if (exponential) {
    const std::optional<double> mean = text::number_of<double>(word.text);
    if (mean && *mean >= 0 && *mean <= 1e9) return *mean;
    refuse_at(word.offset, fmt::format("invalid mean, must be a number from 0 to 1000000000 ({})",
                                       shown_bare(word.text)));
  }
  const std::string_view digits = word.text.starts_with('+') ? word.text.substr(1) : word.text;
  const std::optional<std::int32_t> time = text::number_of<std::int32_t>(digits);
  if (time) return static_cast<double>(*time);
  refuse_at(word.offset, fmt::format("invalid sleep time, must be an integer up to 2147483647 ({})",
                                     shown_bare(word.text)));
}

double ScriptParser::unit_us(const Word& word) const {
  const std::string unit = in_lower_case(word.text);
  if (unit == "us") return 1;
  if (unit == "ms") return 1e3;
  if (unit == "s") return 1e6;
  refuse_at(word.offset,
            fmt::format("unrecognized time unit, must be us, ms or s ({})", shown_bare(word.text)));
}

OpenCondition& ScriptParser::open_condition(bool before_else) {
  const std::string name = in_lower_case(command_.text);
  if (conditions_.empty()) refuse(fmt::format("\\{} without matching \\if", name));
  if (before_else && conditions_.back().has_else) refuse(fmt::format("\\{} after \\else", name));
  return conditions_.back();
}

void ScriptParser::add_branch(OpenCondition& condition) {
  condition.branch = commands_.size();
  add(BranchCommand{read_expression(), 0});
}

// Whoever has gone through a part goes on behind \endif; whose condition was false, with the next part.
void ScriptParser::end_part(OpenCondition& condition) {
  condition.jumps_to_end.push_back(commands_.size());
  add(JumpCommand{0});
  std::get<BranchCommand>(commands_[*condition.branch].action).otherwise = commands_.size();
  condition.branch.reset();
}

void ScriptParser::read_if() {
  conditions_.push_back({command_.offset, std::nullopt});
  add_branch(conditions_.back());
}

void ScriptParser::read_elif() {
  OpenCondition& condition = open_condition(true);
  end_part(condition);
  add_branch(condition);
}

void ScriptParser::read_else() {
  OpenCondition& condition = open_condition(true);
  require_no_more_words("unexpected argument");
  end_part(condition);
  condition.has_else = true;
}

void ScriptParser::read_endif() {
  OpenCondition& condition = open_condition(false);
  require_no_more_words("unexpected argument");
  const std::size_t end = commands_.size();
  if (condition.branch) {
    std::get<BranchCommand>(commands_[*condition.branch].action).otherwise = end;
  }
  for (const std::size_t jump : condition.jumps_to_end) {
    std::get<JumpCommand>(commands_[jump].action).target = end;
  }
  conditions_.pop_back();
}

void ScriptParser::read_storing(Storing storing) {
  if (!after_statement_) {
    refuse(fmt::format("\\{} must follow an SQL command", in_lower_case(command_.text)));
  }
  const std::optional<Word> prefix = next_word();
  require_no_more_words("too many arguments");
  if (prefix && !is_variable_name(prefix->text)) {
    refuse_at(prefix->offset, fmt::format("the name of a variable cannot begin with ({})",
                                          shown_bare(prefix->text)));
  }
  SqlCommand& sql = std::get<SqlCommand>(commands_.back().action);
  sql.storing = storing;
  if (prefix) sql.prefix = prefix->text;
}

void ScriptParser::read_pipeline(PipelineStep step) {
  require_no_more_words("unexpected argument");
  add(PipelineCommand{step});
}

}  // namespace

Script parse_script(std::string file, std::string text, VariableNames& names, Language language) {
  return ScriptParser(std::move(file), std::move(text), names, language).parse();
}

}  // namespace drover::sql
