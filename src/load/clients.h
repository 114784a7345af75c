// ClientLoop: terminals that are alike, of a workload that has no pauses of its own. Each begins a transaction when it
// has the answer to the one before (a closed loop), or at the next instant of a schedule that all clients of a worker
// share (an open loop: Plan::rate). They begin when the phases of the run are known, and end with it, or when they have
// done as many operations as the plan says.
//
//   ClientLoop clients_{plan, index};
//   void start_terminals(Herd& herd) override {
//     clients_.start(herd, [this](std::size_t number) { return MyTransaction(…); });
//   }
//
// Belongs to its worker.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "coro/sleep.h"
#include "load/arrivals.h"
#include "load/herd.h"
#include "load/plan.h"

namespace drover::load {

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

  // Gives the clients to the herd. `make(number)` is the next transaction of the client of that number of this host's,
  // which is below Plan::terminal_count and no other worker's. The loop and what `make` refers to must outlive the herd's run.
  template <class Make>
  void start(Herd& herd, Make make) {
    herd.count_backlog_by([this](coro::Instant end) { return backlog(end); });
    const auto shared = std::make_shared<Make>(std::move(make));
    at_work_ = clients_;
    for (std::size_t i = 0; i < clients_; ++i) {
      if (!herd.start(client(herd, shared, index_ + i * plan_.threads))) return;
    }
  }

 private:
  // Keeps a transaction that fails at once from being tried in a tight loop. Closed loop only.
  static constexpr coro::Duration pause_after_failure = std::chrono::milliseconds(100);

  template <class Make>
  coro::Task<void> client(Herd& herd, std::shared_ptr<Make> make, std::size_t number) {
    herd.terminal_up();
    co_await herd.phases_known();
    coro::Instant time = herd.start_time();
    if (plan_.rate > 0 && !arrivals_) arrivals_.emplace(plan_, index_, time);
    while (!herd.stopped() && take_operation()) {
      if (arrivals_) {
        time = arrivals_->next();
        arrivals_->take();
        herd.publish_next_arrival(arrivals_->next());
        if (time > coro::Worker::current().now() && !co_await coro::slept_until(time)) co_return;
      }
      const Herd::Answered answered = co_await herd.transact((*make)(number), time);
      time = answered.at;
      if (answered.succeeded || arrivals_ || operations_left_ == 0) continue;
      // The pause is the client's own: the next transaction's latency counts from its end.
      time += pause_after_failure;
      if (!co_await coro::slept_until(time)) co_return;
    }
    if (--at_work_ == 0 && operations_left_ == 0) herd.all_done();
  }

  bool take_operation() noexcept {
    if (operations_left_ == 0) return false;
    --operations_left_;
    return true;
  }

  // What was due before `end` and no client was free to begin.
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
  std::size_t at_work_ = 0;           // clients that have not done their last operation
  std::optional<Arrivals> arrivals_;  // none: a closed loop; or the phases are not known yet
};

}  // namespace drover::load
