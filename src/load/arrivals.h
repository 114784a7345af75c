// Arrivals: the instants at which the clients of one worker are to begin a transaction each, whatever became of those
// before: an open loop (Schroeder et al., "Open Versus Closed", NSDI 2006). Who comes late takes the instant that was
// meant, so that the wait is part of the latency.
//
// They depend on the plan alone, and are the same on every machine. Belongs to its worker.
#pragma once

#include <cstddef>
#include <cstdint>

#include "coro/clock.h"
#include "load/plan.h"
#include "random/portable_math.h"
#include "random/rng.h"

namespace drover::load {

class Arrivals {
 public:
  // Those of the worker `index`. Requires: the plan has a rate.
  Arrivals(const Plan& plan, std::size_t index, coro::Instant start)
      : start_(start),
        gap_s_(static_cast<double>(plan.threads) / plan.own_rate()),
        poisson_(plan.poisson),
        rng_(random::Rng::stream(plan.seed, arrivals_purpose, {plan.number_of_worker(index)})) {
    // The constant ones of all workers of all hosts are spread evenly.
    const double host =
        static_cast<double>(plan.share.rank) / static_cast<double>(plan.share.ranks);
    const double part = (static_cast<double>(index) + host) / static_cast<double>(plan.threads);
    after_s_ = poisson_ ? random_gap() : part * gap_s_;
  }

  // The next one, which is not taken yet.
  coro::Instant next() const noexcept {
    return start_ + coro::Duration(static_cast<std::int64_t>(after_s_ * 1e9));
  }
  void take() noexcept { after_s_ += poisson_ ? random_gap() : gap_s_; }

 private:
  // A stream of random numbers that no workload uses.
  static constexpr int arrivals_purpose = 9;

  double random_gap() noexcept { return -random::portable_log(rng_.unit()) * gap_s_; }

  coro::Instant start_;
  double gap_s_;  // in the mean
  bool poisson_;
  random::Rng rng_;
  double after_s_ = 0;  // the start
};

}  // namespace drover::load
