#include "workload/sql/expression/expression.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>
#include <span>

#include "workload/sql/expression/distributions.h"
#include "workload/sql/expression/hashes.h"

namespace drover::sql {

namespace {

[[noreturn]] void refuse(const char* message) {
  throw EvaluationError(message);
}

std::int64_t divided(std::int64_t left, std::int64_t right) {
  if (right == 0) refuse("division by zero");
  if (right != -1) return left / right;
  if (left == std::numeric_limits<std::int64_t>::min()) refuse("bigint div out of range");
  return -left;
}

std::int64_t remainder(std::int64_t left, std::int64_t right) {
  if (right == 0) refuse("division by zero");
  return right == -1 ? 0 : left % right;  // the smallest integer has no quotient by -1
}

template <class Number>
Value compared(Operation operation, Number left, Number right) {
  switch (operation) {
    case Operation::equal:
      return Value::of(left == right);
    case Operation::not_equal:
      return Value::of(left != right);
    case Operation::less:
      return Value::of(left < right);
    case Operation::less_or_equal:
      return Value::of(left <= right);
    case Operation::greater:
      return Value::of(left > right);
    default:
      return Value::of(left >= right);
  }
}

Value integers(Operation operation, std::int64_t left, std::int64_t right) {
  std::int64_t result = 0;
  switch (operation) {
    case Operation::add:
      if (__builtin_add_overflow(left, right, &result)) refuse("bigint add out of range");
      return Value::of(result);
    case Operation::subtract:
      if (__builtin_sub_overflow(left, right, &result)) refuse("bigint sub out of range");
      return Value::of(result);
    case Operation::multiply:
      if (__builtin_mul_overflow(left, right, &result)) refuse("bigint mul out of range");
      return Value::of(result);
    case Operation::divide:
      return Value::of(divided(left, right));
    case Operation::modulo:
      return Value::of(remainder(left, right));
    default:
      return compared(operation, left, right);
  }
}

Value reals(Operation operation, double left, double right) {
  switch (operation) {
    case Operation::add:
      return Value::of(left + right);
    case Operation::subtract:
      return Value::of(left - right);
    case Operation::multiply:
      return Value::of(left * right);
    case Operation::divide:
      return Value::of(left / right);
    default:
      return compared(operation, left, right);
  }
}

// Doubles if one of them is, save for the remainder, which is one of integers.
Value arithmetic(Operation operation, Value left, Value right) {
  if (left.is_integer() && right.is_integer()) {
    return integers(operation, left.integer(), right.integer());
  }
  if (left.is_null() || right.is_null()) return Value::null();
  if ((left.is_real() || right.is_real()) && operation != Operation::modulo) {
    return reals(operation, left.to_real(), right.to_real());
  }
  return integers(operation, left.to_integer(), right.to_integer());
}

// Shifts go by the lowest six bits, as on the processors on which pgbench runs: C leaves the others open.
Value bitwise(Operation operation, Value left, Value right) {
  if (left.is_null() || right.is_null()) return Value::null();
  const std::int64_t bits = left.to_integer();
  const std::int64_t other = right.to_integer();
  switch (operation) {
    case Operation::bit_and:
      return Value::of(bits & other);
    case Operation::bit_or:
      return Value::of(bits | other);
    case Operation::bit_xor:
      return Value::of(bits ^ other);
    case Operation::shift_left:
      return Value::of(static_cast<std::int64_t>(static_cast<std::uint64_t>(bits) << (other & 63)));
    default:
      return Value::of(bits >> (other & 63));
  }
}

using Arguments = std::span<const Value>;

bool any_null(Arguments arguments) {
  for (const Value value : arguments) {
    if (value.is_null()) return true;
  }
  return false;
}

Value absolute_of(Value value) {
  if (value.is_real()) return Value::of(std::fabs(value.real()));
  const std::int64_t integer = value.to_integer();
  // The smallest one has none, and stays as it is in pgbench, too.
  if (integer == std::numeric_limits<std::int64_t>::min()) return Value::of(integer);
  return Value::of(integer < 0 ? -integer : integer);
}

// In pgbench's order of comparing, which matters where one is not a number.
Value extreme(Arguments arguments, bool greatest) {
  bool real = false;
  for (const Value value : arguments) real = real || value.is_real();
  if (real) {
    double result = arguments[0].to_real();
    for (const Value value : arguments) {
      const double other = value.to_real();
      result = (greatest ? result > other : result < other) ? result : other;
    }
    return Value::of(result);
  }
  std::int64_t result = arguments[0].to_integer();
  for (const Value value : arguments) {
    const std::int64_t other = value.to_integer();
    result = (greatest ? result > other : result < other) ? result : other;
  }
  return Value::of(result);
}

struct Range {
  std::int64_t low;
  std::int64_t high;
};

Range range_of(Arguments arguments) {
  const Range range{arguments[0].to_integer(), arguments[1].to_integer()};
  if (range.low > range.high) refuse("empty range given to random");
  std::int64_t size = 0;
  if (__builtin_sub_overflow(range.high, range.low, &size) ||
      size == std::numeric_limits<std::int64_t>::max()) {
    refuse("random range is too large");
  }
  return range;
}

// NaN is refused with the others: nothing holds of it.
Value skewed(Operation operation, Arguments arguments, random::Rng& rng) {
  const auto [low, high] = range_of(arguments);
  const double parameter = arguments[2].to_real();
  if (operation == Operation::random_gaussian) {
    if (!(parameter >= 2) || std::isinf(parameter)) {
      throw EvaluationError(
          fmt::format("gaussian parameter must be at least 2.000000 (not {:f})", parameter));
    }
    return Value::of(gaussian_integer(rng, low, high, parameter));
  }
  if (operation == Operation::random_zipfian) {
    if (!(parameter >= 1.001 && parameter <= 1000)) {
      throw EvaluationError(
          fmt::format("zipfian parameter must be in range [1.001, 1000] (not {:f})", parameter));
    }
    return Value::of(zipfian_integer(rng, low, high, parameter));
  }
  if (!(parameter > 0)) {
    throw EvaluationError(
        fmt::format("exponential parameter must be greater than zero (not {:f})", parameter));
  }
  return Value::of(exponential_integer(rng, low, high, parameter));
}

Value permuted(Arguments arguments) {
  const std::int64_t value = arguments[0].to_integer();
  const std::int64_t size = arguments[1].to_integer();
  const std::int64_t seed = arguments[2].to_integer();
  if (size <= 0) refuse("permute size parameter must be greater than zero");
  return Value::of(permute(value, size, seed));
}

Value called(Operation function, Arguments arguments, Environment& environment) {
  if (function == Operation::debug) {
    if (environment.on_debug) environment.on_debug(arguments[0]);
    return arguments[0];
  }
  if (any_null(arguments)) return Value::null();
  switch (function) {
    case Operation::absolute:
      return absolute_of(arguments[0]);
    case Operation::to_double:
      return Value::of(arguments[0].to_real());
    case Operation::exponential:
      return Value::of(std::exp(arguments[0].to_real()));
    case Operation::greatest:
      return extreme(arguments, true);
    case Operation::hash_fnv1a:
      return Value::of(hash_fnv1a(arguments[0].to_integer(), arguments[1].to_integer()));
    case Operation::hash_murmur2:
      return Value::of(hash_murmur2(arguments[0].to_integer(), arguments[1].to_integer()));
    case Operation::to_integer:
      return Value::of(arguments[0].to_integer());
    case Operation::least:
      return extreme(arguments, false);
    case Operation::logarithm:
      return Value::of(std::log(arguments[0].to_real()));
    case Operation::permute:
      return permuted(arguments);
    case Operation::power:
      return Value::of(std::pow(arguments[0].to_real(), arguments[1].to_real()));
    case Operation::random: {
      const auto [low, high] = range_of(arguments);
      return Value::of(uniform_integer(environment.random, low, high));
    }
    case Operation::square_root:
      return Value::of(std::sqrt(arguments[0].to_real()));
    default:
      return skewed(function, arguments, environment.random);
  }
}

// One evaluation. `top_` is one behind the last value.
class Machine {
 public:
  Machine(const Expression& expression, Environment& environment)
      : expression_(expression), environment_(environment) {}

  Value run() {
    const std::vector<Instruction>& code = expression_.code();
    for (std::size_t next = 0; next < code.size();) {
      const Instruction instruction = code[next++];
      switch (instruction.operation) {
        case Operation::constant:
          *top_++ = expression_.constant(instruction.operand);
          break;
        case Operation::variable:
          *top_++ = environment_.variables.get(instruction.operand);
          break;
        case Operation::jump:
          next = instruction.operand;
          break;
        case Operation::jump_unless:
          if (!(--top_)->is_true()) next = instruction.operand;
          break;
        case Operation::and_left:
        case Operation::or_left:
          if (is_decided(instruction.operation == Operation::or_left)) next = instruction.operand;
          break;
        default:
          compute(instruction);
      }
    }
    return top_[-1];
  }

 private:
  // A left side that is null decides, too: so does pgbench, where SQL would say `null OR true` is true.
  bool is_decided(bool deciding) {
    if (top_[-1].is_null() || top_[-1].to_boolean() == deciding) return true;
    --top_;
    return false;
  }

  void compute(Instruction instruction) {
    const Operation operation = instruction.operation;
    if (operation <= Operation::greater_or_equal) {
      --top_;
      top_[-1] = arithmetic(operation, top_[-1], top_[0]);
    } else if (operation <= Operation::shift_right) {
      --top_;
      top_[-1] = bitwise(operation, top_[-1], top_[0]);
    } else if (operation == Operation::is) {
      --top_;
      top_[-1] = Value::of(top_[-1].is(top_[0]));
    } else if (operation == Operation::logical_not) {
      if (!top_[-1].is_null()) top_[-1] = Value::of(!top_[-1].to_boolean());
    } else if (operation == Operation::negate) {
      top_[-1] = arithmetic(Operation::subtract, Value::of(std::int64_t{0}), top_[-1]);
    } else if (operation == Operation::logical_right) {
      if (!top_[-1].is_null()) top_[-1].to_boolean();  // only to refuse what is none
    } else {
      const std::size_t count = instruction.arguments;
      top_ -= count;
      *top_ = called(operation, Arguments(top_, count), environment_);
      ++top_;
    }
  }

  const Expression& expression_;
  Environment& environment_;
  std::array<Value, stack_values_max> stack_;  // what is not yet pushed has no value
  Value* top_ = stack_.data();
};

}  // namespace

Value evaluate(const Expression& expression, Environment& environment) {
  return Machine(expression, environment).run();
}

}  // namespace drover::sql
