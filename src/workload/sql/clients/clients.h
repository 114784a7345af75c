// Clients: scripts as a workload of the engine: one worker's clients, each of which executes a script after the other,
// chosen by their weights. Its variables stay from one script to the next, as in pgbench.
//
// Belongs to its worker.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <vector>

#include "load/clients.h"
#include "load/workload.h"
#include "workload/sql/backend.h"
#include "workload/sql/clients/plan.h"
#include "workload/sql/clients/script_transaction.h"
#include "workload/sql/clients/worker_counts.h"

namespace drover::sql {

class Clients final : public load::Workload {
 public:
  // `index` of `plan.threads` workers. All but the backend must outlive it.
  Clients(const Plan& plan, std::size_t index, std::unique_ptr<database::Backend> backend,
          RunRecords& records);

  database::Backend& backend() noexcept override { return *backend_; }
  std::size_t terminals() const noexcept override { return loop_.clients(); }
  void start_terminals(load::Herd& herd) override;

  // Nothing is known of the data of a script: what is in doubt stays so.
  coro::Task<std::vector<database::Resolution>> resolve(
      std::vector<const load::Transaction*> doubts) override;
  void leave_unresolved(std::size_t doubts) override { counts_.unresolved.add(doubts); }

 private:
  const Plan& plan_;
  const std::unique_ptr<database::Backend> backend_;
  WorkerCounts& counts_;
  ClientSurroundings surroundings_;
  std::deque<Client> clients_;  // transactions refer to them
  load::ClientLoop loop_;
};

// The workload of a run over these backends. `plan` and `records` must outlive it.
load::WorkloadFactory make_clients(const Plan& plan, BackendFactory backends, RunRecords& records);

}  // namespace drover::sql
