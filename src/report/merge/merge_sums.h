// Sums of the sections of several parts whose fields model::Adder cannot add: times and lists. For
// merge.cpp, and for one thread.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "report/document/result.h"

namespace drover::report {

// The sum of the time series of all parts. Its points are as long as the longest points of a part.
class SecondSums {
 public:
  void add(const Result& part);
  // Returns the seconds that a point covers.
  std::uint64_t step_s() const noexcept { return step_s_; }
  std::vector<TimePoint> take();

 private:
  struct Second {
    TimePoint sum;
    bool has_latencies = true;      // for every commit of the point
    std::optional<double> whole_t;  // the smallest t of a host that covers the whole point
    double last_t = 0;              // the largest t of a host
  };
  struct Place {
    bool is_measured = false;  // of the measurement interval, else of the warm-up
    std::uint64_t number = 0;  // index of the point in its phase, from 0
    auto operator<=>(const Place&) const = default;
  };

  static void append(Second& sum, Second next, double end);
  void double_step(const settings::RunSettings& plan);
  double end_of(const Place& place, const settings::RunSettings& plan) const;
  Place place_of(const TimePoint& point, double before, const Result& part) const;

  std::uint64_t step_s_ = 1;
  std::map<Place, Second> seconds_;
};

// The outages and stalls of all parts. Overlapping ones become one. If a host ended before the
// others in an outage, the outage ends with this host.
class SpanSums {
 public:
  void add(const Result& part);

  // Sets the outages and stalls, in seconds since the start of the first part, and their total time
  // within the measured interval.
  void finish(Availability& availability, double measured_from, double measured_until);

 private:
  struct Part {
    std::optional<double> start;  // Unix time by the common clock; none: the host did not start
    double end_s = 0;             // end of the interval, in seconds since the host's own start
    std::vector<Outage> outages;
    std::vector<Stall> stalls;
  };
  std::vector<Part> parts_;  // with outages or stalls
  std::optional<double> first_start_;
};

// Adds the counts, and keeps the earliest commits.
void add_lost_commits(LostCommits& sum, const LostCommits& part);

}  // namespace drover::report
