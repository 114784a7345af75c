#include "cli/client_search.h"

#include <fmt/format.h>

#include <utility>

#include "run/interrupt.h"
#include "run/run_plan.h"

namespace drover::cli {
namespace {

using search::Step;

constexpr std::int64_t rate_asked_most = 10'000'000;
constexpr std::int64_t first_rate = 100;
constexpr const char* client_limit_example = "all.p99 > 20";

// Nothing if it was interrupted. Only PostgreSQL's are counted: sessions of YDB share connections.
std::optional<std::int64_t> free_connections_of(const DatabaseTarget& target) {
  if (target.kind() == DatabaseKind::ydb) return run::run_connections_most;
  std::int64_t free = 0;
  const auto ask = [&]() -> coro::Task<void> {
    const auto database = target.sql();
    free = connections_for_search((co_await database->prepare(false)).server);
  };
  if (run::run_command(ask()) != exit_success) return std::nullopt;
  return free;
}

// Everything that has to be the same when the search goes on.
std::map<std::string, std::string> settings_of_question(const Command& command,
                                                        const SearchRequest& search,
                                                        const ClientRequest& load,
                                                        const ClientSearch& benchmark,
                                                        const DatabaseTarget& target) {
  std::map<std::string, std::string> settings = written_settings(
      command, {"--low", "--high", "--start", "--tolerance", "--probe", "--confirm", "--warmup",
                "--arrivals", "--clients", "--connections", "--max-inflight", "--threads", "--seed",
                "--schema", "--on-db-loss", "--statement-timeout"});
  for (const char* attempts : {"--max-attempts", "--max-tries"}) {
    if (command.find_option(attempts) != nullptr) {
      settings.merge(written_settings(command, {attempts}));
    }
  }
  add_session_settings(load, settings);
  settings["the database"] = target.description();
  settings["the benchmark"] = benchmark.benchmark;
  settings["--fail-if"] = joined_values(search.fail_if);
  settings.insert(benchmark.settings.begin(), benchmark.settings.end());
  return settings;
}

}  // namespace

void add_client_search_options(Command& command, ClientSearchRequest& search, ClientRequest& load,
                               const std::string& transactions) {
  add_search_options(
      command, search, load.warmup,
      {.units = "rate|clients",
       .find = fmt::format(
           "Which maximum to find. rate: {} per second in an open loop; clients: clients of a "
           "closed loop, with one connection each",
           transactions),
       .high = "Largest load to try. auto: 10,000,000 per second, or the server's free connections",
       .start = "First load to try. auto: 100 per second, or an eighth of --high for clients"});
  add_limit_option(command, search, client_limit_example);
  command.add_options(
      "Load", {{"-c,--clients", &load.clients, "N",
                "With --find rate: number of concurrent clients", common_option},
               {"--arrivals", &load.arrivals, "constant|poisson",
                "With --find rate: time between starts. constant: equal; poisson: random, as with "
                "independent users"}});
  add_connection_options(command, load);
}

void validate_client_search(const Command& command, const ClientSearchRequest& search,
                            const ClientRequest& load) {
  validate_search(search, {"rate", "clients"});
  if (!search.finds_clients()) return;
  if (search.fail_if.empty()) {
    throw UsageError(
        fmt::format("--find clients needs a limit, because a closed loop has no limit of its own. "
                    "Add one with --fail-if, such as --fail-if '{}'",
                    client_limit_example));
  }
  if (command.find_option("--clients")->is_given()) {
    throw UsageError(
        "--clients cannot be combined with --find clients, which varies this number. Set the upper "
        "bound with --high");
  }
  if (load.connections != "auto") {
    throw UsageError(
        "--connections cannot be combined with --find clients, which opens one connection per "
        "client");
  }
  if (load.arrivals != "constant") {
    throw UsageError(
        "--arrivals cannot be combined with --find clients, which has no schedule. Use --find rate "
        "instead");
  }
}

search::Rules client_search_rules(const SearchRequest& search,
                                  std::vector<std::string> transactions) {
  search::Rules rules;
  rules.failures_allowed = false;
  rules.limits = search_limits(search, {.is_tpcc = false, .transactions = std::move(transactions)},
                               client_limit_example);
  return rules;
}

search::Bounds client_search_bounds(const ClientSearchRequest& search,
                                    std::int64_t free_connections) {
  if (search.finds_clients()) {
    return search_bounds(search, {.most = free_connections,
                                  .there = "free connections",
                                  .asked_most = run::run_connections_most});
  }
  return search_bounds(
      search,
      {.most = rate_asked_most, .there = "", .asked_most = rate_asked_most, .first = first_rate});
}

ClientRequest request_of_step(const ClientSearchRequest& search, const ClientRequest& load,
                              const Step& step) {
  ClientRequest request = load;
  request.duration = duration_of(search, step);
  if (search.finds_clients()) {
    request.clients = request.connections = fmt::format("{}", step.load);
  } else {
    request.rate = static_cast<double>(step.load);
  }
  return request;
}

int perform_client_search(const Command& command, const DatabaseOption& database,
                          const ClientSearchRequest& search, const ClientRequest& load,
                          ClientSearch benchmark) {
  validate_client_search(command, search, load);
  const search::Rules rules = client_search_rules(search, std::move(benchmark.transactions));
  // What is wrong with the options shall be said before anything runs.
  benchmark.plan(request_of_step(search, load, {Step::Kind::probe, 1}));
  benchmark.plan(request_of_step(search, load, {Step::Kind::confirm, 1}));
  const DatabaseTarget target(database);
  std::optional<std::int64_t> free = 0;
  if (search.finds_clients()) free = free_connections_of(target);
  if (!free) return exit_interrupted;
  const search::Record question{
      .unit = search.find,
      .bounds = client_search_bounds(search, *free),
      .settings = settings_of_question(command, search, load, benchmark, target),
      .runs = {}};
  return perform_search(search, rules, question, [&](const Step& step) {
    if (search.finds_clients()) {
      await_connections(step.load, [&] { return free_connections_of(target); });
    }
    return benchmark.measure(request_of_step(search, load, step), target);
  });
}

}  // namespace drover::cli
