// Expression: the expression of a \set, \if or \elif, as a program for a small stack machine. The
// program is made once, when the script is read. Evaluation allocates nothing, looks up no name and
// does not recurse. Operators and functions behave as in pgbench 15.
//
// Thread safety: an expression is constant. Each evaluation has its own variables and random
// numbers. Invariants: jumps lead forward only, so every evaluation ends. One value is left at the
// end. The stack has at most `stack_values_max` values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "random/rng.h"
#include "workload/sql/expression/variables.h"
#include "workload/sql/script/source.h"

namespace drover::sql {

// Limits of the parser. 1 + (2 + (3 + …)) needs one stack value per level.
inline constexpr std::size_t stack_values_max = 1'024;
// Levels of nested parentheses, calls, CASE and NOT.
inline constexpr int expression_levels_max = 500;
// Arguments of a function, as in pgbench.
inline constexpr std::size_t function_arguments_max = 16;

enum class Opcode : std::uint8_t {
  // Push a value. The operand is the index of a constant, or a slot.
  constant,
  variable,
  // Pop two values and push one. The order of these opcodes matters to the evaluation.
  add,
  subtract,
  multiply,
  divide,
  modulo,
  equal,
  not_equal,
  less,
  less_or_equal,
  greater,
  greater_or_equal,
  bit_and,
  bit_or,
  bit_xor,
  shift_left,
  shift_right,
  is,
  // Pop one value and push one.
  logical_not,
  negate,
  // Follow the left side of AND and OR. If the left side decides, it stays as the result, and the
  // evaluation jumps to the operand.
  and_left,
  or_left,
  // Follows the right side, whose boolean or null is the result.
  logical_right,
  // Pops a value, and jumps unless the value is true.
  jump_unless,
  jump,
  // Functions: pop `arguments` values and push one.
  absolute,
  debug,
  to_double,
  exponential,
  greatest,
  hash_fnv1a,
  hash_murmur2,
  to_integer,
  least,
  logarithm,
  permute,
  power,
  random,
  random_exponential,
  random_gaussian,
  random_zipfian,
  square_root,
};

struct Instruction {
  Opcode opcode;
  std::uint8_t arguments = 0;
  std::uint32_t operand = 0;
};

class Expression {
 public:
  Expression(std::vector<Instruction> code, std::vector<Value> constants)
      : code_(std::move(code)), constants_(std::move(constants)) {}

  const std::vector<Instruction>& code() const noexcept { return code_; }
  Value constant(std::uint32_t index) const { return constants_[index]; }

 private:
  std::vector<Instruction> code_;
  std::vector<Value> constants_;
};

struct ParsedExpression {
  Expression expression;
  std::size_t end;  // offset of the end of the line or of the text
};

// Parses the expression from `offset` to the end of the line, and assigns slots to its variables.
// Throws ScriptError, including for expressions above stack_values_max or expression_levels_max.
ParsedExpression parse_expression(const Source& source, std::size_t offset, VariableNames& names);

// The variables and random numbers of a client for its expressions.
struct EvaluationContext {
  Variables& variables;
  random::Rng& random;
  std::function<void(Value)> on_debug = nullptr;  // receives the arguments of debug()
};

// Throws EvaluationError.
Value evaluate(const Expression& expression, EvaluationContext& context);

// The random_*, hash_* and permute() functions of pgbench's scripts. Pure functions, except that
// random numbers come from the generator passed in, so they differ from pgbench's.
//
// The *_integer() functions draw an integer from low … high, both included.
// Require: low <= high, and high - low + 1 is below 2^63.

std::int64_t uniform_integer(random::Rng& rng, std::int64_t low, std::int64_t high);

// Draws from a truncated distribution with the density exp(-parameter * (x - low) / (high - low +
// 1)). Requires: parameter > 0.
std::int64_t exponential_integer(random::Rng& rng, std::int64_t low, std::int64_t high,
                                 double parameter);

// Draws from a normal distribution that is cut at `parameter` standard deviations on both sides.
// Requires: parameter >= 2, finite.
std::int64_t gaussian_integer(random::Rng& rng, std::int64_t low, std::int64_t high,
                              double parameter);

// Draws low + k - 1 with a probability proportional to k^-parameter.
// Requires: 1.001 <= parameter <= 1000.
std::int64_t zipfian_integer(random::Rng& rng, std::int64_t low, std::int64_t high,
                             double parameter);

// Hashes and permutations equal those of PostgreSQL 15 and later, so that a script that spreads its
// keys with them touches the same rows as under pgbench.

// Returns the FNV-1a hash of the eight bytes, lowest first. The seed is mixed into the basis.
std::int64_t hash_fnv1a(std::int64_t value, std::int64_t seed) noexcept;

// Returns the MurmurHash2 (64A) of the eight bytes.
std::int64_t hash_murmur2(std::int64_t value, std::int64_t seed) noexcept;

// Returns the place of value modulo size in a permutation of 0 … size - 1 that the seed selects.
// Requires: size > 0.
std::int64_t permute(std::int64_t value, std::int64_t size, std::int64_t seed) noexcept;

}  // namespace drover::sql
