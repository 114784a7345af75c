#include "server.h"

#include <algorithm>
#include <utility>

#include "coro/deadline.h"
#include "coro/sleep.h"
#include "coro/worker.h"

namespace drover::simulation {

using coro::Duration;
using coro::Instant;
using coro::Task;
using database::Error;
using database::ErrorClass;

using std::chrono::seconds;

namespace {

Instant now() {
  return coro::Worker::current().now();
}

// A server that lets us in and then says nothing.
constexpr Duration connect_limit = seconds(10);
// What PostgreSQL's sessions get besides the server's own timeout.
constexpr Duration round_trip_grace = seconds(5);
constexpr int slow_factor = 20;
constexpr int slow_statement_factor = 200;

Error lost() {
  return {ErrorClass::connection_lost, "", "the server closed the connection"};
}

}  // namespace

Server::Server(const Scenario& scenario, Witness& witness, coro::Scope& scope)
    : scenario_(scenario),
      witness_(witness),
      scope_(scope),
      rng_(tpcc::Rng::stream(scenario.seed, tpcc::RandomPurpose::Test, {1})),
      tables_(scenario.plan.warehouses, scenario.undelivered) {
  const auto make = [](auto& locks, std::int32_t count) {
    for (std::int32_t i = 0; i < count; ++i) locks.push_back(std::make_unique<coro::Semaphore>(1));
  };
  make(district_locks_, scenario.plan.warehouses * tpcc::districts_per_warehouse);
  make(warehouse_locks_, scenario.plan.warehouses);
  make(delivery_locks_, scenario.plan.warehouses);
}

Task<void> Server::thawed(const Connection& connection) {
  for (;;) {
    const Instant until = std::max(frozen_until_, connection.frozen_until);
    if (until <= now()) co_return;
    co_await coro::sleep_until(until);
  }
}

Task<void> Server::spend(const Connection& connection, Duration duration) {
  const bool is_slow = now() < slow_until_;
  co_await coro::sleep_for(is_slow ? duration * slow_factor : duration);
  co_await thawed(connection);
}

// The client's side of a new session: also a frozen kernel's backlog lets it in.
Task<ConnectionPointer> Server::connect() {
  const Instant give_up = now() + connect_limit;
  co_await coro::sleep_for(scenario_.connect_time);
  const Instant frozen = frozen_until_;
  if (frozen > now()) co_await coro::sleep_until(std::min(frozen, give_up));
  if (frozen_until_ > now()) throw Error(ErrorClass::unavailable, "", "no answer: timeout expired");
  if (denies_) throw Error(ErrorClass::denied, "28P01", "password authentication failed");
  if (now() < down_until_) throw Error(ErrorClass::unavailable, "", "connection refused");
  if (now() < refuses_until_) throw Error(ErrorClass::unavailable, "53300", "too many clients");
  if (now() < standby_until_) throw Error(ErrorClass::unavailable, "25006", "it is a standby");
  auto connection = std::make_shared<Connection>();
  connection->pid = next_pid_++;
  processes_.push_back(connection);
  scope_.start(serve(connection));
  co_return connection;
}

Task<void> Server::heard(ConnectionPointer connection) {
  while (!connection->answer && !connection->cut) co_await connection->heard.wait();
}

Task<Answer> Server::ask(ConnectionPointer connection, Request request) {
  if (connection->cut) {
    connection->broken = true;
    throw lost();
  }
  connection->answer.reset();
  connection->request = std::move(request);
  connection->asked.notify();
  const Duration timeout = scenario_.statement_timeout;
  bool too_late = false;
  try {
    if (timeout > Duration::zero()) {
      co_await coro::with_deadline(now() + timeout + round_trip_grace, heard(connection));
    } else {
      co_await heard(connection);
    }
  } catch (const coro::DeadlineExceeded&) {
    too_late = true;
  } catch (const coro::Cancelled&) {
    abandon(*connection);
    throw;
  }
  if (too_late || !connection->answer) {
    abandon(*connection);
    throw lost();
  }
  co_return *std::exchange(connection->answer, std::nullopt);
}

void Server::abandon(Connection& connection) {
  connection.cut = true;
  connection.broken = true;
  connection.client_gone = true;
  connection.asked.notify();
}

// Nothing comes through any more: the client hears of it when it waits, or at its next request; the
// process when it wants to answer, or waits.
void Server::cut(Connection& connection) {
  connection.cut = true;
  connection.client_gone = true;
  connection.heard.notify();
  connection.asked.notify();
}

void Server::roll_back(Connection& connection) {
  connection.open.reset();
  connection.locks.clear();
}

void Server::end(Connection& connection) {
  roll_back(connection);
  connection.ended = true;
  std::erase_if(processes_, [&](const auto& one) { return one.get() == &connection; });
}

void Server::kill(Connection& connection) {
  cut(connection);
  end(connection);
}

void Server::kill_all() {
  for (const auto& one : std::vector(processes_)) kill(*one);
}

bool Server::terminate(std::int32_t pid) {
  const auto it = std::ranges::find(processes_, pid, [](const auto& one) { return one->pid; });
  if (it == processes_.end()) return false;
  const ConnectionPointer connection = *it;
  if (std::max(frozen_until_, connection->frozen_until) <= now()) kill(*connection);
  return true;
}

Task<void> Server::require_answers() {
  co_await coro::sleep_for(scenario_.statement_time);
  if (frozen_until_ > now()) co_await coro::sleep_until(frozen_until_);
  if (denies_) throw Error(ErrorClass::denied, "28P01", "password authentication failed");
  if (now() < down_until_) throw lost();
}

Task<void> Server::serve(ConnectionPointer connection) {
  Connection& own = *connection;
  while (!own.ended) {
    if (!own.request) {
      if (own.client_gone) break;
      co_await own.asked.wait();
      continue;
    }
    const Request request = *std::exchange(own.request, std::nullopt);
    Answer answer;
    co_await handle(own, request, answer);
    if (own.ended || own.client_gone) break;
    if (answer.error) roll_back(own);
    own.answer = std::move(answer);
    own.heard.notify();
  }
  if (!own.ended) end(own);
}

Task<void> Server::handle(Connection& connection, const Request& request, Answer& answer) {
  const Duration way = scenario_.statement_time / 4;
  co_await spend(connection, way);
  if (connection.ended) co_return;
  if (request.statements) {
    const Duration timeout = scenario_.statement_timeout;
    bool too_long = false;
    try {
      Task<void> executing = execute(connection, *request.statements, answer);
      if (timeout > Duration::zero()) {
        co_await coro::with_deadline(now() + timeout, std::move(executing));
      } else {
        co_await std::move(executing);
      }
    } catch (const coro::DeadlineExceeded&) {
      too_long = true;
    }
    if (too_long) {
      co_await thawed(connection);
      answer.error.emplace(ErrorClass::timed_out, "57014", "canceling statement due to timeout");
    }
  }
  if (connection.ended || answer.error) co_return;
  if (request.roll_back) roll_back(connection);
  if (request.commit) co_await commit(connection, answer);
  if (connection.ended || connection.client_gone) co_return;
  co_await spend(connection, way);
}

Duration Server::statement_time() {
  const Duration mean = scenario_.statement_time;
  const auto time =
      Duration(static_cast<std::int64_t>(static_cast<double>(mean.count()) * (0.5 + rng_.unit())));
  return one_in(scenario_.requests.slow) ? time * slow_statement_factor : time;
}

std::optional<Error> Server::statement_fault() {
  const RequestFaults& faults = scenario_.requests;
  if (now() < standby_until_) {
    return Error(ErrorClass::unavailable, "25006",
                 "cannot execute UPDATE in a read-only transaction");
  }
  if (one_in(faults.deadlock)) return Error(ErrorClass::retryable, "40P01", "deadlock detected");
  if (one_in(faults.serialization_failure)) {
    return Error(ErrorClass::retryable, "40001", "could not serialize access");
  }
  if (one_in(faults.overloaded)) {
    return Error(ErrorClass::retryable, "", "overloaded", database::Backoff::slow);
  }
  if (one_in(faults.unique_violation)) {
    return Error(ErrorClass::statement, "23505", "duplicate key value");
  }
  if (one_in(faults.disk_full)) return Error(ErrorClass::statement, "53100", "disk full");
  if (one_in(faults.cancelled)) return Error(ErrorClass::timed_out, "57014", "canceled by a user");
  if (one_in(faults.no_permission)) {
    return Error(ErrorClass::denied, "42501", "permission denied for table");
  }
  return std::nullopt;
}

Task<void> Server::take(Connection& connection, coro::Semaphore& lock) {
  auto permit = co_await lock.acquire();
  if (!connection.ended) connection.locks.push_back(std::move(permit));
}

// In an order that makes no deadlock: a transaction takes one lock.
Task<void> Server::lock(Connection& connection, const tpcc::Input& input) {
  const auto of = [](auto& locks, std::int32_t number) -> coro::Semaphore& {
    return *locks.at(static_cast<std::size_t>(number));
  };
  if (const auto* order = std::get_if<tpcc::NewOrderInput>(&input)) {
    const std::int32_t district =
        (order->w_id - 1) * tpcc::districts_per_warehouse + order->d_id - 1;
    co_await take(connection, of(district_locks_, district));
  } else if (const auto* payment = std::get_if<tpcc::PaymentInput>(&input)) {
    co_await take(connection, of(warehouse_locks_, payment->w_id - 1));
  } else if (const auto* delivery = std::get_if<tpcc::DeliveryInput>(&input)) {
    co_await take(connection, of(delivery_locks_, delivery->w_id - 1));
  }
}

Task<void> Server::execute(Connection& connection, const Change& change, Answer& answer) {
  if (auto error = statement_fault()) {
    answer.error = std::move(error);
    co_return;
  }
  co_await lock(connection, change.input);
  if (connection.ended) co_return;
  co_await spend(connection, statement_time());
  if (connection.ended) co_return;
  connection.open = change;
  if (const auto* order = std::get_if<tpcc::NewOrderInput>(&change.input)) {
    connection.open->o_id = tables_.next_o_id(order->w_id, order->d_id);
    answer.o_id = connection.open->o_id;
  } else if (const auto* delivery = std::get_if<tpcc::DeliveryInput>(&change.input)) {
    connection.open->delivered = tables_.to_deliver(delivery->w_id);
    answer.delivered = connection.open->delivered;
  } else if (!std::holds_alternative<tpcc::PaymentInput>(change.input)) {
    roll_back(connection);  // it only reads
  }
}

Server::CommitFate Server::commit_fate() {
  const RequestFaults& faults = scenario_.requests;
  if (one_in(faults.cut_before_commit)) return CommitFate::cut_before;
  if (one_in(faults.cut_after_commit)) return CommitFate::cut_after;
  if (one_in(faults.commit_on_its_own)) return CommitFate::on_its_own;
  if (one_in(faults.commit_fails)) return CommitFate::fails;
  if (one_in(faults.commit_rolls_back)) return CommitFate::rolled_back;
  return CommitFate::answered;
}

Task<void> Server::commit(Connection& connection, Answer& answer) {
  const CommitFate fate = commit_fate();
  if (fate == CommitFate::on_its_own) cut(connection);
  const bool late = fate == CommitFate::on_its_own && one_in(2);
  co_await spend(connection, late ? Duration(seconds(3)) : scenario_.statement_time / 2);
  if (connection.ended) co_return;
  switch (fate) {
    case CommitFate::cut_before:
      kill(connection);
      co_return;
    case CommitFate::fails:
      answer.error.emplace(ErrorClass::retryable, "40001", "could not serialize access");
      co_return;
    case CommitFate::rolled_back:
      answer.error.emplace(ErrorClass::statement, "", "COMMIT was answered with ROLLBACK");
      co_return;
    default:
      break;
  }
  if (connection.open) {
    connection.open->committed = now();
    witness_.note("in the data", static_cast<std::int64_t>(connection.open->attempt));
    tables_.commit(std::move(*connection.open));
    roll_back(connection);
  }
  if (fate == CommitFate::cut_after) kill(connection);
}

std::vector<ConnectionPointer> Server::some_processes() {
  std::vector<ConnectionPointer> some;
  for (const auto& one : processes_) {
    if (rng_.one_in(2)) some.push_back(one);
  }
  return some;
}

Task<void> Server::strike(Fault fault) {
  co_await coro::sleep_until(fault.start);
  const Instant until = now() + fault.length;
  witness_.note(fault_name(fault.kind), fault.length.count(), fault.lost.count());
  switch (fault.kind) {
    case FaultKind::crash:
    case FaultKind::failover:
      kill_all();
      frozen_until_ = {};
      down_until_ = std::max(down_until_, until);
      break;
    case FaultKind::standby:
      standby_until_ = std::max(standby_until_, until);
      break;
    case FaultKind::freeze:
      frozen_until_ = std::max(frozen_until_, until);
      break;
    case FaultKind::freeze_some:
      for (const auto& one : some_processes()) one->frozen_until = until;
      break;
    case FaultKind::refuse:
      refuses_until_ = std::max(refuses_until_, until);
      break;
    case FaultKind::cut_some:
      for (const auto& one : some_processes()) cut(*one);
      break;
    case FaultKind::cut_all:
      for (const auto& one : std::vector(processes_)) cut(*one);
      break;
    case FaultKind::deny:
      kill_all();
      denies_ = true;
      break;
    case FaultKind::slow:
      slow_until_ = std::max(slow_until_, until);
      break;
  }
  if (fault.kind != FaultKind::failover) co_return;
  const std::size_t before = tables_.log().size();
  const std::vector<Change> log = tables_.log();
  tables_.lose_since(now() - fault.lost);
  for (std::size_t i = tables_.log().size(); i < before; ++i) {
    witness_.attempts().at(log[i].attempt).lost = true;
  }
  witness_.note("commits lost", static_cast<std::int64_t>(before - tables_.log().size()));
}

}  // namespace drover::simulation
