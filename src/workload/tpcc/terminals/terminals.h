// Terminals: TPC-C as a workload of the engine: one worker's terminals, what they transact, and what is counted of it.
//
// Warehouses are dealt out to the workers, so that all terminals of one are at home on one. Every terminal is a task
// (terminal.cpp). Belongs to its worker.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "coro/clock.h"
#include "coro/semaphore.h"
#include "coro/task.h"
#include "load/herd.h"
#include "load/workload.h"
#include "measure/counter.h"
#include "measure/histogram.h"
#include "workload/tpcc/backend.h"
#include "workload/tpcc/mix.h"
#include "workload/tpcc/terminals/acknowledged_writes.h"
#include "workload/tpcc/terminals/delivery_log.h"
#include "workload/tpcc/terminals/plan.h"
#include "workload/tpcc/terminals/warehouse_availability.h"

namespace drover::tpcc {

// What one worker counts of TPC-C's transactions beside what the engine counts of any: written by the
// worker's thread, and read when the run has ended.

// What was in the inputs of the transactions that were completed while measuring.
struct InputMetrics {
  measure::Counter new_orders;
  measure::Counter new_orders_rolled_back;
  measure::Counter order_lines;
  measure::Counter order_lines_remote;
  measure::Counter payments;
  measure::Counter payments_remote;
  measure::Counter payments_by_name;
  measure::Counter order_statuses;
  measure::Counter order_statuses_by_name;
  measure::Counter deliveries;
};

// What is known to be in the data, over all phases: what was answered, and after the run what was
// resolved.
struct LedgerMetrics {
  measure::Counter new_orders;
  measure::Counter payments;
  measure::Counter payment_cents;
  measure::Counter deliveries;
  measure::Counter orders_delivered;  // by them
  measure::Counter unresolved;        // nobody knows
};

// Deliveries that were queued while measuring (clause 2.7.2).
struct DeferredMetrics {
  measure::Counter queued;
  measure::Counter completed;
  measure::Counter failed;
  measure::Histogram latency;     // from queueing to completion
  measure::Histogram unfinished;  // how long those had been in the queue that never ended
};

struct alignas(measure::cache_line_bytes) WorkerCounts {
  InputMetrics inputs;
  LedgerMetrics ledger;
  AcknowledgedWrites writes;
  WarehouseAvailability availability;  // over all phases
  DeferredMetrics deferred;
  measure::Counter districts_skipped;  // measured
};

// What the workers of a run write; each its own counts.
struct RunRecords {
  explicit RunRecords(const Plan& plan, DeliveryLog* log = nullptr)
      : workers(plan.threads), delivery_log(log) {}

  // From the run's begin on, so that what a failover loses can be named.
  void keep_writes() {
    for (WorkerCounts& worker : workers) worker.writes.keep_of(workers.size());
  }

  std::deque<WorkerCounts> workers;
  DeliveryLog* delivery_log;  // none: nobody asked for it
};

class Terminals final : public load::Workload {
 public:
  // `index` of `plan.threads` workers. All but the backend must outlive it.
  Terminals(const Plan& plan, std::size_t index, std::unique_ptr<Backend> backend,
            RunRecords& records);

  database::Backend& backend() noexcept override { return *backend_; }
  std::size_t terminals() const noexcept override { return plan_.terminals_of_worker(index_); }
  void start_terminals(load::Herd& herd) override;
  coro::Task<std::vector<database::Resolution>> resolve(
      std::vector<const load::Transaction*> doubts) override;
  void on_session_lost() noexcept override { counts_.writes.on_session_lost(); }
  void leave_unresolved(std::size_t doubts) override { counts_.ledger.unresolved.add(doubts); }

 private:
  class Transaction final : public load::Transaction {
   public:
    Transaction(Terminals& terminals, const Input& input) noexcept
        : terminals_(terminals), input_(input) {}

    const Input& input() const noexcept { return input_; }
    const Outcome& outcome() const noexcept { return outcome_; }
    Doubt doubt() const { return {.input = input_, .trace = trace_}; }

    std::size_t type() const noexcept override { return input_.index(); }
    coro::Task<void> execute(database::Session& session) override;
    bool committed() const noexcept override { return outcome_.committed; }
    bool commit_sent() const noexcept override { return trace_.commit_sent; }
    void count(bool measured) override;
    void failed(const database::Error& error) override;
    // The warehouse of its terminal.
    std::int32_t w_id() const noexcept;
    std::size_t home() const noexcept override { return static_cast<std::size_t>(w_id() - 1); }
    std::unique_ptr<load::Transaction> keep() const override {
      return std::make_unique<Transaction>(*this);
    }

   private:
    Terminals& terminals_;
    Input input_;
    Trace trace_;
    Outcome outcome_;
    coro::Instant begun_;  // the last execute()
  };

  // The deck that the terminals of a warehouse share (clause 5.2.4.2).
  struct WarehouseDeck {
    Deck deck;
    Rng rng;

    TransactionType draw() { return deck.draw(rng); }
  };

  coro::Task<void> terminal(load::Herd& herd, std::int32_t w_id, std::int32_t d_id,
                            WarehouseDeck& deck);
  coro::Task<load::Herd::Answered> transact(load::Herd& herd, TransactionType type,
                                            std::int32_t w_id, std::int32_t d_id,
                                            coro::Instant intended_start, Rng& rng);
  Input make_input(TransactionType type, Rng& rng, std::int32_t w_id, std::int32_t d_id) const;
  Trace new_trace() noexcept;

  coro::Task<load::Herd::Answered> queue_delivery(load::Herd& herd, DeliveryInput input,
                                                  coro::Instant intended_start);
  coro::Task<void> deliver_later(load::Herd& herd, DeliveryInput input, coro::Instant queued,
                                 bool counts, coro::Semaphore::Permit slot);
  void log_delivery(const load::Herd& herd, const DeliveryInput& input, const Outcome* outcome,
                    coro::Instant queued);

  void count_inputs(const Input& input, const Outcome& outcome);
  void enter_in_ledger(const Input& input, std::int32_t orders_delivered);

  const Plan& plan_;
  const std::size_t index_;
  const std::unique_ptr<Backend> backend_;
  WorkerCounts& counts_;
  DeliveryLog* const delivery_log_;
  const InputContext inputs_;
  std::vector<WarehouseDeck> decks_;
  coro::Semaphore delivery_slots_;  // room in the queue of Deliveries
  coro::Semaphore delivery_turns_;  // how many of them are executed at a time
  std::uint32_t next_mark_;
};

// The workload of a run over these backends. `plan` and `records` must outlive it.
load::WorkloadFactory make_terminals(const Plan& plan, BackendFactory backends,
                                     RunRecords& records);

}  // namespace drover::tpcc
