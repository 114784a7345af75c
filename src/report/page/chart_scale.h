// The axes of a chart: where a value lies between its ends, round values to mark, and their words.
//
// Pure functions and plain values; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace drover::report {

class Scale {
 public:
  // What lies outside of [low, high] is taken to the nearer end. Ends that are no numbers, or too
  // near to each other to divide by, are moved apart.
  static Scale linear(double low, double high);
  // Requires nothing of the ends either: what is not above 0 has no logarithm, and counts as 1e-9.
  static Scale logarithmic(double low, double high);

  // 0 at the low end, 1 at the high one; always within.
  double position(double value) const;

  double low() const { return low_; }
  double high() const { return high_; }

 private:
  Scale(double low, double high, bool logarithmic)
      : low_(low), high_(high), logarithmic_(logarithmic) {}

  double low_;
  double high_;
  bool logarithmic_;
};

struct Tick {
  double value = 0;
  std::string label;
  bool minor = false;  // the first to go where there is little room
};

enum class Quantity : std::uint8_t { number, milliseconds, share };

// A linear scale from 0 to a round number not below `highest`, in at most `intervals_max` (2 or
// more) equal parts.
struct Axis {
  Scale scale;
  std::vector<Tick> ticks;
};
Axis axis_from_zero(double highest, Quantity quantity, std::size_t intervals_max = 5);

// A logarithmic scale around the values, with ends and ticks at 1, 2 or 5 times a power of ten (at
// the powers only where the range is long). Values not above 0 are taken for none.
Axis logarithmic_axis(double lowest, double highest, Quantity quantity);

// Ticks of clock-like steps (1, 2, 5, 10, 15, 30 s, …) in [low, high], 0 among them if it is there.
std::vector<Tick> time_ticks(double low_s, double high_s, std::size_t count_max);

// The smallest clock-like step that is not below the seconds asked for.
double round_step_s(double seconds_least);

// "950", "12,345", "1.2M": at most six characters up to 10^15.
std::string number_label(double value);
// "85 µs", "1.25 ms", "31.4 ms", "2.5 s", "15 min"
std::string milliseconds_label(double ms);
// "-0:10", "12:30", "1:02:30", "12 d"
std::string time_label(double seconds);

}  // namespace drover::report
