#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <string_view>
#include <utility>

#include "text/nearest_name.h"
#include "text/plain_text.h"
#include "text/utf8.h"
#include "workload/sql/expression/expression.h"

namespace drover::sql {
namespace {

constexpr std::array<std::string_view, 14> reserved_words = {
    "and",  "or",    "not",  "is",   "isnull", "notnull", "null",
    "true", "false", "case", "when", "then",   "else",    "end"};

// Symbols precede their prefixes, because the lexer takes the first match.
constexpr std::array<std::string_view, 21> symbols = {"<=", ">=", "<>", "!=", "<<", ">>", "+",
                                                      "-",  "*",  "/",  "%",  "(",  ")",  ",",
                                                      "=",  "<",  ">",  "|",  "#",  "&",  "~"};

enum class TokenKind : std::uint8_t {
  end,
  integer,
  smallest_integer,  // 9223372036854775808, which is valid only after a minus
  real,
  variable,
  function,
  keyword,  // a reserved word or a symbol
};

struct Token {
  TokenKind kind = TokenKind::end;
  std::size_t begin = 0;          // offset in the source
  std::string_view text = {};     // as written, but without the colon of a variable
  std::string_view keyword = {};  // in lower case; empty for other kinds
  std::int64_t integer = 0;
  double real = 0;
};

// Reads the tokens of a line. A backslash before the end of a line continues the line.
class ExpressionLexer {
 public:
  ExpressionLexer(const Source& source, std::size_t offset) : source_(source), offset_(offset) {}

  std::size_t offset() const noexcept { return offset_; }

  // Returns a token of kind `end` at the end of the line. Throws ScriptError.
  Token next() {
    offset_ = source_.skip_line_blanks(offset_);
    const char first = source_.at(offset_);
    const char second = source_.at(offset_ + 1);
    if (offset_ >= source_.text().size() || first == '\n') return take(TokenKind::end, offset_);
    if (is_decimal_digit(first) || (first == '.' && is_decimal_digit(second))) return number();
    if (begins_name(first)) return word();
    if (first == ':' && is_name_byte(second)) {
      Token token = take(TokenKind::variable, source_.skip_name(offset_ + 1));
      token.text.remove_prefix(1);
      return token;
    }
    return symbol();
  }

 private:
  Token take(TokenKind kind, std::size_t end) {
    const std::size_t begin = std::exchange(offset_, end);
    return {.kind = kind, .begin = begin, .text = source_.text().substr(begin, end - begin)};
  }

  Token word() {
    Token token = take(TokenKind::function, source_.skip_name(offset_));
    const auto reserved = std::ranges::find(reserved_words, in_lower_case(token.text));
    if (reserved == reserved_words.end()) return token;
    token.kind = TokenKind::keyword;
    token.keyword = *reserved;
    return token;
  }

  Token symbol() {
    const std::string_view rest = source_.text().substr(offset_);
    for (const std::string_view known : symbols) {
      if (!rest.starts_with(known)) continue;
      Token token = take(TokenKind::keyword, offset_ + known.size());
      token.keyword = known;
      return token;
    }
    const std::size_t bytes = text::first_character(rest).bytes;
    throw source_.error_at(
        offset_, fmt::format("unexpected character ({})", shown_bare(rest.substr(0, bytes))));
  }

  Token number() {
    const std::size_t digits_end = skip_digits(offset_);
    std::size_t end = digits_end;
    if (source_.at(end) == '.') end = skip_digits(end + 1);
    end = skip_exponent(end);
    return end == digits_end ? integer(end) : real(end);
  }

  Token integer(std::size_t end) {
    Token token = take(TokenKind::integer, end);
    if (token.text == "9223372036854775808") {
      token.kind = TokenKind::smallest_integer;
    } else if (const auto integer = text::number_of<std::int64_t>(token.text)) {
      token.integer = *integer;
    } else {
      throw source_.error_at(token.begin,
                             fmt::format("bigint constant overflow ({})", text::shown(token.text)));
    }
    return token;
  }

  // Refuses subnormal numbers, like pgbench.
  Token real(std::size_t end) {
    Token token = take(TokenKind::real, end);
    const auto real = text::number_of<double>(token.text);
    if (!real || std::fpclassify(*real) == FP_SUBNORMAL) {
      throw source_.error_at(token.begin,
                             fmt::format("double constant overflow ({})", text::shown(token.text)));
    }
    token.real = *real;
    return token;
  }

  std::size_t skip_digits(std::size_t offset) const {
    while (is_decimal_digit(source_.at(offset))) ++offset;
    return offset;
  }

  // Skips 'e', an optional sign and digits. Returns `offset` if they are incomplete.
  std::size_t skip_exponent(std::size_t offset) const {
    if (source_.at(offset) != 'e' && source_.at(offset) != 'E') return offset;
    const char sign = source_.at(offset + 1);
    const std::size_t digits = offset + (sign == '+' || sign == '-' ? 2 : 1);
    const std::size_t end = skip_digits(digits);
    return end == digits ? offset : end;
  }

  const Source& source_;
  std::size_t offset_;
};

// Levels of precedence, lowest first. All bit operators have the same level.
enum Level : int {
  level_or = 1,
  level_and,
  level_not,
  level_is,
  level_comparison,
  level_bits,
  level_sum,
  level_product,
};

struct BinaryOperator {
  std::string_view keyword;
  Level level;
  Opcode opcode;
};

constexpr std::array<BinaryOperator, 19> binary_operators = {{
    {"or", level_or, Opcode::or_left},
    {"and", level_and, Opcode::and_left},
    {"=", level_comparison, Opcode::equal},
    {"<>", level_comparison, Opcode::not_equal},
    {"!=", level_comparison, Opcode::not_equal},
    {"<", level_comparison, Opcode::less},
    {"<=", level_comparison, Opcode::less_or_equal},
    {">", level_comparison, Opcode::greater},
    {">=", level_comparison, Opcode::greater_or_equal},
    {"|", level_bits, Opcode::bit_or},
    {"#", level_bits, Opcode::bit_xor},
    {"&", level_bits, Opcode::bit_and},
    {"<<", level_bits, Opcode::shift_left},
    {">>", level_bits, Opcode::shift_right},
    {"+", level_sum, Opcode::add},
    {"-", level_sum, Opcode::subtract},
    {"*", level_product, Opcode::multiply},
    {"/", level_product, Opcode::divide},
    {"%", level_product, Opcode::modulo},
}};

struct Function {
  std::string_view name;
  Opcode opcode;
  std::size_t arguments_min;
  std::size_t arguments_max;
  bool seeded = false;  // the default of the last argument is :default_seed
};

constexpr std::size_t many = function_arguments_max;

// pi() becomes a constant.
constexpr std::array<Function, 21> functions = {{
    {"abs", Opcode::absolute, 1, 1},
    {"debug", Opcode::debug, 1, 1},
    {"double", Opcode::to_double, 1, 1},
    {"exp", Opcode::exponential, 1, 1},
    {"greatest", Opcode::greatest, 1, many},
    {"hash", Opcode::hash_murmur2, 1, 2, true},
    {"hash_fnv1a", Opcode::hash_fnv1a, 1, 2, true},
    {"hash_murmur2", Opcode::hash_murmur2, 1, 2, true},
    {"int", Opcode::to_integer, 1, 1},
    {"least", Opcode::least, 1, many},
    {"ln", Opcode::logarithm, 1, 1},
    {"mod", Opcode::modulo, 2, 2},
    {"permute", Opcode::permute, 2, 3, true},
    {"pi", Opcode::constant, 0, 0},
    {"pow", Opcode::power, 2, 2},
    {"power", Opcode::power, 2, 2},
    {"random", Opcode::random, 2, 2},
    {"random_exponential", Opcode::random_exponential, 3, 3},
    {"random_gaussian", Opcode::random_gaussian, 3, 3},
    {"random_zipfian", Opcode::random_zipfian, 3, 3},
    {"sqrt", Opcode::square_root, 1, 1},
}};

// Builds the program, and counts the values on the stack after each instruction.
class Assembler {
 public:
  // Return false if the stack would overflow.
  [[nodiscard]] bool push(Opcode opcode, std::uint32_t operand) {
    code_.push_back({opcode, 0, operand});
    return ++stack_size_ <= stack_values_max;
  }

  [[nodiscard]] bool push_constant(Value value) {
    constants_.push_back(value);
    return push(Opcode::constant, static_cast<std::uint32_t>(constants_.size() - 1));
  }

  // Replaces `arguments` values by one.
  void compute(Opcode opcode, std::size_t arguments) {
    code_.push_back({opcode, static_cast<std::uint8_t>(arguments), 0});
    stack_size_ -= arguments - 1;
  }

  // Adds a jump, and returns its index for land(). Counts one value less: the jump pops it, or it
  // is the result in place of the value of the skipped code.
  std::size_t jump(Opcode opcode) {
    code_.push_back({opcode, 0, 0});
    --stack_size_;
    return code_.size() - 1;
  }

  // Makes the next instruction the target of the jump.
  void land(std::size_t jump) { code_[jump].operand = static_cast<std::uint32_t>(code_.size()); }

  Expression finish() { return {std::move(code_), std::move(constants_)}; }

 private:
  std::vector<Instruction> code_;
  std::vector<Value> constants_;
  std::size_t stack_size_ = 0;
};

// Parses by precedence climbing. The code of each parse_…() function pushes one value.
class ExpressionParser {
 public:
  ExpressionParser(const Source& source, std::size_t offset, VariableNames& names)
      : source_(source), lexer_(source, offset), names_(names) {
    advance();
  }

  ParsedExpression parse() {
    parse_level(level_or);
    if (token_.kind != TokenKind::end) refuse_token("the end of the expression");
    return {assembler_.finish(), lexer_.offset()};
  }

 private:
  void advance() { token_ = lexer_.next(); }

  bool at(std::string_view keyword) const { return token_.keyword == keyword; }

  bool accept(std::string_view keyword) {
    if (!at(keyword)) return false;
    advance();
    return true;
  }

  void expect(std::string_view keyword, std::string_view expected) {
    if (!accept(keyword)) refuse_token(expected);
  }

  [[noreturn]] void refuse_token(std::string_view expected) const {
    const std::string found = token_.kind == TokenKind::end
                                  ? "the end of the line"
                                  : fmt::format("\"{}\"", text::shown(token_.text));
    throw source_.error_at(token_.begin,
                           fmt::format("syntax error: expected {}, found {}", expected, found));
  }

  void require_room(bool room) const {
    if (room) return;
    throw source_.error_at(
        token_.begin,
        fmt::format("the expression is too large: at some point, more than {} operands are pending",
                    stack_values_max));
  }

  void enter() {
    if (nesting_++ <= expression_levels_max) return;
    throw source_.error_at(
        token_.begin, fmt::format("the expression has more than {} levels", expression_levels_max));
  }

  void push(Value value) { require_room(assembler_.push_constant(value)); }

  void push_variable(std::string_view name) {
    require_room(assembler_.push(Opcode::variable, names_.slot_of(name)));
  }

  // Parses an operand and all operators of this level and higher ones. Refuses 1 < 2 < 3, because
  // comparisons do not associate.
  void parse_level(int level) {
    parse_operand();
    bool compared = false;
    for (;;) {
      const auto* binary =
          std::ranges::find(binary_operators, token_.keyword, &BinaryOperator::keyword);
      if (at("is") || at("isnull") || at("notnull")) {
        if (level > level_is) break;
        parse_is();
        compared = false;
      } else if (binary != binary_operators.end() && binary->level >= level) {
        const bool comparison = binary->level == level_comparison;
        if (comparison && compared) refuse_token("no second comparison");
        parse_binary(*binary);
        compared = comparison;
      } else {
        break;
      }
    }
  }

  void parse_binary(const BinaryOperator& binary) {
    advance();
    if (binary.level <= level_and) {
      const std::size_t decided = assembler_.jump(binary.opcode);
      parse_level(binary.level + 1);
      assembler_.compute(Opcode::logical_right, 1);
      assembler_.land(decided);
    } else {
      parse_level(binary.level + 1);
      assembler_.compute(binary.opcode, 2);
    }
  }

  // Parses ISNULL, NOTNULL, IS [NOT] NULL | TRUE | FALSE.
  void parse_is() {
    bool negated = at("notnull");
    const bool has_literal = at("is");
    advance();
    if (has_literal) {
      negated = accept("not");
      if (!at("null") && !at("true") && !at("false")) {
        refuse_token(negated ? "NULL, TRUE or FALSE" : "NULL, TRUE, FALSE or NOT");
      }
      parse_literal();
    } else {
      push(Value::null());
    }
    assembler_.compute(Opcode::is, 2);
    if (negated) assembler_.compute(Opcode::logical_not, 1);
  }

  void parse_operand() {
    enter();
    if (!parse_literal() && !parse_prefixed()) {
      if (accept("(")) {
        parse_level(level_or);
        expect(")", "\")\"");
      } else if (token_.kind == TokenKind::variable) {
        parse_variable();
      } else if (accept("case")) {
        parse_case();
      } else if (token_.kind == TokenKind::function) {
        parse_call();
      } else if (token_.kind == TokenKind::smallest_integer) {
        throw source_.error_at(token_.begin,
                               fmt::format("bigint constant overflow ({})", token_.text));
      } else {
        refuse_token("a value");
      }
    }
    --nesting_;
  }

  bool parse_literal() {
    if (token_.kind == TokenKind::integer) {
      push(Value::of(token_.integer));
    } else if (token_.kind == TokenKind::real) {
      push(Value::of(token_.real));
    } else if (at("null")) {
      push(Value::null());
    } else if (at("true") || at("false")) {
      push(Value::of(at("true")));
    } else {
      return false;
    }
    advance();
    return true;
  }

  // Parses signs, ~ or NOT. As in pgbench, ~x is -1 # x with the precedence of the bit operators:
  // ~1 + 2 is ~(1 + 2).
  bool parse_prefixed() {
    if (parse_signs()) return true;
    if (accept("~")) {
      push(Value::of(std::int64_t{-1}));
      parse_level(level_bits + 1);
      assembler_.compute(Opcode::bit_xor, 2);
    } else if (accept("not")) {
      parse_level(level_not);
      assembler_.compute(Opcode::logical_not, 1);
    } else {
      return false;
    }
    return true;
  }

  // Parses any number of plus and minus signs. As in pgbench, -x is 0 - x.
  bool parse_signs() {
    std::size_t minuses = 0;
    std::string_view last;
    for (; at("+") || at("-"); advance()) {
      last = token_.keyword;
      if (last == "-") ++minuses;
    }
    if (last.empty()) return false;
    if (last == "-" && token_.kind == TokenKind::smallest_integer) {
      push(Value::of(std::numeric_limits<std::int64_t>::min()));
      advance();
      --minuses;
    } else {
      parse_operand();
    }
    for (; minuses > 0; --minuses) assembler_.compute(Opcode::negate, 1);
    return true;
  }

  void parse_variable() {
    if (!is_variable_name(token_.text)) {
      throw source_.error_at(token_.begin,
                             fmt::format("invalid variable name ({})", shown_bare(token_.text)));
    }
    push_variable(token_.text);
    advance();
  }

  // Parses the rest of a CASE.
  void parse_case() {
    std::vector<std::size_t> to_end;
    if (!at("when")) refuse_token("WHEN");
    while (accept("when")) {
      parse_level(level_or);
      expect("then", "THEN");
      const std::size_t to_next = assembler_.jump(Opcode::jump_unless);
      parse_level(level_or);
      to_end.push_back(assembler_.jump(Opcode::jump));
      assembler_.land(to_next);
    }
    if (accept("else")) {
      parse_level(level_or);
    } else {
      push(Value::null());
    }
    expect("end", "END");
    for (const std::size_t jump : to_end) assembler_.land(jump);
  }

  void parse_call() {
    const Token name = token_;
    advance();
    const std::string lower = in_lower_case(name.text);
    const auto* function = std::ranges::find(functions, lower, &Function::name);
    if (function == functions.end()) {
      std::vector<std::string> known;
      for (const Function& one : functions) known.emplace_back(one.name);
      throw source_.error_at(name.begin,
                             fmt::format("unexpected function name ({}){}", text::shown(name.text),
                                         text::did_you_mean(lower, known)));
    }
    expect("(", "\"(\"");
    finish_call(*function, parse_arguments(), name);
  }

  // Parses the arguments after "(" and the closing ")". Returns their number.
  std::size_t parse_arguments() {
    std::size_t count = 0;
    if (accept(")")) return count;
    do {
      parse_level(level_or);
      ++count;
    } while (accept(","));
    expect(")", "\")\" or \",\"");
    return count;
  }

  void finish_call(const Function& function, std::size_t given, const Token& name) {
    const auto refuse = [&](std::string_view message) {
      throw source_.error_at(name.begin, fmt::format("{} ({})", message, function.name));
    };
    if (function.arguments_max == many && given == 0) refuse("at least one argument expected");
    if (function.arguments_max == many && given > many) {
      refuse(fmt::format("too many function arguments, maximum is {}", many));
    }
    if (given < function.arguments_min || given > function.arguments_max) {
      refuse("unexpected number of arguments");
    }
    if (function.opcode == Opcode::constant) return push(Value::of(std::numbers::pi));
    if (function.seeded && given < function.arguments_max) {
      push_variable("default_seed");
      ++given;
    }
    assembler_.compute(function.opcode, given);
  }

  const Source& source_;
  ExpressionLexer lexer_;
  VariableNames& names_;
  Assembler assembler_;
  Token token_;
  int nesting_ = 0;
};

}  // namespace

ParsedExpression parse_expression(const Source& source, std::size_t offset, VariableNames& names) {
  return ExpressionParser(source, offset, names).parse();
}

}  // namespace drover::sql
