#include "cli/client_search.h"

#include <fmt/format.h>

#include <utility>

#include "run/process.h"
#include "run/run_plan.h"

namespace drover::cli {
namespace {

using search::Step;

constexpr std::int64_t rate_asked_most = 10'000'000;
constexpr std::int64_t first_rate = 100;
constexpr const char* client_limit_example = "all.p99 > 20";

// Returns nothing if it was interrupted. Sessions of YDB share connections, which have no limit.
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

}  // namespace

void add_client_search_options(Command& command, ClientSearchOptions& search, ClientOptions& load,
                               const std::string& transactions) {
  add_search_options(
      command, search, load.warmup,
      {.units = {"rate", "clients"},
       .find =
           fmt::format("What to maximize. rate: {} per second in an open loop; clients: clients "
                       "of a closed loop, with one connection each",
                       transactions),
       .high = "Largest load to try. auto: 10,000,000 per second; with --find clients, the number "
               "of free connections",
       .start =
           "First load to try. auto: 100 per second; with --find clients, an eighth of --high"});
  add_limit_option(command, search, client_limit_example);
  command.add_options("Load",
                      {clients_option(load, "With --find rate: number of concurrent clients"),
                       arrivals_option(load, "With --find rate")});
  add_connection_options(command, load);
}

void validate_client_search(const Command& command, const ClientSearchOptions& search,
                            const ClientOptions& load) {
  if (!search.finds_clients()) return;
  if (search.fail_if.empty()) {
    throw UsageError(
        fmt::format("--find clients needs --fail-if, because a closed loop has no limit of its "
                    "own. Example: --fail-if '{}'",
                    client_limit_example));
  }
  if (command.find_option("--clients")->is_given()) {
    throw UsageError(
        "--clients cannot be combined with --find clients, which varies this number. Set the upper "
        "bound with --high");
  }
  if (load.run.connections) {
    throw UsageError(
        "--connections cannot be combined with --find clients, which opens one connection per "
        "client");
  }
  if (load.poisson) {
    throw UsageError(
        "--arrivals cannot be combined with --find clients, which has no schedule. Use --find rate "
        "instead");
  }
}

search::Rules client_search_rules(const SearchOptions& search,
                                  std::vector<std::string> transactions) {
  search::Rules rules;
  rules.failures_allowed = false;
  rules.limits = search_limits(search, {.is_tpcc = false, .transactions = std::move(transactions)},
                               client_limit_example);
  return rules;
}

search::Bounds client_search_bounds(const ClientSearchOptions& search,
                                    std::int64_t free_connections) {
  if (search.finds_clients()) {
    return search_bounds(search, {.most = free_connections,
                                  .there = "the number of free connections",
                                  .asked_most = run::run_connections_most});
  }
  return search_bounds(
      search,
      {.most = rate_asked_most, .there = "", .asked_most = rate_asked_most, .first = first_rate});
}

ClientOptions options_of_step(const ClientSearchOptions& search, const ClientOptions& load,
                              const Step& step) {
  ClientOptions options = load;
  options.duration = duration_of(search, step);
  if (search.finds_clients()) {
    options.clients = static_cast<std::uint64_t>(step.load);
    options.run.connections = step.load;
  } else {
    options.rate = static_cast<double>(step.load);
  }
  return options;
}

int perform_client_search(const Command& command, const ClientSearchOptions& search,
                          const ClientOptions& load, ClientSearch benchmark) {
  validate_client_search(command, search, load);
  const search::Rules rules = client_search_rules(search, std::move(benchmark.transactions));
  // Errors of the options are reported before anything runs.
  benchmark.plan(options_of_step(search, load, {Step::Kind::probe, 1}));
  benchmark.plan(options_of_step(search, load, {Step::Kind::confirm, 1}));
  const DatabaseTarget target(load.database);
  std::optional<std::int64_t> free = 0;
  if (search.finds_clients()) free = free_connections_of(target);
  if (!free) return exit_interrupted;
  search::Record question{.unit = search.find,
                          .bounds = client_search_bounds(search, *free),
                          .settings = std::move(benchmark.settings),
                          .runs = {}};
  question.settings.merge(settings_of_options(command));
  question.settings["the database"] = target.description();
  question.settings["the benchmark"] = benchmark.benchmark;
  return perform_search(command, search, rules, question, [&](const Step& step) {
    if (search.finds_clients()) {
      await_connections(step.load, [&] { return free_connections_of(target); });
    }
    return benchmark.measure(options_of_step(search, load, step), target);
  });
}

}  // namespace drover::cli
