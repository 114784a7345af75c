// For tests: the result of a run that was simulated event by event, by a model that shares no code
// with the engine. Honest unless its knobs say otherwise.
#pragma once

#include <array>
#include <functional>
#include <random>

#include "report/document/result.h"

namespace drover::report {

struct SimulatedRun {
  std::uint64_t seed = 1;
  int warehouses = 10;
  double warmup_s = 21;
  double interval_s = 60;
  bool no_delays = false;
  double pace = 1;
  double latency_ms = 10;  // the mean
  double timer_lag_ms = 0.2;
  double rollback_share = 0.01;
  double remote_line_share = 0.01;
  double remote_payment_share = 0.15;
  double by_name_share = 0.60;
  int order_lines_most = 15;
  std::array<int, 5> deck = {10, 10, 1, 1, 1};
  // A think time in means; none: negative exponential, cut at ten.
  std::function<double(std::mt19937_64&)> think_in_means;
};

Result simulate_result(const SimulatedRun& run);

}  // namespace drover::report
