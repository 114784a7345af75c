#include "simulated_backend.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "coro/deadline.h"
#include "coro/scope.h"
#include "coro/sleep.h"
#include "coro/worker.h"

namespace drover::simulation {

using coro::Duration;
using coro::Instant;
using coro::Task;
using database::Error;
using database::ErrorClass;
using tpcc::Outcome;
using tpcc::Trace;

namespace {

Instant now() {
  return coro::Worker::current().now();
}

bool reads_only(const tpcc::Input& input) {
  return std::holds_alternative<tpcc::OrderStatusInput>(input) ||
         std::holds_alternative<tpcc::StockLevelInput>(input);
}

bool is_to_be_rolled_back(const tpcc::Input& input) {
  const auto* order = std::get_if<tpcc::NewOrderInput>(&input);
  return order != nullptr && order->rollback;
}

}  // namespace

class SimulatedBackend::SimulatedSession final : public tpcc::Session {
 public:
  explicit SimulatedSession(SimulatedBackend& backend) noexcept : backend_(backend) {}

  Task<Outcome> execute(const tpcc::Input& input, Trace& trace) override {
    Witness& witness = backend_.witness_;
    const std::size_t attempt = witness.begin(backend_.worker_, input, trace.mark);
    if (busy_) witness.fault("a session executes two transactions at a time");
    check_repetition(attempt);
    last_attempt_ = attempt;
    busy_ = true;
    Outcome outcome;
    std::optional<Error> error;
    try {
      outcome = co_await transact(input, trace, attempt);
    } catch (const Error& thrown) {
      error = thrown;
    } catch (const coro::Cancelled&) {
      busy_ = false;
      witness.cancelled(attempt, trace.commit_sent);
      throw;
    }
    busy_ = false;
    if (error) {
      const bool is_lost = error->error_class() == ErrorClass::connection_lost;
      if (is_lost && trace.commit_sent) {
        error.emplace(ErrorClass::ambiguous_commit, "", "no answer to COMMIT");
      }
      if (error->error_class() == ErrorClass::unavailable) give_up();
      witness.failed(attempt, *error, trace.commit_sent);
      throw Error(*error);
    }
    if (outcome.committed) {
      witness.committed(attempt, outcome.orders_delivered());
    } else {
      witness.rolled_back(attempt);
    }
    co_return outcome;
  }

  void taken() noexcept {
    last_attempt_.reset();
    attempts_ = 0;
  }

  // Whoever has an answer, or none to wait for, gives the session back at once: others wait for it.
  void check_return() const {
    if (!last_attempt_) return;
    const Attempt& last = backend_.witness_.attempts()[*last_attempt_];
    if (last.is_retryable() || last.ended == now()) return;
    backend_.witness_.fault(fmt::format("attempt {} has kept its session for {} ns after its end",
                                        *last_attempt_, (now() - last.ended).count()));
  }

  bool usable() const noexcept { return connection != nullptr && !connection->broken; }

  void give_up() {
    if (connection != nullptr) Server::abandon(*connection);
    connection.reset();
  }

  ConnectionPointer connection;
  std::int32_t pid = 0;
  std::optional<coro::Semaphore::Permit> permit;  // while it is out, or lost

 private:
  Task<Answer> ask(Request request) {
    Answer answer = co_await backend_.server_.ask(connection, std::move(request));
    if (answer.error) throw Error(*answer.error);
    co_return answer;
  }

  Task<Outcome> transact(const tpcc::Input& input, Trace& trace, std::size_t attempt) {
    Change change;
    change.attempt = attempt;
    change.input = input;
    change.mark = trace.mark;
    Request request;
    request.statements = std::move(change);
    const bool numbered = std::holds_alternative<tpcc::NewOrderInput>(input);
    const bool at_once = backend_.scenario_.batched && !numbered;
    Outcome outcome;
    if (reads_only(input)) {
      co_await ask(std::move(request));
      co_return outcome;
    }
    request.commit = at_once;
    trace.commit_sent = at_once;
    const Answer answer = co_await ask(std::move(request));
    trace.o_id = answer.o_id;
    outcome.delivered = answer.delivered;
    if (at_once) co_return outcome;
    Request last;
    outcome.committed = !is_to_be_rolled_back(input);
    last.commit = outcome.committed;
    last.roll_back = !outcome.committed;
    trace.commit_sent = outcome.committed;
    co_await ask(std::move(last));
    co_return outcome;
  }

  // Only what may be tried again is, with the same inputs, in time, and not too often.
  void check_repetition(std::size_t attempt) {
    Witness& witness = backend_.witness_;
    const load::RetryPolicy& retry = backend_.scenario_.plan.retry;
    if (++attempts_ > retry.attempts_max) {
      witness.fault(fmt::format("attempt {} is one too many", attempt));
    }
    if (!last_attempt_) return;
    const Attempt& last = witness.attempts()[*last_attempt_];
    if (!last.is_retryable() || last.type() != witness.attempts()[attempt].type()) {
      witness.fault(fmt::format("attempt {} follows one that was final", attempt));
    }
    const bool may_be_late = !backend_.scenario_.standstills.empty();
    const Duration longest = last.is_slow ? retry.slow_pause_max : retry.pause_max;
    constexpr Duration tick = std::chrono::milliseconds(1);
    if (!may_be_late && now() - last.ended > longest + tick) {
      witness.fault(fmt::format("attempt {} comes late", attempt));
    }
  }

  SimulatedBackend& backend_;
  bool busy_ = false;
  std::optional<std::size_t> last_attempt_;  // since it was taken
  int attempts_ = 0;
};

SimulatedBackend::SimulatedBackend(const Scenario& scenario, std::size_t worker, Server& server,
                                   Witness& witness)
    : scenario_(scenario),
      worker_(worker),
      server_(server),
      witness_(witness),
      rng_(tpcc::Rng::stream(scenario.seed, tpcc::RandomPurpose::Test, {2, worker})),
      usable_(scenario.plan.share_of_worker(worker, scenario.plan.connections)) {
  for (std::size_t i = 0; i < usable_.available(); ++i) {
    sessions_.push_back(std::make_unique<SimulatedSession>(*this));
    idle_.push_back(sessions_.back().get());
  }
}

SimulatedBackend::~SimulatedBackend() {
  if (out_ != 0) witness_.fault(fmt::format("{} sessions were never given back", out_));
  for (const auto& session : sessions_) session->give_up();
}

Task<void> SimulatedBackend::connect(SimulatedSession& session) {
  session.give_up();
  session.connection = co_await server_.connect();
  session.pid = session.connection->pid;
}

Task<void> SimulatedBackend::open() {
  auto open_all = [this](coro::Scope& scope) -> Task<void> {
    for (const auto& session : sessions_) scope.start(connect(*session));
    co_return;
  };
  co_await coro::with_scope(open_all);
}

// Says whether it is open. Throws when there is no hope, or nobody is to wait.
Task<bool> SimulatedBackend::try_to_reopen(SimulatedSession& session) {
  std::optional<Error> refusal;
  try {
    co_await connect(session);
  } catch (const Error& error) {
    refusal = error;
  }
  if (refusal) {
    witness_.session_refused(worker_);
    observer_->on_session_refused(*refusal);
    const bool hopeless = refusal->error_class() == ErrorClass::denied;
    if (hopeless || !scenario_.wait_for_server) throw Error(*refusal);
    co_return false;
  }
  idle_.insert(idle_.begin(), &session);
  session.permit.reset();
  witness_.session_opened(worker_);
  observer_->on_session_opened();
  co_return true;
}

Duration SimulatedBackend::pause(int attempt) {
  constexpr Duration first = std::chrono::milliseconds(50);
  constexpr Duration longest = std::chrono::milliseconds(500);
  const Duration most = std::min<Duration>(first * (1 << std::min(attempt, 8)), longest);
  return Duration(static_cast<std::int64_t>(static_cast<double>(most.count()) * rng_.unit()));
}

Task<void> SimulatedBackend::reopen(SimulatedSession& session) {
  for (int attempt = 0;; ++attempt) {
    if (co_await try_to_reopen(session)) co_return;
    co_await coro::sleep_for(pause(attempt));
  }
}

Task<void> SimulatedBackend::reopen_once(SimulatedSession& session) {
  if (co_await try_to_reopen(session)) co_return;
  lost_.push_back(&session);
  lost_one_.notify();
}

Task<void> SimulatedBackend::keep_open(tpcc::SessionObserver& observer) {
  observer_ = &observer;
  for (;;) {
    co_await lost_one_.wait();
    while (!lost_.empty()) {
      SimulatedSession* first = lost_.front();
      lost_.pop_front();
      co_await reopen(*first);
      const std::deque<SimulatedSession*> others = std::exchange(lost_, {});
      auto reopen_others = [&](coro::Scope& scope) -> Task<void> {
        for (SimulatedSession* session : others) scope.start(reopen_once(*session));
        co_return;
      };
      co_await coro::with_scope(reopen_others);
    }
  }
}

Task<database::Session*> SimulatedBackend::acquire() {
  auto permit = co_await usable_.acquire();
  SimulatedSession* session = idle_.back();
  idle_.pop_back();
  session->permit.emplace(std::move(permit));
  session->taken();
  ++out_;
  co_return session;
}

void SimulatedBackend::release(database::Session& session) noexcept {
  auto& returned = static_cast<SimulatedSession&>(session);
  --out_;
  returned.check_return();
  if (returned.usable()) {
    idle_.push_back(&returned);
    returned.permit.reset();
    return;
  }
  abandoned_.push_back(returned.pid);
  returned.connection.reset();
  lost_.push_back(&returned);
  witness_.session_lost(worker_);
  if (observer_ != nullptr) observer_->on_session_lost();
  lost_one_.notify();
}

// Until the server has none of them any more.
Task<void> SimulatedBackend::end_abandoned() {
  const Instant give_up = now() + scenario_.resolve_patience;
  for (;;) {
    co_await server_.require_answers();
    std::size_t left = 0;
    for (const std::int32_t pid : abandoned_) left += server_.terminate(pid) ? 1 : 0;
    if (left == 0) break;
    if (now() >= give_up) throw Error(ErrorClass::denied, "", "old sessions go on");
    co_await coro::sleep_for(std::chrono::milliseconds(20));
  }
  abandoned_.clear();
}

Task<bool> SimulatedBackend::connect_to_resolve() {
  const ConnectionPointer connection = co_await server_.connect();
  Server::abandon(*connection);  // what is asked then goes to the tables themselves
  co_await end_abandoned();
  co_return true;
}

Task<bool> SimulatedBackend::connect_after_the_others(Instant give_up) {
  for (int attempt = 0; now() < give_up; ++attempt) {
    try {
      co_return co_await coro::with_deadline(give_up, connect_to_resolve());
    } catch (const Error& error) {
      if (error.error_class() == ErrorClass::denied) break;
    } catch (const coro::DeadlineExceeded&) {
      break;
    }
    co_await coro::sleep_for(pause(attempt));
  }
  co_return false;
}

Task<std::vector<tpcc::ResolvedCommit>> SimulatedBackend::look_up(
    const std::vector<tpcc::UnknownCommit>& doubts) {
  std::vector<tpcc::ResolvedCommit> findings;
  for (const tpcc::UnknownCommit& doubt : doubts) {
    co_await server_.require_answers();
    findings.push_back(server_.tables().find(doubt));
  }
  co_return findings;
}

Task<std::vector<tpcc::ResolvedCommit>> SimulatedBackend::resolve(
    std::vector<tpcc::UnknownCommit> doubts) {
  if (out_ != 0) witness_.fault("the data are asked while transactions are under way");
  for (const tpcc::UnknownCommit& doubt : doubts) witness_.asked(worker_, doubt);
  for (const auto& session : sessions_) session->give_up();
  std::vector<tpcc::ResolvedCommit> findings(doubts.size());
  if (co_await connect_after_the_others(now() + scenario_.resolve_patience)) {
    const Instant give_up = now() + 10 * scenario_.resolve_patience;
    try {
      findings = co_await coro::with_deadline(give_up, look_up(doubts));
    } catch (const Error&) {
      // Unknown, like what takes too long.
    } catch (const coro::DeadlineExceeded&) {
    }
  }
  for (std::size_t i = 0; i < doubts.size(); ++i) witness_.found(worker_, doubts[i], findings[i]);
  co_return findings;
}

}  // namespace drover::simulation
