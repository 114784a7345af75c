// Expression: what stands behind \set, \if and \elif, as a program for a small stack machine. It is made once, when the
// script is read (expression_parser.h), and evaluated for each transaction: without allocation, without looking up a
// name, and without recursion. The semantics of operators and functions are those of pgbench 15.
//
// Thread safety: an expression is constant; any thread may evaluate it with variables and numbers of its own.
// Invariants: jumps go forward only, so that an evaluation ends; at its end one value is left; at most
// `stack_values_max` are there at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "random/rng.h"
#include "workload/sql/expression/value.h"
#include "workload/sql/expression/variables.h"

namespace drover::sql {

// An expression that needs more values at the same time is refused when it is parsed: 1 + (2 + (3 +
// …)) needs one value per level.
inline constexpr std::size_t stack_values_max = 1'024;
// The same limit for nested parentheses, calls, CASE and NOT.
inline constexpr int expression_levels_max = 500;
// A function has at most so many arguments, as in pgbench.
inline constexpr std::size_t function_arguments_max = 16;

enum class Operation : std::uint8_t {
  // Push a value: operand is the index of a constant, or a slot.
  constant,
  variable,
  // Take two values and push one.
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
  // Takes one value and pushes one.
  logical_not,
  negate,
  // Behind the left side of AND or OR: where that decides, it stays as the result and the operand is the jump's target.
  and_left,
  or_left,
  // Behind the right side: the boolean, or null, is the result.
  logical_right,
  // Takes a value, and jumps if it is not true; and a jump in any case.
  jump_unless,
  jump,
  // Functions: take `arguments` values and push one.
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
  Operation operation;
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

// What a client's expressions are evaluated with.
struct Environment {
  Variables& variables;
  random::Rng& random;
  std::function<void(Value)> on_debug = nullptr;  // hears what debug() is given
};

// Throws EvaluationError.
Value evaluate(const Expression& expression, Environment& environment);

}  // namespace drover::sql
