#include "report/compare/compare_limit.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

#include "text/plain_text.h"
#include "text/utf8.h"

namespace drover::report {
namespace {

constexpr double bound_most = 1e12;

[[noreturn]] void refuse(std::string_view text, std::string_view reason) {
  throw LimitError(
      fmt::format("'{}' is not a limit: {}. Expected METRIC < BOUND or METRIC > BOUND, such as "
                  "'tpmC < -3%', 'new_order.p99 > +10%', 'new_order.p99 > +5' (a change) or "
                  "'new_order.p99 > 20' (the value itself)",
                  text::shown(text), reason));
}

struct Bound {
  double number = 0;
  bool has_sign = false;
  std::string_view unit;
};

Bound read_bound(std::string_view text, std::string_view whole) {
  Bound bound;
  const bool negative = text.starts_with('-');
  bound.has_sign = negative || text.starts_with('+');
  if (bound.has_sign) text.remove_prefix(1);
  // from_chars accepts a sign, "inf" and "nan".
  if (text.empty() || text.front() < '0' || text.front() > '9') refuse(whole, "it has no number");
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bound.number,
                                            std::chars_format::fixed);
  if (error != std::errc() || bound.number > bound_most) {
    refuse(whole, fmt::format("the number is not between -{0:g} and {0:g}", bound_most));
  }
  if (negative) bound.number = -bound.number;
  bound.unit = text::trimmed(text.substr(static_cast<std::size_t>(end - text.data())));
  return bound;
}

// Throws LimitError if the limit would also reject changes in the other direction.
void require_direction(const Limit& limit, std::string_view whole) {
  if (limit.kind == Limit::Kind::value) return;
  if (limit.above ? limit.bound >= 0 : limit.bound <= 0) return;
  const bool percent = limit.kind == Limit::Kind::percent_change;
  refuse(whole,
         fmt::format(
             "this limit rejects changes {} {}, so it also rejects changes in the other direction. "
             "Write {}{:g}{}{}",
             limit.above ? "above" : "below", limit.above ? "a negative bound" : "a positive bound",
             limit.above ? '+' : '-', std::abs(limit.bound), percent ? "%" : "",
             percent && !limit.above ? ", or the number without % for the value itself" : ""));
}

}  // namespace

Limit Limit::parse(std::string_view text, const MetricVocabulary& vocabulary) {
  const std::size_t sign = text.find_first_of("<>");
  if (sign == std::string_view::npos) refuse(text, "it has no < or >");
  const std::string_view after = text::trimmed(text.substr(sign + 1));
  if (after.starts_with('=')) refuse(text, "<= and >= are not supported");
  Limit limit{.metric = Metric::parse(text.substr(0, sign), vocabulary),
              .above = text[sign] == '>'};
  const Bound bound = read_bound(after, text);
  limit.bound = bound.number + 0.0;  // no negative zero
  if (bound.unit == "%") {
    limit.kind = Kind::percent_change;
  } else {
    limit.kind = bound.has_sign ? Kind::change : Kind::value;
    if (!bound.unit.empty() && bound.unit != limit.metric.unit()) {
      refuse(text,
             limit.metric.unit().empty()
                 ? fmt::format("{} has no unit", limit.metric.name())
                 : fmt::format("the unit of {} is {}", limit.metric.name(), limit.metric.unit()));
    }
    if (limit.kind == Kind::value && limit.bound < 0) refuse(text, "no value is negative");
  }
  require_direction(limit, text);
  return limit;
}

std::string Limit::text() const {
  // The shortest text for the number, without an exponent.
  std::array<char, 400> digits{};
  const auto written =
      std::to_chars(digits.data(), digits.data() + digits.size(), bound, std::chars_format::fixed);
  const char* sign = "";
  if (kind != Kind::value && above) sign = "+";
  if (kind == Kind::change && !above && bound == 0) sign = "-";
  // "%" of a percentage would be read as a change, and the rates speak for themselves.
  const bool has_unit = metric.unit() != "%" && !metric.unit().starts_with('/');
  const std::string_view unit = has_unit ? metric.unit() : std::string_view();
  return fmt::format("{} {} {}{}{}", metric.name(), above ? '>' : '<', sign,
                     std::string_view(digits.data(), written.ptr),
                     kind == Kind::percent_change ? "%" : unit);
}

}  // namespace drover::report
