#include "workload/sql/clients/clients.h"

#include <utility>

#include "load/herd.h"

namespace drover::sql {

Clients::Clients(const Plan& plan, std::size_t index, std::unique_ptr<database::Backend> backend,
                 RunRecords& records)
    : plan_(plan),
      backend_(std::move(backend)),
      counts_(records.workers[index]),
      surroundings_{.scripts = *plan.scripts, .counts = counts_},
      loop_(plan, index) {
  for (std::size_t i = 0; i < loop_.clients(); ++i) {
    clients_.emplace_back(plan, plan.first_client() + index + i * plan.threads, surroundings_);
  }
}

void Clients::start_terminals(load::Herd& herd) {
  surroundings_.recorder = &herd.recorder();
  loop_.start(herd, [this](std::size_t number) {
    Client& client = clients_[number / plan_.threads];
    return ScriptTransaction(client, client.choose());
  });
}

coro::Task<std::vector<database::Resolution>> Clients::resolve(
    std::vector<const load::Transaction*> doubts) {
  counts_.unresolved.add(doubts.size());
  co_return std::vector(doubts.size(), database::Resolution::unknown);
}

load::WorkloadFactory make_clients(const Plan& plan, BackendFactory backends, RunRecords& records) {
  return [&plan, backends = std::move(backends), &records](std::size_t index) {
    return std::make_unique<Clients>(plan, index, backends(index), records);
  };
}

}  // namespace drover::sql
