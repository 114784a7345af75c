// Clocks of two hosts, compared by round trips of messages: what one showed when the other asked lies between the asking
// and the answer. The shortest trip says most (Cristian, "Probabilistic clock synchronization", 1989).
//
// Plain values.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>

#include "coro/clock.h"
#include "report/document/result.h"

namespace drover::ranks {

// What the two clocks of a host show, nanoseconds.
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

// One trip: ours when we asked and when the answer came, and theirs between.
struct RoundTrip {
  ClockReading asked;
  ClockReading answered;
  ClockReading theirs;

  std::int64_t length_ns() const { return answered.monotonic_ns - asked.monotonic_ns; }
};

// How far another host's clocks are ahead of ours.
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

// By the shortest of the trips; nothing if there is none.
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
