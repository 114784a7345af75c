// What parts say of seconds, outages and stalls, on one axis of time: for merge.cpp. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "report/document/result.h"

namespace drover::report {

// The time series, a second of all parts at a time.
class SecondSums {
 public:
  void add(const Result& part);
  std::vector<TimePoint> take();

 private:
  struct Second {
    TimePoint sum;
    bool has_latencies = true;  // of everything that was committed in it
  };
  static std::uint64_t number_of(double t, const settings::RunSettings& plan);

  std::map<std::uint64_t, Second> seconds_;
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
