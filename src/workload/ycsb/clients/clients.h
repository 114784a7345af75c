// YCSB as a workload of the engine: the plan of a run, one worker's clients, and what is counted of
// their operations.
//
// Clients belong to their worker. All workers share the InsertSequence and the turn.
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
#include "load/plan.h"
#include "load/workload.h"
#include "measure/counter.h"
#include "workload/ycsb/backend.h"
#include "workload/ycsb/clients/insert_sequence.h"
#include "workload/ycsb/clients/operations.h"
#include "workload/ycsb/properties/properties.h"

namespace drover::ycsb {

// Returns what is shown of a run. Its types are the operations whose proportion is above 0, in the
// order of OperationType.
load::WorkloadInfo workload_info(const Properties& properties);

// Returns the place of each operation among these types, and 0 for operations without a share.
std::array<std::size_t, operation_type_count> places_of_types(const Properties& properties);

// A run of YCSB: validated, with every "auto" resolved. Values only.
struct Plan : load::Plan {
  Properties properties;
  std::vector<RowRange> missing_rows;  // rows of the client's part that do not exist, ascending
  // The first row to insert. The stride is the number of hosts, so that each inserts its own rows.
  std::uint64_t next_row = 0;
  // The stamp of the first attempt. Nothing: random, to tell runs apart. Simulations set it.
  std::optional<std::uint64_t> first_stamp = {};

  // Derives `workload` from the properties, which must not change afterwards.
  void complete() { workload = workload_info(properties); }
};

// What one worker counts in addition to the engine's counters, over all phases. Written by the
// worker's thread. first_wrong may be read after the worker has been joined, the rest at any time.
struct alignas(measure::cache_line_bytes) WorkerCounts {
  // Writes that are known to be in the data, including unknown commits that were resolved. An
  // update and a read-modify-write increment the version of each written field.
  measure::Counter inserts;
  measure::Counter versions;
  // Writes whose outcome stayed unknown.
  measure::Counter inserts_unresolved;
  measure::Counter versions_unresolved;

  measure::Counter rows_read;
  measure::Counter values_verified;
  measure::Counter values_wrong;
  measure::Counter not_found;  // attempts whose row does not exist
  std::string first_wrong;
};

// The sums of all workers' counts of writes.
struct Ledger {
  std::uint64_t inserts = 0;
  std::uint64_t inserts_unresolved = 0;
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

  // Requires: the run has ended.
  Ledger ledger() const;

  std::deque<WorkerCounts> workers;
  InsertSequence sequence;
  random::Sequential turn;
};

class Clients final : public load::Workload {
 public:
  // `index` of `plan.threads` workers. `plan` and `records` must outlive the object. Throws
  // PropertyError if operations need rows and there are none.
  Clients(const Plan& plan, std::size_t index, std::unique_ptr<Backend> backend,
          RunRecords& records);

  database::Backend& backend() noexcept override { return *backend_; }
  std::size_t terminals() const noexcept override { return loop_.clients(); }
  void start_terminals(load::ClientGroup& group) override;
  coro::Task<std::vector<database::Resolution>> resolve(
      std::vector<const load::Transaction*> unknown) override;
  void leave_unresolved(std::size_t unknown) override;

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
    // Gives up the row of an insert that has not succeeded.
    ~Transaction() override;

    UnknownCommit unknown_commit() const { return {.operation = operation_, .trace = trace_}; }

    std::size_t type() const noexcept override {
      return clients_->places_[static_cast<std::size_t>(operation_.type)];
    }
    coro::Task<void> execute(database::Session& session) override;
    bool committed() const noexcept override { return true; }
    bool commit_sent() const noexcept override { return trace_.commit_sent; }
    void count(bool measured) override;
    std::unique_ptr<load::Transaction> keep() const override;

   private:
    bool is_insert() const noexcept { return operation_.type == OperationType::insert; }

    Clients* clients_;
    Operation operation_;
    WriteTrace trace_;
    OperationOutcome outcome_;
    bool owns_row_;  // must settle the number of an insert
  };

  void count_write(const Operation& operation, measure::Counter& inserts,
                   measure::Counter& versions) const;

  const Plan& plan_;
  const std::size_t index_;
  const std::unique_ptr<Backend> backend_;
  WorkerCounts& counts_;
  InsertSequence& sequence_;
  const std::array<std::size_t, operation_type_count> places_;
  Operations operations_;
  std::vector<OperationSource> sources_;  // one per client
  load::ClientLoop loop_;
  std::uint64_t next_stamp_;
};

// Returns the workload of a run over these backends. `plan` and `records` must outlive it.
load::WorkloadFactory make_clients(const Plan& plan, BackendFactory backends, RunRecords& records);

}  // namespace drover::ycsb
