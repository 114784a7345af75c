// Herd: the terminals of one worker, from the first to the last of them.
//
// Every terminal is a task (terminal.cpp). Warehouses are dealt out to the workers, so that all
// terminals of one are at home on one. At the end, terminals that sleep or wait are dismissed at
// once; transactions in flight may finish within the plan's patience and are then cancelled.
//
// Belongs to its worker; another thread may only post() to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <vector>

#include "coro/cancellation.h"
#include "coro/clock.h"
#include "coro/event.h"
#include "coro/semaphore.h"
#include "coro/task.h"
#include "load/plan.h"
#include "load/worker_metrics.h"
#include "tpcc/backend.h"
#include "tpcc/mix.h"

namespace drover::load {

// The instants that all workers of a run agree on.
struct Timetable {
  coro::Instant start;          // terminals are at a random point of their cycle
  coro::Instant measure_start;  // the end of the warm-up
  coro::Instant measure_end;

  Phase phase_at(coro::Instant instant) const noexcept {
    if (instant < measure_start) return Phase::warmup;
    return instant < measure_end ? Phase::measure : Phase::done;
  }
};

class Herd {
 public:
  // `index` of `plan.threads` workers.
  Herd(const Plan& plan, std::size_t index, tpcc::Backend& backend, WorkerMetrics& metrics);

  // Runs until the timetable's end or stop(). Throws nothing but bugs: a run that had to give up
  // says why by failure().
  coro::Task<void> run(Timetable timetable);

  // Ends the run early, in an orderly way; what was measured so far counts.
  void stop() noexcept;

  // Why the run was given up, if it was: the database is gone.
  std::exception_ptr failure() const noexcept { return failure_; }

  std::size_t warehouses() const noexcept;
  std::size_t terminals() const noexcept;

  // Calls `action` once, when every terminal is up: running or asleep in its cycle, or when the run
  // ends before that.
  void on_all_up(std::function<void()> action) { all_up_ = std::move(action); }

 private:
  // The deck that the terminals of a warehouse share (clause 5.2.4.2).
  struct WarehouseDeck {
    tpcc::Deck deck;
    tpcc::Rng rng;

    tpcc::TransactionType draw() { return deck.draw(rng); }
  };

  coro::Task<void> terminal(std::int32_t w_id, std::int32_t d_id, WarehouseDeck& deck);
  coro::Task<coro::Instant> transact(tpcc::TransactionType type, std::int32_t w_id,
                                     std::int32_t d_id, coro::Instant intended_start,
                                     tpcc::Rng& rng);
  coro::Task<std::optional<tpcc::Outcome>> attempt(tpcc::Session& session, const tpcc::Input& input,
                                                   int number);
  void record(const tpcc::Input& input, const tpcc::Outcome& outcome, coro::Instant intended_start,
              coro::Instant session_at_hand);
  void count_error(TransactionMetrics& metrics, const database::Error& error, bool retried);
  TransactionMetrics* metrics_at(coro::Instant instant, tpcc::TransactionType type) noexcept;
  tpcc::Input make_input(tpcc::TransactionType type, tpcc::Rng& rng, std::int32_t w_id,
                         std::int32_t d_id) const;
  coro::Duration retry_pause(int attempt);
  void give_up(std::exception_ptr reason) noexcept;

  const Plan& plan_;
  std::size_t index_;
  tpcc::Backend& backend_;
  WorkerMetrics& metrics_;
  tpcc::InputContext inputs_;
  std::vector<WarehouseDeck> decks_;
  Timetable timetable_{};
  coro::Semaphore permits_;
  coro::Event stopped_;
  tpcc::Rng retry_rng_;  // apart from the terminals': a retry does not change what comes after it
  coro::CancelSource* transactions_ = nullptr;  // what transactions in flight run under
  std::exception_ptr failure_;
  std::size_t up_ = 0;
  std::function<void()> all_up_;
};

}  // namespace drover::load
