// Limits of comparisons (`drover compare --fail-if`) and searches: "tpmC < -3%".
//
//   METRIC < BOUND   or   METRIC > BOUND       metric.h has the names
//
//   BOUND            limits
//   -3%, +10%, 10%   the change from base to new, in percent of the base
//   +5, -2ms         the change in the metric's unit: a number with a sign
//   20, 20ms         the new value itself: a number without a sign
//
// A change is a fall for < and a rise for >: "tpmC < 3%" would fail a gain of 2%, and is refused
// with a hint. Blanks may separate the parts. Plain values; any thread.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "report/compare/metric.h"

namespace drover::report {

// The message is one printable line: the text, its fault, and what was expected.
struct LimitError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Limit {
  enum class Kind : std::uint8_t { percent_change, change, value };

  // Throws LimitError, or MetricError for the metric's name.
  static Limit parse(std::string_view text, const MetricVocabulary& vocabulary = {});

  Metric metric;
  bool above = false;  // broken above the bound, else below
  Kind kind = Kind::percent_change;
  double bound = 0;  // percent, or the metric's unit

  std::string text() const;  // parse(text()) returns an equal limit
  bool is_beyond(double figure) const { return above ? figure > bound : figure < bound; }
};

}  // namespace drover::report
