#include "lab/terminals_usage.h"

#include <limits>

namespace drover::lab {
namespace {

// Below that many the pages of the loops themselves would be counted as theirs.
constexpr std::size_t terminals_for_memory_least = 1'000;

}  // namespace

TerminalsUsage::TerminalsUsage(std::size_t terminals)
    : terminals_(terminals),
      before_(measure::read_process_usage()),
      begun_(coro::SteadyClock::instance().now()) {}

void TerminalsUsage::finish(TerminalsOutcome& outcome) const {
  const measure::ProcessUsage after = measure::read_process_usage();
  outcome.seconds =
      std::chrono::duration<double>(coro::SteadyClock::instance().now() - begun_).count();
  outcome.cpu_seconds = after.cpu_seconds - before_.cpu_seconds;
  outcome.bytes_per_terminal = std::numeric_limits<double>::quiet_NaN();
  if (terminals_ >= terminals_for_memory_least && after.rss_bytes > before_.rss_bytes) {
    outcome.bytes_per_terminal =
        static_cast<double>(after.rss_bytes - before_.rss_bytes) / static_cast<double>(terminals_);
  }
}

void set_lateness(TerminalsOutcome& outcome, const measure::HistogramSnapshot& lateness) {
  outcome.lateness_p50_us = static_cast<double>(lateness.percentile_ns(50)) / 1e3;
  outcome.lateness_p99_us = static_cast<double>(lateness.percentile_ns(99)) / 1e3;
}

}  // namespace drover::lab
