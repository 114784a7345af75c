// Clients: YCSB as a workload of the engine: one worker's clients, what they execute, and what is
// counted of it.
//
// Belongs to its worker, except the InsertSequence and the turn, which all workers share.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "coro/task.h"
#include "load/client_group.h"
#include "load/clients.h"
#include "load/workload.h"
#include "measure/counter.h"
#include "workload/ycsb/backend.h"
#include "workload/ycsb/clients/insert_sequence.h"
#include "workload/ycsb/clients/operations.h"
#include "workload/ycsb/clients/plan.h"

namespace drover::ycsb {

// What one worker counts beside what the engine counts of any workload, over all phases: written by the worker's thread,
// and read when the run has ended, but for first_wrong at any time.
struct alignas(measure::cache_line_bytes) WorkerCounts {
  // Known to be in the data: what was answered, and after the run what was resolved.
  measure::Counter inserts;
  measure::Counter updates;
  measure::Counter read_modify_writes;
  measure::Counter versions;  // fields that the last two have counted up
  // Nobody knows.
  measure::Counter inserts_unresolved;
  measure::Counter versions_unresolved;

  measure::Counter rows_read;
  measure::Counter values_verified;
  measure::Counter values_wrong;
  measure::Counter not_found;  // attempts whose row was not there
  std::string first_wrong;     // for the end, when the worker has been joined
};

// The same of all workers: what the clients of a run know to have written, and what of it may be in the table or not.
struct Ledger {
  std::uint64_t inserts = 0;
  std::uint64_t inserts_unresolved = 0;
  std::uint64_t updates = 0;
  std::uint64_t read_modify_writes = 0;
  std::uint64_t versions = 0;
  std::uint64_t versions_unresolved = 0;
};

// State that the workers of a run share: the counts, of which each worker writes its own, the
// inserted rows, and the position of `sequential`.
struct RunRecords {
  explicit RunRecords(const Plan& plan)
      : workers(plan.threads),
        sequence(plan.next_row, plan.share.ranks),
        turn(plan.terminal_count == 0
                 ? random::Sequential()
                 : random::Sequential(static_cast<std::uint32_t>(plan.first_client()),
                                      static_cast<std::uint32_t>(plan.terminal_count),
                                      static_cast<std::uint32_t>(plan.clients))) {}

  // When the run has ended.
  Ledger ledger() const;

  std::deque<WorkerCounts> workers;
  InsertSequence sequence;
  random::Sequential turn;
};

class Clients final : public load::Workload {
 public:
  // `index` of `plan.threads` workers. All but the backend must outlive it. Throws PropertyError where operations want
  // rows and there are none.
  Clients(const Plan& plan, std::size_t index, std::unique_ptr<Backend> backend,
          RunRecords& records);

  database::Backend& backend() noexcept override { return *backend_; }
  std::size_t terminals() const noexcept override { return loop_.clients(); }
  void start_terminals(load::ClientGroup& group) override;
  coro::Task<std::vector<database::Resolution>> resolve(
      std::vector<const load::Transaction*> doubts) override;
  void leave_unresolved(std::size_t doubts) override;

 private:
  class Transaction final : public load::Transaction {
   public:
    Transaction(Clients& clients, const Operation& operation) noexcept
        : clients_(&clients), operation_(operation), owns_row_(is_insert()) {}
    Transaction(Transaction&& other) noexcept
        : clients_(other.clients_),
          operation_(other.operation_),
          trace_(other.trace_),
          outcome_(std::move(other.outcome_)),
          owns_row_(std::exchange(other.owns_row_, false)) {}
    Transaction& operator=(Transaction&&) = delete;
    // The row of an insert that has not succeeded is given up.
    ~Transaction() override;

    Doubt doubt() const { return {.operation = operation_, .trace = trace_}; }

    std::size_t type() const noexcept override { return clients_->place_of(operation_.type); }
    coro::Task<void> execute(database::Session& session) override;
    bool committed() const noexcept override { return true; }
    bool commit_sent() const noexcept override { return trace_.commit_sent; }
    void count(bool measured) override;
    std::unique_ptr<load::Transaction> keep() const override;

   private:
    bool is_insert() const noexcept { return operation_.type == OperationType::insert; }

    Clients* clients_;
    Operation operation_;
    Trace trace_;
    Outcome outcome_;
    bool owns_row_;  // of an insert: is to settle it
  };

  std::size_t place_of(OperationType type) const noexcept {
    return places_[static_cast<std::size_t>(type)];
  }
  std::uint64_t fields_written(const Operation& operation) const noexcept;
  void enter_in_ledger(const Operation& operation);
  void leave_out_of_ledger(const Operation& operation);
  void count_found(const Outcome& outcome);

  const Plan& plan_;
  const std::size_t index_;
  const std::unique_ptr<Backend> backend_;
  WorkerCounts& counts_;
  InsertSequence& sequence_;
  const std::array<std::size_t, operation_type_count> places_;
  Operations operations_;
  std::vector<OperationSource> sources_;  // a client each
  load::ClientLoop loop_;
  std::uint64_t next_stamp_;
};

// The workload of a run over these backends. `plan` and `records` must outlive it.
load::WorkloadFactory make_clients(const Plan& plan, BackendFactory backends, RunRecords& records);

}  // namespace drover::ycsb
