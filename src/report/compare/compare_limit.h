// What `drover compare --fail-if` and others hold a comparison against: "tpmC < -3%".
//
//   METRIC < BOUND   or   METRIC > BOUND       metric.h has the names
//
//   BOUND            what is held against it
//   -3%, +10%, 10%   the change from base to new in percent of the base
//   +5, -2ms         the change in the metric's unit: a number with a sign is a change
//   20, 20ms         the new value itself: a number without one is a value
//
// A change is a fall for < and a rise for >: "tpmC < 3%" would fail what gained 2%, and is refused
// with a hint. Blanks may stand between the parts. Plain values; any thread.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "report/compare/metric.h"

namespace drover::report {

// One printable line: the text, what is wrong with it, what was expected.
struct LimitError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Limit {
  enum class Kind : std::uint8_t { percent_change, change, value };

  // Throws LimitError, and MetricError for the metric's name.
  static Limit parse(std::string_view text, const MetricVocabulary& vocabulary = {});

  Metric metric;
  bool above = false;  // broken above the bound, else below
  Kind kind = Kind::percent_change;
  double bound = 0;  // percent, or the metric's unit

  std::string text() const;  // parse(text()) is the same limit
  bool is_beyond(double figure) const { return above ? figure > bound : figure < bound; }
};

}  // namespace drover::report
