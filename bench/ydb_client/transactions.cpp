// Measures the client's cost of a transaction on YDB against ydb_stub: the transactions of one
// type, or of the whole mix, one after the other on each of several sessions of one worker. The
// processor time is that of all threads of this process, including gRPC's. Prints one line of JSON.
//
//   build/release/bench/ydb_client/ydb_client_transactions --port 2136 --transaction Payment
#include <fmt/format.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <optional>
#include <string>

#include "coro/block_on.h"
#include "coro/scope.h"
#include "coro/worker.h"
#include "workload/tpcc/input.h"
#include "workload/tpcc/random.h"
#include "workload/tpcc/ydb/database_on_ydb.h"

namespace drover::bench {
namespace {

using coro::Task;
using tpcc::Input;
using tpcc::TransactionType;

constexpr std::int32_t warehouses = 100;

struct Options {
  int port = 0;
  std::string transaction = "mix";
  std::optional<TransactionType> type;  // none: the mix
  std::string statements = "batched";
  std::int64_t count = 10'000;
  std::int64_t warm_up = 1'000;
  std::size_t sessions = 16;
};

struct Cpu {
  double user_us = 0;
  double system_us = 0;
};

Cpu cpu_so_far() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto us = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_usec);
  };
  return {us(usage.ru_utime), us(usage.ru_stime)};
}

Input make_input(tpcc::Rng& rng, TransactionType type) {
  const tpcc::InputContext context{.warehouses = warehouses, .constants = {}};
  const std::int32_t w_id = rng.uniform(1, warehouses);
  switch (type) {
    case TransactionType::NewOrder:
      return tpcc::make_new_order(rng, context, w_id);
    case TransactionType::Payment:
      return tpcc::make_payment(rng, context, w_id);
    case TransactionType::OrderStatus:
      return tpcc::make_order_status(rng, context, w_id);
    case TransactionType::Delivery:
      return tpcc::make_delivery(rng, w_id);
    case TransactionType::StockLevel:
      break;
  }
  return tpcc::make_stock_level(rng, w_id, 1);
}

// What all sessions share.
struct Work {
  tpcc::Rng rng{1};
  tpcc::Deck deck;
  std::int64_t left = 0;
};

Task<void> terminal(tpcc::Backend& backend, const Options& options, Work& work) {
  while (work.left-- > 0) {
    const TransactionType type = options.type ? *options.type : work.deck.draw(work.rng);
    const Input input = make_input(work.rng, type);
    database::Session* session = co_await backend.acquire();
    const database::SessionLease lease(backend, *session);
    tpcc::Trace trace;
    co_await static_cast<tpcc::Session&>(*session).execute(input, trace);
  }
}

Task<void> execute(tpcc::Backend& backend, const Options& options, Work& work, std::int64_t count) {
  work.left = count;
  auto all = [&](coro::Scope& scope) -> Task<void> {
    for (std::size_t i = 0; i < options.sessions; ++i) {
      scope.start(terminal(backend, options, work));
    }
    co_return;
  };
  co_await coro::with_scope(all);
}

void measure(const Options& options) {
  tpcc::BackendSettings settings;
  tpcc::ydb::YdbDatabase where;
  database::ydb::ClientOptions& client = where.client;
  client.target.host = "127.0.0.1";
  client.target.port = static_cast<std::uint16_t>(options.port);
  client.target.database = "/Root/stub";
  client.discovery = false;
  settings.connections = options.sessions;
  settings.run.statement_timeout_s = 60;
  if (options.statements == "single") settings.style = tpcc::StatementStyle::single;

  coro::Worker worker;
  tpcc::ydb::YdbBackend backend(where, settings);
  Work work;
  coro::block_on(worker, backend.open());
  coro::block_on(worker, execute(backend, options, work, options.warm_up));
  const Cpu before = cpu_so_far();
  const auto begin = std::chrono::steady_clock::now();
  coro::block_on(worker, execute(backend, options, work, options.count));
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
  const Cpu after = cpu_so_far();
  const auto count = static_cast<double>(options.count);
  fmt::print(
      "{{\"transaction\": \"{}\", \"statements\": \"{}\", \"count\": {}, \"count_with_warm_up\": "
      "{}, \"user_us\": {:.2f}, \"system_us\": {:.2f}, \"per_second\": {:.0f}}}\n",
      options.transaction, options.statements, options.count, options.count + options.warm_up,
      (after.user_us - before.user_us) / count, (after.system_us - before.system_us) / count,
      count / wall.count());
}

std::optional<TransactionType> type_of(const std::string& name) {
  for (const TransactionType type : tpcc::all_transaction_types) {
    if (tpcc::transaction_name(type) == name) return type;
  }
  return std::nullopt;
}

int run(int count, char** arguments) {
  Options options;
  CLI::App app("Measures the cost of a transaction on YDB for the client");
  app.add_option("--port", options.port, "Port of ydb_stub")
      ->required()
      ->check(CLI::Range(1, 65'535));
  app.add_option("--transaction", options.transaction, "Type of the transactions, or mix")
      ->check(
          CLI::IsMember({"mix", "NewOrder", "Payment", "OrderStatus", "Delivery", "StockLevel"}));
  app.add_option("--statements", options.statements, "Style of the statements: batched or single")
      ->check(CLI::IsMember({"batched", "single"}));
  app.add_option("--count", options.count, "Number of measured transactions")
      ->check(CLI::PositiveNumber);
  app.add_option("--warm-up", options.warm_up, "Number of transactions before the measured ones")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--sessions", options.sessions, "Number of concurrent sessions")
      ->check(CLI::Range(1, 10'000));
  try {
    app.parse(count, arguments);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  options.type = type_of(options.transaction);
  measure(options);
  return 0;
}

}  // namespace
}  // namespace drover::bench

int main(int count, char** arguments) {
  try {
    return drover::bench::run(count, arguments);
  } catch (const std::exception& error) {
    fmt::print(stderr, "ydb_client_transactions: error: {}\n", error.what());
    return 1;
  }
}
