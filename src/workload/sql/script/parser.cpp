#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "text/nearest_name.h"
#include "text/plain_text.h"
#include "text/utf8.h"
#include "workload/sql/script/script.h"
#include "workload/sql/script/script_set.h"

namespace drover::sql {
namespace {

constexpr std::pair<std::string_view, ParameterKind> known_types[] = {
    {"Bool", ParameterKind::boolean},  {"Int32", ParameterKind::int32},
    {"Int64", ParameterKind::int64},   {"Uint32", ParameterKind::uint32},
    {"Uint64", ParameterKind::uint64}, {"Double", ParameterKind::real},
    {"Utf8", ParameterKind::utf8},     {"Text", ParameterKind::utf8},
    {"String", ParameterKind::bytes},  {"Bytes", ParameterKind::bytes},
};
constexpr std::uint8_t decimal_digits_max = 35;

std::string without_blanks(std::string_view text) {
  std::string result(text);
  std::erase_if(result, is_blank);
  return result;
}

bool take_prefix(std::string_view& text, std::string_view prefix) {
  if (in_lower_case(text.substr(0, prefix.size())) != prefix) return false;
  text.remove_prefix(prefix.size());
  return true;
}

// Parses "(22,9)".
std::optional<ParameterType> decimal_type(std::string_view arguments) {
  const std::size_t comma = arguments.find(',');
  if (!arguments.starts_with('(') || !arguments.ends_with(')') || comma == std::string_view::npos) {
    return std::nullopt;
  }
  const auto precision = text::number_of<std::uint8_t>(arguments.substr(1, comma - 1));
  const auto scale =
      text::number_of<std::uint8_t>(arguments.substr(comma + 1, arguments.size() - comma - 2));
  if (!precision || !scale || *precision < 1 || *precision > decimal_digits_max ||
      *scale > *precision) {
    return std::nullopt;
  }
  return ParameterType{.kind = ParameterKind::decimal, .precision = *precision, .scale = *scale};
}

std::optional<ParameterType> plain_type(std::string_view written) {
  std::string_view rest = written;
  if (take_prefix(rest, "decimal")) return decimal_type(rest);
  for (const auto& [name, kind] : known_types) {
    if (in_lower_case(name) == in_lower_case(written)) return ParameterType{.kind = kind};
  }
  return std::nullopt;
}

// Removes the next word and the blanks before it, and returns it.
std::string_view take_word(std::string_view& text) {
  text.remove_prefix(
      static_cast<std::size_t>(std::ranges::find_if_not(text, is_blank) - text.begin()));
  const auto end = std::ranges::find_if(text, is_blank);
  const std::string_view word = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(word.size());
  return word;
}

// A word of a meta command.
struct Word {
  std::string_view text;
  std::size_t offset;
};

// Editors mark UTF-8 with these bytes at the beginning. psql skips them, too.
std::string without_byte_order_mark(std::string text) {
  constexpr std::string_view mark = "\xef\xbb\xbf";
  if (text.starts_with(mark)) text.erase(0, mark.size());
  return text;
}

// An \if without its \endif so far.
struct OpenCondition {
  std::size_t begin;                        // offset in the script
  std::optional<std::size_t> branch;        // the last condition, until its jump target is known
  std::vector<std::size_t> jumps_to_end{};  // one at the end of each part
  bool has_else = false;
};

class ScriptParser {
 public:
  ScriptParser(std::string file, std::string text, VariableNames& names, Language language)
      : source_(std::move(file), without_byte_order_mark(std::move(text))),
        names_(names),
        language_(language) {}

  Script parse() {
    if (source_.text().size() > script_bytes_max) {
      throw source_.error_at(
          0, fmt::format("a script has at most {}", text::bytes_text(script_bytes_max)));
    }
    if (const std::size_t zero = source_.text().find('\0'); zero != std::string_view::npos) {
      throw source_.error_at(zero, "a script must be text, and this byte is 0");
    }
    while (offset_ < source_.text().size()) {
      const StatementEnd ended_by = language_ == Language::yql ? read_yql() : read_sql();
      if (ended_by != StatementEnd::backslash) continue;
      read_meta();
      after_statement_ = false;
    }
    require_declarations();
    if (!conditions_.empty()) {
      throw source_.error_at(conditions_.back().begin, "\\if without matching \\endif");
    }
    if (commands_.empty()) throw source_.error_at(0, "the script has no command");
    return {std::move(source_), std::move(commands_)};
  }

 private:
  struct MetaCommand {
    std::string_view name;
    void (*read)(ScriptParser&);
  };
  static const std::array<MetaCommand, 15> meta_commands;

  StatementEnd read_sql() {
    ScannedStatement statement = scan_statement(source_, offset_, names_);
    command_ = {{}, statement.begin};
    offset_ = statement.end;
    if (!statement.sql.empty()) {
      add(SqlCommand{std::move(statement.sql)});
      after_statement_ = true;
    }
    return statement.ended_by;
  }

  StatementEnd read_yql() {
    ScannedStatement statement = scan_yql_statement(source_, offset_);
    command_ = {{}, statement.begin};
    offset_ = statement.end;
    if (statement.sql.empty()) return statement.ended_by;
    const std::string& text = statement.sql.text();
    const std::string word = first_word(text);
    after_statement_ = false;
    if (word == "declare") {
      declare(text);
    } else if (word == "pragma" && statement.sql.joints() == 0) {
      pragmas_ += text + (statement.ended_by == StatementEnd::semicolon ? "\n" : ";\n");
    } else {
      add_yql(std::move(statement.sql), std::move(statement.mentions));
    }
    return statement.ended_by;
  }

  void add_yql(SqlText sql, std::vector<YqlMention> mentions) {
    SqlCommand command{std::move(sql)};
    command.pragmas = pragmas_;
    after_statement_ = true;
    for (YqlMention& mention : mentions) {
      const auto declared = std::ranges::find(declarations_, mention.name, &Declaration::name);
      if (mention.has_colon || declared == declarations_.end()) {
        undeclared_.push_back(std::move(mention));
      } else if (std::ranges::find(command.declared, mention.name, &Declaration::name) ==
                 command.declared.end()) {
        command.declared.push_back(*declared);
      }
    }
    add(std::move(command));
  }

  // Reads `DECLARE $name AS Type;`. A second declaration of a name applies to later statements.
  void declare(std::string_view statement) {
    if (statement.ends_with(';')) statement.remove_suffix(1);
    take_word(statement);  // DECLARE
    const std::string_view name = take_word(statement);
    if (!name.starts_with('$') || !is_variable_name(name.substr(1))) {
      refuse("expected DECLARE $name AS Type; with the name of a variable");
    }
    if (in_lower_case(take_word(statement)) != "as") {
      refuse(fmt::format("expected AS and a type after DECLARE {}", name));
    }
    std::string written = without_blanks(statement);
    const std::optional<ParameterType> type = parse_parameter_type(written);
    if (!type) {
      std::vector<std::string_view> names;
      for (const auto& [known, kind] : known_types) names.push_back(known);
      refuse(
          fmt::format("a parameter cannot have the type \"{}\". Expected {} and Decimal(22,9), "
                      "each also as Optional<…>",
                      text::shown(written), fmt::join(names, ", ")));
    }
    Declaration declaration{std::string(name.substr(1)), 0, *type, std::move(written)};
    declaration.slot = names_.slot_of(declaration.name);
    std::erase_if(declarations_,
                  [&](const Declaration& earlier) { return earlier.name == declaration.name; });
    declarations_.push_back(std::move(declaration));
  }

  // Refuses undeclared mentions of variables. Other names belong to YQL: $rows = SELECT …, or the
  // name after a colon.
  void require_declarations() const {
    for (const YqlMention& mention : undeclared_) {
      if (!names_.find(mention.name)) continue;
      throw source_.error_at(
          mention.offset,
          fmt::format("the variable {0} is a parameter in YQL: write DECLARE ${0} AS Int64; (or "
                      "another type) before this statement, and ${0} in it",
                      mention.name));
    }
  }

  // Reads from the backslash to the end of the line. As in pgbench, ignores a backslash alone.
  void read_meta() {
    const std::size_t begin = offset_++;
    const std::optional<Word> name = next_word();
    if (!name) return;
    command_ = {name->text, begin};
    const std::string lower = in_lower_case(name->text);
    const auto* known = std::ranges::find(meta_commands, lower, &MetaCommand::name);
    if (known == meta_commands.end()) {
      std::vector<std::string> names;
      for (const MetaCommand& command : meta_commands) {
        names.push_back("\\" + std::string(command.name));
      }
      refuse(fmt::format("invalid command \"\\{}\"{}", shown_bare(name->text),
                         text::did_you_mean("\\" + lower, names)));
    }
    known->read(*this);
  }

  void read_set() {
    const std::optional<Word> name = next_word();
    if (!name) refuse_at(offset_, "missing argument");
    require_variable_name(name->text, name->offset);
    const Slot variable = names_.slot_of(name->text);
    add(SetCommand{variable, read_expression()});
  }

  [[noreturn]] void refuse_setrandom() const {
    refuse("\\setrandom is no longer a command. Use \\set NAME random(…)");
  }
  [[noreturn]] void refuse_shell() const {
    refuse("shell commands are not supported, because they would block all clients");
  }

  // The unit may follow a number without a blank: 10ms.
  void read_pause(bool exponential) {
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

  void read_if() {
    conditions_.push_back({command_.offset, std::nullopt});
    add_branch(conditions_.back());
  }

  void read_elif() {
    OpenCondition& condition = open_condition(true);
    end_part(condition);
    add_branch(condition);
  }

  void read_else() {
    OpenCondition& condition = open_condition(true);
    require_no_more_words("unexpected argument");
    end_part(condition);
    condition.has_else = true;
  }

  void read_endif() {
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

  void read_storing(Storing storing) {
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

  void read_pipeline(PipelineStep step) {
    require_no_more_words("unexpected argument");
    add(PipelineCommand{step});
  }

  std::optional<Word> next_word() {
    offset_ = source_.skip_line_blanks(offset_);
    const std::size_t begin = offset_;
    while (offset_ < source_.text().size() && !is_blank(source_.at(offset_)) &&
           source_.continuation_at(offset_) == 0) {
      ++offset_;
    }
    if (offset_ == begin) return std::nullopt;
    return Word{source_.text().substr(begin, offset_ - begin), begin};
  }

  void require_no_more_words(std::string_view message) {
    if (const std::optional<Word> word = next_word()) refuse_at(word->offset, message);
  }

  void require_variable_name(std::string_view name, std::size_t offset) const {
    if (is_variable_name(name)) return;
    refuse_at(offset, fmt::format("invalid variable name ({})", shown_bare(name)));
  }

  Expression read_expression() {
    ParsedExpression parsed = parse_expression(source_, offset_, names_);
    offset_ = parsed.end;
    return std::move(parsed.expression);
  }

  std::variant<double, Slot> pause_amount(const Word& word, bool exponential) {
    if (word.text.starts_with(':')) {
      require_variable_name(word.text.substr(1), word.offset);
      return names_.slot_of(word.text.substr(1));
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
    refuse_at(word.offset,
              fmt::format("invalid sleep time, must be an integer up to 2147483647 ({})",
                          shown_bare(word.text)));
  }

  double unit_us(const Word& word) const {
    const std::string unit = in_lower_case(word.text);
    if (unit == "us") return 1;
    if (unit == "ms") return 1e3;
    if (unit == "s") return 1e6;
    refuse_at(word.offset, fmt::format("unrecognized time unit, must be us, ms or s ({})",
                                       shown_bare(word.text)));
  }

  OpenCondition& open_condition(bool before_else) {
    const std::string name = in_lower_case(command_.text);
    if (conditions_.empty()) refuse(fmt::format("\\{} without matching \\if", name));
    if (before_else && conditions_.back().has_else) refuse(fmt::format("\\{} after \\else", name));
    return conditions_.back();
  }

  void add_branch(OpenCondition& condition) {
    condition.branch = commands_.size();
    add(BranchCommand{read_expression(), 0});
  }

  // Ends a part with a jump to \endif. A false condition leads to the next part.
  void end_part(OpenCondition& condition) {
    condition.jumps_to_end.push_back(commands_.size());
    add(JumpCommand{0});
    std::get<BranchCommand>(commands_[*condition.branch].action).otherwise = commands_.size();
    condition.branch.reset();
  }

  template <class Action>
  void add(Action action) {
    commands_.push_back({command_.offset, std::move(action)});
  }

  // Throws ScriptError for the current command.
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
  Word command_{};  // the name of the current command, and the offset of its backslash
  std::vector<Command> commands_;
  bool after_statement_ = false;  // the last command is a statement, without \gset or \aset
  std::vector<OpenCondition> conditions_;
  std::string pragmas_;  // of YQL, so far
  std::vector<Declaration> declarations_;
  std::vector<YqlMention> undeclared_;  // names without a DECLARE; some may be variables
};

const std::array<ScriptParser::MetaCommand, 15> ScriptParser::meta_commands = {{
    {"set", [](ScriptParser& parser) { parser.read_set(); }},
    {"setrandom", [](ScriptParser& parser) { parser.refuse_setrandom(); }},
    {"sleep", [](ScriptParser& parser) { parser.read_pause(false); }},
    {"think", [](ScriptParser& parser) { parser.read_pause(true); }},
    {"setshell", [](ScriptParser& parser) { parser.refuse_shell(); }},
    {"shell", [](ScriptParser& parser) { parser.refuse_shell(); }},
    {"if", [](ScriptParser& parser) { parser.read_if(); }},
    {"elif", [](ScriptParser& parser) { parser.read_elif(); }},
    {"else", [](ScriptParser& parser) { parser.read_else(); }},
    {"endif", [](ScriptParser& parser) { parser.read_endif(); }},
    {"gset", [](ScriptParser& parser) { parser.read_storing(Storing::gset); }},
    {"aset", [](ScriptParser& parser) { parser.read_storing(Storing::aset); }},
    {"startpipeline", [](ScriptParser& parser) { parser.read_pipeline(PipelineStep::start); }},
    {"syncpipeline", [](ScriptParser& parser) { parser.read_pipeline(PipelineStep::sync); }},
    {"endpipeline", [](ScriptParser& parser) { parser.read_pipeline(PipelineStep::end); }},
}};

}  // namespace

std::optional<ParameterType> parse_parameter_type(std::string_view written) {
  const std::string compact = without_blanks(written);
  std::string_view rest = compact;
  bool optional = false;
  if (take_prefix(rest, "optional<")) {
    if (!rest.ends_with('>')) return std::nullopt;
    rest.remove_suffix(1);
    optional = true;
  } else if (rest.ends_with('?')) {
    rest.remove_suffix(1);
    optional = true;
  }
  std::optional<ParameterType> type = plain_type(rest);
  if (type) type->optional = optional;
  return type;
}

Script parse_script(std::string file, std::string text, VariableNames& names, Language language) {
  return ScriptParser(std::move(file), std::move(text), names, language).parse();
}

}  // namespace drover::sql
