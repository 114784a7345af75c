#include "database/postgres/citus_nodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <sstream>
#include <utility>

#include "coro/sleep.h"
#include "coro/worker.h"
#include "database/error.h"
#include "text/plain_text.h"

namespace drover::database::postgres {

using coro::Task;

namespace {

constexpr std::string_view waits_for_recovery =
    "Citus recovers them once in citus.recover_2pc_interval; SELECT "
    "recover_prepared_transactions() on each node, as a superuser, recovers them at once";

// The prepared transactions of all nodes.
struct Prepared {
  std::vector<std::string> transactions;  // "node gid", sorted
  std::string failure;                    // error of a node that did not answer; empty: all did
};

Task<Prepared> find_prepared(Connection& connection) {
  Prepared found;
  for (NodeAnswer& answer : co_await ask_all_nodes(
           connection,
           R"(SELECT string_agg(gid, ' ') FROM pg_prepared_xacts WHERE gid LIKE 'citus\_%' )"
           "AND database = current_database()")) {
    if (!answer.succeeded) {
      found.failure = fmt::format("node {}: {}", answer.node, answer.text);
      continue;
    }
    std::istringstream words(answer.text);
    for (std::string gid; words >> gid;) {
      found.transactions.push_back(fmt::format("{} {}", answer.node, gid));
    }
  }
  std::ranges::sort(found.transactions);
  co_return found;
}

std::string why_not(std::size_t left, const Prepared& found) {
  if (left == 0) return fmt::format("cannot query all nodes of Citus: {}", found.failure);
  return fmt::format("{} prepared transactions are not recovered: {}", left, waits_for_recovery);
}

}  // namespace

Task<std::vector<NodeAnswer>> ask_all_nodes(Connection& connection, std::string command) {
  const std::string quoted = text::replaced(std::move(command), "'", "''");
  const Result result = co_await connection.query(
      fmt::format("SELECT nodeid, success, result FROM run_command_on_all_nodes('{}')", quoted));
  std::vector<NodeAnswer> answers;
  for (int row = 0; row < result.rows(); ++row) {
    answers.push_back({result.number<std::int32_t>(row, 0), result.text(row, 1) == "t",
                       std::string(result.text(row, 2))});
  }
  co_return answers;
}

namespace {

// Waits until the transactions in `found` have ended, and asks the nodes to recover them meanwhile.
Task<void> recover(Connection& connection, Prepared found, coro::Duration patience,
                   const std::function<void(std::string_view)>& on_wait) {
  const coro::Instant give_up = coro::Worker::current().now() + patience;
  constexpr coro::Duration pause = std::chrono::milliseconds(200);
  std::vector<std::string> left = found.transactions;
  for (int attempt = 0; !left.empty() || !found.failure.empty(); ++attempt) {
    if (coro::Worker::current().now() >= give_up) {
      throw Error(ErrorClass::unavailable, "", why_not(left.size(), found));
    }
    if (attempt == 1 && on_wait) on_wait("waiting: " + why_not(left.size(), found));
    if (attempt > 0) co_await coro::sleep_for(pause);
    // A node that cannot recover a transaction leaves it prepared, without an error.
    co_await ask_all_nodes(connection, "SELECT recover_prepared_transactions()");
    const bool was_complete = found.failure.empty();
    found = co_await find_prepared(connection);
    const auto has_ended = [&found](const std::string& one) {
      return !std::ranges::binary_search(found.transactions, one);
    };
    // A node that was away may have others.
    if (!was_complete) left = found.transactions;
    if (found.failure.empty()) std::erase_if(left, has_ended);
  }
}

}  // namespace

Task<void> recover_prepared(Connection& connection, coro::Duration patience,
                            const std::function<void(std::string_view)>& on_wait) {
  if (connection.dialect() != Dialect::citus) co_return;
  Prepared found;
  try {
    found = co_await find_prepared(connection);
  } catch (const Error& error) {
    constexpr std::string_view undefined_function = "42883";
    if (error.sqlstate() != undefined_function) throw;
    co_return;
  }
  co_await recover(connection, std::move(found), patience, on_wait);
}

Task<std::size_t> count_prepared(Connection& connection) {
  const Prepared found = co_await find_prepared(connection);
  co_return found.transactions.size();
}

Task<std::optional<std::string>> recovery_note(Connection& connection) {
  if (connection.dialect() != Dialect::citus) co_return std::nullopt;
  const Result result = co_await connection.query(
      "SELECT coalesce(bool_and(may) FILTER (WHERE proname = 'recover_prepared_transactions'), "
      "true), coalesce(bool_and(may) FILTER (WHERE proname = 'run_command_on_all_nodes'), true), "
      "current_setting('citus.recover_2pc_interval', true) "
      "FROM (SELECT proname, has_function_privilege(oid, 'EXECUTE') AS may FROM pg_proc "
      "WHERE proname IN ('recover_prepared_transactions', 'run_command_on_all_nodes')) AS known");
  if (result.text(0, 1) == "f") {
    throw Error(
        ErrorClass::denied, "42501",
        "this role may not call run_command_on_all_nodes(), with which Drover finds the prepared "
        "transactions of Citus before it compares rows. Grant EXECUTE on the function");
  }
  if (result.text(0, 0) == "t") co_return std::nullopt;
  co_return fmt::format(
      "note: this role may not call recover_prepared_transactions(). If a node fails during a "
      "commit, Drover waits until Citus recovers the transaction (citus.recover_2pc_interval = {}) "
      "before it compares its counts with the tables. To avoid the wait, grant EXECUTE on the "
      "function on all nodes",
      result.text(0, 2));
}

}  // namespace drover::database::postgres
