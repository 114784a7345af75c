// ClientLoop: identical clients of a workload. In a closed loop each client starts a transaction
// when its previous one was answered and its think time (Plan::think_time) has passed. In an open
// loop (Plan::rate) the clients of a worker share a schedule, and a free client takes the next
// start of the schedule (Schroeder et al., "Open Versus Closed", NSDI 2006). Clients begin when the
// phases of the run are known, and end with the run, or when they have executed Plan::operations.
//
//   ClientLoop clients_{plan, index};
//   void start_terminals(ClientGroup& group) override {
//     clients_.start(group, [this](std::size_t number) { return MyTransaction(…); });
//   }
//
// Belongs to its worker.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "coro/sleep.h"
#include "load/client_group.h"
#include "load/plan.h"
#include "random/portable_math.h"
#include "random/rng.h"

namespace drover::load {

// The schedule of an open loop: the intended starts of one worker's transactions. It depends on the
// plan only, and is the same on every machine. A client that is late takes the intended start all
// the same, so that its delay is part of the latency.
class Arrivals {
 public:
  // `index` is the worker's. Requires: the plan has a rate.
  Arrivals(const Plan& plan, std::size_t index, coro::Instant start)
      : start_(start),
        gap_s_(static_cast<double>(plan.threads) / plan.own_rate()),
        poisson_(plan.poisson),
        rng_(random::Rng::stream(plan.seed, arrivals_purpose, {plan.number_of_worker(index)})) {
    // Constant gaps: the starts of all workers of all hosts are spread evenly.
    const double host =
        static_cast<double>(plan.share.rank) / static_cast<double>(plan.share.ranks);
    const double part = (static_cast<double>(index) + host) / static_cast<double>(plan.threads);
    after_s_ = poisson_ ? random_gap() : part * gap_s_;
  }

  // Returns the first intended start that was not taken.
  coro::Instant next() const noexcept {
    return start_ + coro::Duration(static_cast<std::int64_t>(after_s_ * 1e9));
  }
  void take() noexcept { after_s_ += poisson_ ? random_gap() : gap_s_; }

 private:
  // A stream of random numbers that no workload uses.
  static constexpr int arrivals_purpose = 9;

  double random_gap() noexcept { return -random::portable_log(rng_.unit()) * gap_s_; }

  coro::Instant start_;
  double gap_s_;  // mean
  bool poisson_;
  random::Rng rng_;
  double after_s_ = 0;  // next() in seconds since the start
};

class ClientLoop {
 public:
  ClientLoop(const Plan& plan, std::size_t index)
      : plan_(plan),
        index_(index),
        clients_(plan.share_of_worker(index, plan.terminal_count)),
        operations_left_(plan.operations == 0
                             ? std::numeric_limits<std::uint64_t>::max()
                             : plan.share_of_worker(index, plan.own_operations())) {}
  ClientLoop(const ClientLoop&) = delete;
  ClientLoop& operator=(const ClientLoop&) = delete;

  std::size_t clients() const noexcept { return clients_; }

  // Starts the clients in the group. `make(number)` returns the next transaction of a client. The
  // number is below Plan::terminal_count, and unique on this host. The loop, and what `make` refers
  // to, must outlive the group's run.
  template <class Make>
  void start(ClientGroup& group, Make make) {
    group.count_backlog_by([this](coro::Instant end) { return backlog(end); });
    const auto shared = std::make_shared<Make>(std::move(make));
    at_work_ = clients_;
    for (std::size_t i = 0; i < clients_; ++i) {
      if (!group.start(client(group, shared, index_ + i * plan_.threads))) return;
    }
  }

 private:
  // Closed loop: the shortest pause of a client after a failed transaction, so that it does not
  // retry in a tight loop.
  static constexpr coro::Duration pause_after_failure = std::chrono::milliseconds(100);

  template <class Make>
  coro::Task<void> client(ClientGroup& group, std::shared_ptr<Make> make, std::size_t number) {
    group.terminal_up();
    co_await group.phases_known();
    coro::Instant time = group.start_time();
    if (plan_.rate > 0 && !arrivals_) arrivals_.emplace(plan_, index_, time);
    while (!group.stopped() && take_operation()) {
      if (arrivals_) {
        time = arrivals_->next();
        arrivals_->take();
        group.publish_next_arrival(arrivals_->next());
        if (time > coro::Worker::current().now() && !co_await coro::slept_until(time)) co_return;
      }
      const ClientGroup::Answered answered = co_await group.transact((*make)(number), time);
      time = answered.at;
      if (arrivals_ || operations_left_ == 0) continue;
      const coro::Duration pause =
          answered.succeeded ? plan_.think_time : std::max(plan_.think_time, pause_after_failure);
      if (pause <= coro::Duration::zero()) continue;
      // The latency of the next transaction counts from the end of the pause.
      time += pause;
      if (!co_await coro::slept_until(time)) co_return;
    }
    if (--at_work_ == 0 && operations_left_ == 0) group.all_done();
  }

  bool take_operation() noexcept {
    if (operations_left_ == 0) return false;
    --operations_left_;
    return true;
  }

  // Returns the number of transactions whose intended start is before `end` and was not taken.
  std::uint64_t backlog(coro::Instant end) {
    std::uint64_t due = 0;
    if (!arrivals_) return due;
    for (; due < operations_left_ && arrivals_->next() < end; ++due) arrivals_->take();
    return due;
  }

  const Plan& plan_;
  const std::size_t index_;
  const std::size_t clients_;
  std::uint64_t operations_left_;
  std::size_t at_work_ = 0;           // clients that have not executed their last operation
  std::optional<Arrivals> arrivals_;  // none in a closed loop, or before the phases are known
};

}  // namespace drover::load
