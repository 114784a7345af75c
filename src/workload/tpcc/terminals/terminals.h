// TPC-C as a workload of the engine: the terminals of one worker and their transactions.
//
// Each warehouse belongs to one worker, with all of its terminals. Every terminal is a task
// (terminal.cpp). Belongs to its worker.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "coro/clock.h"
#include "coro/semaphore.h"
#include "coro/task.h"
#include "load/client_group.h"
#include "load/workload.h"
#include "workload/tpcc/backend.h"
#include "workload/tpcc/input.h"
#include "workload/tpcc/terminals/plan.h"
#include "workload/tpcc/terminals/run_records.h"

namespace drover::tpcc {

class Terminals final : public load::Workload {
 public:
  // The terminals of worker `index` of `plan.threads`. Plan and records must outlive the object.
  Terminals(const Plan& plan, std::size_t index, std::unique_ptr<Backend> backend,
            RunRecords& records);

  database::Backend& backend() noexcept override { return *backend_; }
  std::size_t terminals() const noexcept override { return plan_.terminals_of_worker(index_); }
  void start_terminals(load::ClientGroup& group) override;
  coro::Task<std::vector<database::Resolution>> resolve(
      std::vector<const load::Transaction*> commits) override;
  void on_session_lost() noexcept override { counts_.writes.on_session_lost(); }
  void leave_unresolved(std::size_t commits) override { counts_.ledger.unresolved.add(commits); }

 private:
  class Transaction final : public load::Transaction {
   public:
    Transaction(Terminals& terminals, const Input& input) noexcept
        : terminals_(terminals), input_(input) {}

    const Input& input() const noexcept { return input_; }
    const Outcome& outcome() const noexcept { return outcome_; }
    UnknownCommit unknown_commit() const { return {.input = input_, .trace = trace_}; }

    std::size_t type() const noexcept override { return input_.index(); }
    coro::Task<void> execute(database::Session& session) override;
    bool committed() const noexcept override { return outcome_.committed; }
    bool commit_sent() const noexcept override { return trace_.commit_sent; }
    void count(bool measured) override;
    void failed(const database::Error& error) override;
    // Returns the warehouse of the terminal.
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
    coro::Instant begun_;  // start of the last execute()
  };

  // The deck that the terminals of a warehouse share (clause 5.2.4.2).
  struct WarehouseDeck {
    Deck deck;
    Rng rng;

    TransactionType draw() { return deck.draw(rng); }
  };

  coro::Task<void> terminal(load::ClientGroup& group, std::int32_t w_id, std::int32_t d_id,
                            WarehouseDeck& deck);
  coro::Task<load::ClientGroup::Answered> transact(load::ClientGroup& group, TransactionType type,
                                                   std::int32_t w_id, std::int32_t d_id,
                                                   coro::Instant intended_start, Rng& rng);
  Input make_input(TransactionType type, Rng& rng, std::int32_t w_id, std::int32_t d_id) const;
  Trace new_trace() noexcept;

  coro::Task<load::ClientGroup::Answered> queue_delivery(load::ClientGroup& group,
                                                         DeliveryInput input,
                                                         coro::Instant intended_start);
  coro::Task<void> deliver_later(load::ClientGroup& group, DeliveryInput input,
                                 coro::Instant queued, bool counts, coro::Semaphore::Permit slot);
  void log_delivery(const load::ClientGroup& group, const DeliveryInput& input,
                    const Outcome* outcome, coro::Instant queued);

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
  coro::Semaphore delivery_turns_;  // Deliveries of the queue that are executed at a time
  std::uint32_t next_mark_;
};

// Returns the workload of a run over these backends. Plan and records must outlive it.
load::WorkloadFactory make_terminals(const Plan& plan, BackendFactory backends,
                                     RunRecords& records);

}  // namespace drover::tpcc
