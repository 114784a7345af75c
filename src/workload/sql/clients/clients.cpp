#include "workload/sql/clients/clients.h"

#include <utility>

#include "load/client_group.h"
#include "load/clients.h"

namespace drover::sql {
namespace {

class ScriptClients final : public load::Workload {
 public:
  ScriptClients(const ScriptPlan& plan, std::size_t index,
                std::unique_ptr<database::Backend> backend, WorkerCounts& counts)
      : plan_(plan),
        backend_(std::move(backend)),
        counts_(counts),
        context_{.scripts = *plan.scripts, .counts = counts},
        loop_(plan, index) {
    for (std::size_t i = 0; i < loop_.clients(); ++i) {
      clients_.emplace_back(plan, plan.first_client() + index + i * plan.threads, context_);
    }
  }

  database::Backend& backend() noexcept override { return *backend_; }
  std::size_t terminals() const noexcept override { return loop_.clients(); }

  void start_terminals(load::ClientGroup& group) override {
    context_.recorder = &group.recorder();
    loop_.start(group, [this](std::size_t number) {
      ClientState& client = clients_[number / plan_.threads];
      return ScriptTransaction(client, client.choose());
    });
  }

  // Unknown commits stay unresolved, because the data of a script is unknown.
  coro::Task<std::vector<database::Resolution>> resolve(
      std::vector<const load::Transaction*> unknown) override {
    leave_unresolved(unknown.size());
    co_return std::vector(unknown.size(), database::Resolution::unknown);
  }
  void leave_unresolved(std::size_t unknown) override { counts_.unresolved.add(unknown); }

 private:
  const ScriptPlan& plan_;
  const std::unique_ptr<database::Backend> backend_;
  WorkerCounts& counts_;
  WorkerContext context_;
  std::deque<ClientState> clients_;  // transactions refer to them
  load::ClientLoop loop_;
};

}  // namespace

load::WorkloadInfo workload_info(const ScriptPlan& plan) {
  load::WorkloadInfo info;
  info.benchmark = "SQL";
  info.key = "sql";
  info.types.clear();
  for (std::size_t i = 0; i < plan.scripts->titles().size(); ++i) {
    info.types.push_back({.name = plan.scripts->titles()[i], .share = plan.scripts->shares()[i]});
  }
  info.terminal = "client";
  info.looks_up_commits = false;
  return info;
}

load::WorkloadFactory make_clients(const ScriptPlan& plan, BackendFactory backends,
                                   RunCounts& counts) {
  return [&plan, backends = std::move(backends), &counts](std::size_t index) {
    return std::make_unique<ScriptClients>(plan, index, backends(index), counts.workers[index]);
  };
}

}  // namespace drover::sql
