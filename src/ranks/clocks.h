// The difference between the clocks of two hosts, measured by round trips of messages: the other
// clock was read between the question and its answer. The shortest trip is the most precise
// (Cristian, "Probabilistic clock synchronization", 1989).
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>

#include "coro/clock.h"
#include "report/document/result.h"

namespace drover::ranks {

// The two clocks of a host, in nanoseconds.
struct ClockReading {
  std::int64_t monotonic_ns = 0;
  std::int64_t wall_ns = 0;  // since 1970
};

inline ClockReading read_clocks() {
  return {std::chrono::steady_clock::now().time_since_epoch().count(),
          std::chrono::duration_cast<std::chrono::nanoseconds>(
              std::chrono::system_clock::now().time_since_epoch())
              .count()};
}

// One round trip: our clocks at the question and at the answer, and the other host's between them.
struct RoundTrip {
  ClockReading asked;
  ClockReading answered;
  ClockReading theirs;

  std::int64_t length_ns() const { return answered.monotonic_ns - asked.monotonic_ns; }
};

// The clocks of another host minus ours.
struct ClockDifference {
  std::int64_t monotonic_ns = 0;
  std::int64_t wall_ns = 0;
  std::int64_t uncertainty_ns = 0;

  coro::Instant theirs(coro::Instant ours) const {
    return ours + std::chrono::nanoseconds(monotonic_ns);
  }
  coro::Instant ours(coro::Instant theirs) const {
    return theirs - std::chrono::nanoseconds(monotonic_ns);
  }
  report::ClockOffset offset() const {
    return {static_cast<double>(wall_ns) * 1e-9, static_cast<double>(monotonic_ns) * 1e-9,
            static_cast<double>(uncertainty_ns) * 1e-9};
  }
};

// Returns the difference by the shortest trip, or nothing without trips.
inline std::optional<ClockDifference> difference(std::span<const RoundTrip> trips) {
  const RoundTrip* shortest = nullptr;
  for (const RoundTrip& trip : trips) {
    if (shortest == nullptr || trip.length_ns() < shortest->length_ns()) shortest = &trip;
  }
  if (shortest == nullptr) return std::nullopt;
  const std::int64_t half = shortest->length_ns() / 2;
  return ClockDifference{shortest->theirs.monotonic_ns - (shortest->asked.monotonic_ns + half),
                         shortest->theirs.wall_ns - (shortest->asked.wall_ns + half),
                         (shortest->length_ns() + 1) / 2};
}

}  // namespace drover::ranks
