#include "workload/sql/expression/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

namespace drover::sql {
namespace {

[[noreturn]] void refuse(const char* message) {
  throw EvaluationError(message);
}

std::int64_t divide(std::int64_t left, std::int64_t right) {
  if (right == 0) refuse("division by zero");
  if (right != -1) return left / right;
  if (left == std::numeric_limits<std::int64_t>::min()) refuse("bigint div out of range");
  return -left;
}

std::int64_t remainder(std::int64_t left, std::int64_t right) {
  if (right == 0) refuse("division by zero");
  return right == -1 ? 0 : left % right;  // C++ leaves the smallest integer % -1 undefined
}

template <class Number>
Value compare(Opcode opcode, Number left, Number right) {
  if (opcode == Opcode::equal) return Value::of(left == right);
  if (opcode == Opcode::not_equal) return Value::of(left != right);
  if (opcode == Opcode::less) return Value::of(left < right);
  if (opcode == Opcode::less_or_equal) return Value::of(left <= right);
  if (opcode == Opcode::greater) return Value::of(left > right);
  return Value::of(left >= right);
}

Value compute_integers(Opcode opcode, std::int64_t left, std::int64_t right) {
  std::int64_t result = 0;
  switch (opcode) {
    case Opcode::add:
      if (__builtin_add_overflow(left, right, &result)) refuse("bigint add out of range");
      return Value::of(result);
    case Opcode::subtract:
      if (__builtin_sub_overflow(left, right, &result)) refuse("bigint sub out of range");
      return Value::of(result);
    case Opcode::multiply:
      if (__builtin_mul_overflow(left, right, &result)) refuse("bigint mul out of range");
      return Value::of(result);
    case Opcode::divide:
      return Value::of(divide(left, right));
    case Opcode::modulo:
      return Value::of(remainder(left, right));
    default:
      return compare(opcode, left, right);
  }
}

Value compute_reals(Opcode opcode, double left, double right) {
  if (opcode == Opcode::add) return Value::of(left + right);
  if (opcode == Opcode::subtract) return Value::of(left - right);
  if (opcode == Opcode::multiply) return Value::of(left * right);
  if (opcode == Opcode::divide) return Value::of(left / right);
  return compare(opcode, left, right);
}

// Computes with doubles if one operand is a double, except for the remainder.
Value arithmetic(Opcode opcode, Value left, Value right) {
  if (left.is_integer() && right.is_integer()) {
    return compute_integers(opcode, left.integer(), right.integer());
  }
  if (left.is_null() || right.is_null()) return Value::null();
  if ((left.is_real() || right.is_real()) && opcode != Opcode::modulo) {
    return compute_reals(opcode, left.to_real(), right.to_real());
  }
  return compute_integers(opcode, left.to_integer(), right.to_integer());
}

// Shifts use the lowest six bits of the count, as common processors do. C leaves larger counts
// open.
Value bitwise(Opcode opcode, Value left, Value right) {
  if (left.is_null() || right.is_null()) return Value::null();
  const std::int64_t bits = left.to_integer();
  const std::int64_t other = right.to_integer();
  if (opcode == Opcode::bit_and) return Value::of(bits & other);
  if (opcode == Opcode::bit_or) return Value::of(bits | other);
  if (opcode == Opcode::bit_xor) return Value::of(bits ^ other);
  if (opcode == Opcode::shift_right) return Value::of(bits >> (other & 63));
  return Value::of(static_cast<std::int64_t>(static_cast<std::uint64_t>(bits) << (other & 63)));
}

using Arguments = std::span<const Value>;

Value absolute_of(Value value) {
  if (value.is_real()) return Value::of(std::fabs(value.real()));
  const std::int64_t integer = value.to_integer();
  // As in pgbench, the smallest integer stays negative.
  if (integer == std::numeric_limits<std::int64_t>::min()) return Value::of(integer);
  return Value::of(integer < 0 ? -integer : integer);
}

// Compares in pgbench's order, which decides the result if an argument is NaN.
template <class Number>
Value extreme_of(Arguments arguments, bool greatest, Number (Value::*converted)() const) {
  Number result = (arguments[0].*converted)();
  for (const Value value : arguments) {
    const Number other = (value.*converted)();
    result = (greatest ? result > other : result < other) ? result : other;
  }
  return Value::of(result);
}

Value extreme(Arguments arguments, bool greatest) {
  return std::ranges::any_of(arguments, &Value::is_real)
             ? extreme_of(arguments, greatest, &Value::to_real)
             : extreme_of(arguments, greatest, &Value::to_integer);
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

// The negated comparisons also refuse NaN.
Value random_skewed(Opcode opcode, Arguments arguments, random::Rng& rng) {
  const auto [low, high] = range_of(arguments);
  const double parameter = arguments[2].to_real();
  if (opcode == Opcode::random_gaussian) {
    if (!(parameter >= 2) || std::isinf(parameter)) {
      throw EvaluationError(
          fmt::format("gaussian parameter must be at least 2.000000 (not {:f})", parameter));
    }
    return Value::of(gaussian_integer(rng, low, high, parameter));
  }
  if (opcode == Opcode::random_zipfian) {
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

Value permute_value(Arguments arguments) {
  const std::int64_t value = arguments[0].to_integer();
  const std::int64_t size = arguments[1].to_integer();
  const std::int64_t seed = arguments[2].to_integer();
  if (size <= 0) refuse("permute size parameter must be greater than zero");
  return Value::of(permute(value, size, seed));
}

Value call_function(Opcode function, Arguments arguments, EvaluationContext& context) {
  if (function == Opcode::debug) {
    if (context.on_debug) context.on_debug(arguments[0]);
    return arguments[0];
  }
  if (std::ranges::any_of(arguments, &Value::is_null)) return Value::null();
  switch (function) {
    case Opcode::absolute:
      return absolute_of(arguments[0]);
    case Opcode::to_double:
      return Value::of(arguments[0].to_real());
    case Opcode::exponential:
      return Value::of(std::exp(arguments[0].to_real()));
    case Opcode::greatest:
      return extreme(arguments, true);
    case Opcode::hash_fnv1a:
      return Value::of(hash_fnv1a(arguments[0].to_integer(), arguments[1].to_integer()));
    case Opcode::hash_murmur2:
      return Value::of(hash_murmur2(arguments[0].to_integer(), arguments[1].to_integer()));
    case Opcode::to_integer:
      return Value::of(arguments[0].to_integer());
    case Opcode::least:
      return extreme(arguments, false);
    case Opcode::logarithm:
      return Value::of(std::log(arguments[0].to_real()));
    case Opcode::permute:
      return permute_value(arguments);
    case Opcode::power:
      return Value::of(std::pow(arguments[0].to_real(), arguments[1].to_real()));
    case Opcode::random: {
      const auto [low, high] = range_of(arguments);
      return Value::of(uniform_integer(context.random, low, high));
    }
    case Opcode::square_root:
      return Value::of(std::sqrt(arguments[0].to_real()));
    default:
      return random_skewed(function, arguments, context.random);
  }
}

// The stack machine of one evaluation.
class Machine {
 public:
  Machine(const Expression& expression, EvaluationContext& context)
      : expression_(expression), context_(context) {}

  Value run() {
    const std::vector<Instruction>& code = expression_.code();
    for (std::size_t next = 0; next < code.size();) {
      const Instruction instruction = code[next++];
      switch (instruction.opcode) {
        case Opcode::constant:
          *top_++ = expression_.constant(instruction.operand);
          break;
        case Opcode::variable:
          *top_++ = context_.variables.get(instruction.operand);
          break;
        case Opcode::jump:
          next = instruction.operand;
          break;
        case Opcode::jump_unless:
          if (!(--top_)->is_true()) next = instruction.operand;
          break;
        case Opcode::and_left:
        case Opcode::or_left:
          if (is_decided(instruction.opcode == Opcode::or_left)) next = instruction.operand;
          break;
        default:
          compute(instruction);
      }
    }
    return top_[-1];
  }

 private:
  // A null on the left side decides, as in pgbench. (In SQL, `null OR true` is true.)
  bool is_decided(bool deciding) {
    if (top_[-1].is_null() || top_[-1].to_boolean() == deciding) return true;
    --top_;
    return false;
  }

  void compute(Instruction instruction) {
    const Opcode opcode = instruction.opcode;
    if (opcode <= Opcode::greater_or_equal) {
      --top_;
      top_[-1] = arithmetic(opcode, top_[-1], top_[0]);
    } else if (opcode <= Opcode::shift_right) {
      --top_;
      top_[-1] = bitwise(opcode, top_[-1], top_[0]);
    } else if (opcode == Opcode::is) {
      --top_;
      top_[-1] = Value::of(top_[-1].is(top_[0]));
    } else if (opcode == Opcode::logical_not) {
      if (!top_[-1].is_null()) top_[-1] = Value::of(!top_[-1].to_boolean());
    } else if (opcode == Opcode::negate) {
      top_[-1] = arithmetic(Opcode::subtract, Value::of(std::int64_t{0}), top_[-1]);
    } else if (opcode == Opcode::logical_right) {
      if (!top_[-1].is_null()) top_[-1].to_boolean();  // throws for other kinds
    } else {
      const std::size_t count = instruction.arguments;
      top_ -= count;
      *top_ = call_function(opcode, Arguments(top_, count), context_);
      ++top_;
    }
  }

  const Expression& expression_;
  EvaluationContext& context_;
  std::array<Value, stack_values_max> stack_;
  Value* top_ = stack_.data();  // one past the last value
};

}  // namespace

Value evaluate(const Expression& expression, EvaluationContext& context) {
  return Machine(expression, context).run();
}

}  // namespace drover::sql
