#include "workload/sql/expression/expression_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <numbers>
#include <optional>
#include <string>
#include <utility>

#include "text/nearest_name.h"
#include "text/utf8.h"
#include "workload/sql/expression/expression_lexer.h"

namespace drover::sql {

namespace {

// From what binds least to what binds most. The operators of bits are all of one level.
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
  TokenKind token;
  Level level;
  Operation operation;
};

constexpr std::array<BinaryOperator, 18> binary_operators = {{
    {TokenKind::or_word, level_or, Operation::or_left},
    {TokenKind::and_word, level_and, Operation::and_left},
    {TokenKind::equal, level_comparison, Operation::equal},
    {TokenKind::not_equal, level_comparison, Operation::not_equal},
    {TokenKind::less, level_comparison, Operation::less},
    {TokenKind::less_or_equal, level_comparison, Operation::less_or_equal},
    {TokenKind::greater, level_comparison, Operation::greater},
    {TokenKind::greater_or_equal, level_comparison, Operation::greater_or_equal},
    {TokenKind::bar, level_bits, Operation::bit_or},
    {TokenKind::hash, level_bits, Operation::bit_xor},
    {TokenKind::ampersand, level_bits, Operation::bit_and},
    {TokenKind::shift_left, level_bits, Operation::shift_left},
    {TokenKind::shift_right, level_bits, Operation::shift_right},
    {TokenKind::plus, level_sum, Operation::add},
    {TokenKind::minus, level_sum, Operation::subtract},
    {TokenKind::times, level_product, Operation::multiply},
    {TokenKind::divided_by, level_product, Operation::divide},
    {TokenKind::percent, level_product, Operation::modulo},
}};

const BinaryOperator* find_binary(TokenKind token) {
  const auto found =
      std::find_if(binary_operators.begin(), binary_operators.end(),
                   [&](const BinaryOperator& known) { return known.token == token; });
  return found == binary_operators.end() ? nullptr : found;
}

struct Function {
  std::string_view name;
  Operation operation;
  std::size_t arguments_min;
  std::size_t arguments_max;
  bool seeded = false;  // the last argument is :default_seed where it is left out
};

constexpr std::size_t many = function_arguments_max;

// pi() is a constant, and has no operation.
constexpr std::array<Function, 21> functions = {{
    {"abs", Operation::absolute, 1, 1},
    {"debug", Operation::debug, 1, 1},
    {"double", Operation::to_double, 1, 1},
    {"exp", Operation::exponential, 1, 1},
    {"greatest", Operation::greatest, 1, many},
    {"hash", Operation::hash_murmur2, 1, 2, true},
    {"hash_fnv1a", Operation::hash_fnv1a, 1, 2, true},
    {"hash_murmur2", Operation::hash_murmur2, 1, 2, true},
    {"int", Operation::to_integer, 1, 1},
    {"least", Operation::least, 1, many},
    {"ln", Operation::logarithm, 1, 1},
    {"mod", Operation::modulo, 2, 2},
    {"permute", Operation::permute, 2, 3, true},
    {"pi", Operation::constant, 0, 0},
    {"pow", Operation::power, 2, 2},
    {"power", Operation::power, 2, 2},
    {"random", Operation::random, 2, 2},
    {"random_exponential", Operation::random_exponential, 3, 3},
    {"random_gaussian", Operation::random_gaussian, 3, 3},
    {"random_zipfian", Operation::random_zipfian, 3, 3},
    {"sqrt", Operation::square_root, 1, 1},
}};

// Puts the program together, and knows how many values wait at each point of it.
class Assembler {
 public:
  // False where more would wait than there is room for.
  [[nodiscard]] bool push(Operation operation, std::uint32_t operand) {
    code_.push_back({operation, 0, operand});
    return ++waiting_ <= stack_values_max;
  }

  [[nodiscard]] bool push_constant(Value value) {
    constants_.push_back(value);
    return push(Operation::constant, static_cast<std::uint32_t>(constants_.size() - 1));
  }

  // Takes so many values and leaves one.
  void compute(Operation operation, std::size_t arguments) {
    code_.push_back({operation, static_cast<std::uint8_t>(arguments), 0});
    waiting_ -= arguments - 1;
  }

  // A jump whose target is not known yet. All take the last value, or leave it where they jump and
  // the code behind it makes another: either way, it does not wait any more.
  std::size_t jump(Operation operation) {
    code_.push_back({operation, 0, 0});
    --waiting_;
    return code_.size() - 1;
  }

  void land(std::size_t jump) { code_[jump].operand = static_cast<std::uint32_t>(code_.size()); }

  Expression finish() { return {std::move(code_), std::move(constants_)}; }

 private:
  std::vector<Instruction> code_;
  std::vector<Value> constants_;
  std::size_t waiting_ = 0;
};

// By precedence climbing; each parse_… leaves one more value.
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

  bool accept(TokenKind kind) {
    if (token_.kind != kind) return false;
    advance();
    return true;
  }

  void expect(TokenKind kind, std::string_view what) {
    if (!accept(kind)) refuse_token(what);
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
    require_room(assembler_.push(Operation::variable, names_.slot_of(name)));
  }

  void parse_level(int level);
  void parse_binary(const BinaryOperator& binary);
  void parse_is();
  void parse_operand();
  bool parse_literal();
  bool parse_prefixed();
  bool parse_signs();
  void parse_variable();
  void parse_case();
  void parse_call();
  std::size_t parse_arguments();
  void finish_call(const Function& function, std::size_t given, const Token& name);

  const Source& source_;
  ExpressionLexer lexer_;
  VariableNames& names_;
  Assembler assembler_;
  Token token_;
  int nesting_ = 0;
};

// Operators of this level and of those above it. Comparisons stand alone: 1 < 2 < 3 means nothing.
void ExpressionParser::parse_level(int level) {
  parse_operand();
  bool compared = false;
  for (;;) {
    const TokenKind kind = token_.kind;
    const BinaryOperator* binary = find_binary(kind);
    if (kind == TokenKind::is_word || kind == TokenKind::isnull_word ||
        kind == TokenKind::notnull_word) {
      if (level > level_is) break;
      parse_is();
      compared = false;
    } else if (binary != nullptr && binary->level >= level) {
      const bool comparison = binary->level == level_comparison;
      if (comparison && compared) refuse_token("no second comparison");
      parse_binary(*binary);
      compared = comparison;
    } else {
      break;
    }
  }
}

void ExpressionParser::parse_binary(const BinaryOperator& binary) {
  advance();
  if (binary.level <= level_and) {
    const std::size_t decided = assembler_.jump(binary.operation);
    parse_level(binary.level + 1);
    assembler_.compute(Operation::logical_right, 1);
    assembler_.land(decided);
  } else {
    parse_level(binary.level + 1);
    assembler_.compute(binary.operation, 2);
  }
}

// ISNULL, NOTNULL, IS [NOT] NULL | TRUE | FALSE
void ExpressionParser::parse_is() {
  const TokenKind kind = token_.kind;
  advance();
  bool negated = kind == TokenKind::notnull_word;
  if (kind == TokenKind::is_word) {
    negated = accept(TokenKind::not_word);
    if (token_.kind != TokenKind::null_word && token_.kind != TokenKind::true_word &&
        token_.kind != TokenKind::false_word) {
      refuse_token(negated ? "NULL, TRUE or FALSE" : "NULL, TRUE, FALSE or NOT");
    }
    parse_literal();
  } else {
    push(Value::null());
  }
  assembler_.compute(Operation::is, 2);
  if (negated) assembler_.compute(Operation::logical_not, 1);
}

void ExpressionParser::parse_operand() {
  enter();
  if (!parse_literal() && !parse_prefixed()) {
    if (accept(TokenKind::left_parenthesis)) {
      parse_level(level_or);
      expect(TokenKind::right_parenthesis, "\")\"");
    } else if (token_.kind == TokenKind::variable) {
      parse_variable();
    } else if (accept(TokenKind::case_word)) {
      parse_case();
    } else if (token_.kind == TokenKind::word) {
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

bool ExpressionParser::parse_literal() {
  switch (token_.kind) {
    case TokenKind::integer:
      push(Value::of(token_.integer));
      break;
    case TokenKind::real:
      push(Value::of(token_.real));
      break;
    case TokenKind::null_word:
      push(Value::null());
      break;
    case TokenKind::true_word:
    case TokenKind::false_word:
      push(Value::of(token_.kind == TokenKind::true_word));
      break;
    default:
      return false;
  }
  advance();
  return true;
}

// Parses any number of plus and minus signs. As in pgbench, -x is 0 - x.
bool ExpressionParser::parse_signs() {
  std::size_t minuses = 0;
  TokenKind last = TokenKind::end;
  for (; token_.kind == TokenKind::plus || token_.kind == TokenKind::minus; advance()) {
    last = token_.kind;
    if (last == TokenKind::minus) ++minuses;
  }
  if (last == TokenKind::end) return false;
  if (last == TokenKind::minus && accept(TokenKind::smallest_integer)) {
    push(Value::of(std::numeric_limits<std::int64_t>::min()));
    --minuses;
  } else {
    parse_operand();
  }
  for (; minuses > 0; --minuses) assembler_.compute(Operation::negate, 1);
  return true;
}

// Parses a prefix ~. As in pgbench, ~x is -1 # x with the precedence of the bit operators: ~1 + 2
// is ~(1 + 2).
bool ExpressionParser::parse_prefixed() {
  if (parse_signs()) return true;
  if (accept(TokenKind::tilde)) {
    push(Value::of(std::int64_t{-1}));
    parse_level(level_bits + 1);
    assembler_.compute(Operation::bit_xor, 2);
  } else if (accept(TokenKind::not_word)) {
    parse_level(level_not);
    assembler_.compute(Operation::logical_not, 1);
  } else {
    return false;
  }
  return true;
}

void ExpressionParser::parse_variable() {
  if (!is_variable_name(token_.text)) {
    throw source_.error_at(token_.begin,
                           fmt::format("invalid variable name ({})", shown_bare(token_.text)));
  }
  push_variable(token_.text);
  advance();
}

// Behind CASE.
void ExpressionParser::parse_case() {
  std::vector<std::size_t> to_end;
  if (token_.kind != TokenKind::when_word) refuse_token("WHEN");
  while (accept(TokenKind::when_word)) {
    parse_level(level_or);
    expect(TokenKind::then_word, "THEN");
    const std::size_t to_next = assembler_.jump(Operation::jump_unless);
    parse_level(level_or);
    to_end.push_back(assembler_.jump(Operation::jump));
    assembler_.land(to_next);
  }
  if (accept(TokenKind::else_word)) {
    parse_level(level_or);
  } else {
    push(Value::null());
  }
  expect(TokenKind::end_word, "END");
  for (const std::size_t jump : to_end) assembler_.land(jump);
}

void ExpressionParser::parse_call() {
  const Token name = token_;
  advance();
  const std::string lower = in_lower_case(name.text);
  const auto function = std::find_if(functions.begin(), functions.end(),
                                     [&](const Function& known) { return known.name == lower; });
  if (function == functions.end()) {
    std::vector<std::string> known;
    for (const Function& one : functions) known.emplace_back(one.name);
    throw source_.error_at(name.begin,
                           fmt::format("unexpected function name ({}){}", text::shown(name.text),
                                       text::did_you_mean(lower, known)));
  }
  expect(TokenKind::left_parenthesis, "\"(\"");
  finish_call(*function, parse_arguments(), name);
}

// Behind "(", to ")".
std::size_t ExpressionParser::parse_arguments() {
  std::size_t count = 0;
  if (accept(TokenKind::right_parenthesis)) return count;
  do {
    parse_level(level_or);
    ++count;
  } while (accept(TokenKind::comma));
  expect(TokenKind::right_parenthesis, "\")\" or \",\"");
  return count;
}

void ExpressionParser::finish_call(const Function& function, std::size_t given, const Token& name) {
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
  if (function.operation == Operation::constant) return push(Value::of(std::numbers::pi));
  if (function.seeded && given < function.arguments_max) {
    push_variable("default_seed");
    ++given;
  }
  assembler_.compute(function.operation, given);
}

}  // namespace

ParsedExpression parse_expression(const Source& source, std::size_t offset, VariableNames& names) {
  return ExpressionParser(source, offset, names).parse();
}

}  // namespace drover::sql
