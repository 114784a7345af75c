// What parts say of seconds, outages and stalls, on one axis of time: for merge.cpp. One thread.
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
    std::uint64_t number = 0;  // in its phase
    auto operator<=>(const Place&) const = default;
  };

  static void append(Second& sum, Second next, double end);
  void double_step(const settings::RunSettings& plan);
  double end_of(const Place& place, const settings::RunSettings& plan) const;
  Place place_of(const TimePoint& point, double before, const Result& part) const;

  std::uint64_t step_s_ = 1;
  std::map<Place, Second> seconds_;
};

// Outages and stalls: those that overlap are one. One that had no end when its host ended, before others, ends there.
class SpanSums {
 public:
  void add(const Result& part);

  // In seconds since the first of the parts began; with the seconds of the interval that were in them.
  void finish(Availability& availability, double measured_from, double measured_until);

 private:
  struct Part {
    std::optional<double> start;  // Unix time by the common clock; none: it did not begin
    double end_s = 0;             // of its interval, after its own start
    std::vector<Outage> outages;
    std::vector<Stall> stalls;
  };
  std::vector<Part> parts_;  // those that have some
  std::optional<double> first_start_;
};

}  // namespace drover::report
