// The steps of a search for the largest load at which the rules still hold: what to try next, as a
// pure function of what was tried. So a search that was interrupted goes on from its record.
//
// Loads are whole numbers (warehouses, or terminals without delays). It is taken that the rules
// hold up to some load and not beyond; where probes contradict that, the smaller load decides. The
// load doubles until the rules break, then the gap between the largest load that holds and the
// smallest that does not is halved until it is within the tolerance. Noise may break a probe, so a
// load counts as broken when two short probes of it were, or one confirmation. At the end the load
// found is confirmed by a long run; if that breaks, the search goes on below it.
//
// What the client's own machine broke says nothing about the database. Such a run neither holds nor
// breaks its load, and is made again. When none of several at a load could tell, the search looks
// no further in that direction: what holds below is confirmed, and the limit is not found out.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace drover::search {

struct Bounds {
  std::int64_t low = 1;
  std::int64_t high = 1;    // what there is; low <= high
  std::int64_t start = 1;   // within both
  double tolerance = 0.05;  // the gap that is left, of the load that holds
};

// More of them would wander on for ever in noise. Those that the client's machine broke are apart.
inline constexpr int confirmations_most = 6;

// Runs of a kind at a load that the client's machine may break before the load is given up.
inline constexpr int client_failures_most = 3;

struct Probe {
  std::int64_t load = 0;
  bool confirmation = false;
  bool held = false;
  bool by_client = false;  // it did not hold, and the client's own machine is to blame
};

struct Step {
  enum class Kind : std::uint8_t { probe, confirm, done };
  Kind kind = Kind::done;
  std::int64_t load = 0;
  bool operator==(const Step&) const = default;
};

// What is known after some probes.
struct Found {
  // The largest load that does, below all that do not; where a confirmation broke, of those that
  // were confirmed.
  std::optional<std::int64_t> holds;
  std::optional<std::int64_t> breaks;  // the smallest load that does not
  bool confirmed = false;              // that `holds` does
  // The smallest load that was given up because the client's machine broke its runs: at least
  // `holds`, and below `breaks`. While there is one, the limit is not found out.
  std::optional<std::int64_t> not_judged;

  bool found_out() const { return confirmed && !not_judged; }
};

Found found_by(std::span<const Probe> probes);

Step next_step(const Bounds& bounds, std::span<const Probe> probes);

}  // namespace drover::search
