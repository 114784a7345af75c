// SimulatedBackend: the client's side of the simulated database for one worker, with the same rules
// as the backends of real ones: a session that breaks is taken out and opened anew; while the
// server refuses, one tries and the others follow; processes that were left behind are ended before
// the data are asked.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "coro/event.h"
#include "coro/semaphore.h"
#include "scenario.h"
#include "server.h"
#include "witness.h"
#include "workload/tpcc/backend.h"
#include "workload/tpcc/random.h"

namespace drover::simulation {

class SimulatedBackend final : public tpcc::Backend {
 public:
  SimulatedBackend(const Scenario& scenario, std::size_t worker, Server& server, Witness& witness);
  ~SimulatedBackend() override;

  coro::Task<void> open() override;
  coro::Task<void> keep_open(tpcc::SessionObserver& observer) override;
  coro::Task<database::Session*> acquire() override;
  void release(database::Session& session) noexcept override;
  coro::Task<std::vector<tpcc::ResolvedCommit>> resolve(
      std::vector<tpcc::UnknownCommit> doubts) override;

 private:
  class SimulatedSession;

  coro::Task<void> connect(SimulatedSession& session);
  coro::Task<bool> try_to_reopen(SimulatedSession& session);
  coro::Task<void> reopen(SimulatedSession& session);
  coro::Task<void> reopen_once(SimulatedSession& session);
  coro::Task<bool> connect_to_resolve();
  coro::Task<void> end_abandoned();
  coro::Task<bool> connect_after_the_others(coro::Instant give_up);
  coro::Task<std::vector<tpcc::ResolvedCommit>> look_up(
      const std::vector<tpcc::UnknownCommit>& doubts);
  coro::Duration pause(int attempt);

  const Scenario& scenario_;
  const std::size_t worker_;
  Server& server_;
  Witness& witness_;
  tpcc::Rng rng_;
  std::vector<std::unique_ptr<SimulatedSession>> sessions_;
  std::vector<SimulatedSession*> idle_;
  std::deque<SimulatedSession*> lost_;
  std::vector<std::int32_t> abandoned_;
  coro::Semaphore usable_;
  coro::Notification lost_one_;
  tpcc::SessionObserver* observer_ = nullptr;
  std::size_t out_ = 0;  // sessions that the engine has
};

}  // namespace drover::simulation
