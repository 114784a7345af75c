// `drover tpcc import`: loads warehouses, and goes on where a killed import stopped.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <memory>
#include <random>
#include <thread>

#include "cli/commands.h"
#include "cli/help/help.h"
#include "cli/option/database_option.h"
#include "cli/option/quantity.h"
#include "cli/run_options.h"
#include "cli/standard_output.h"
#include "coro/scope.h"
#include "run/interrupt.h"
#include "run/needs.h"
#include "text/plain_text.h"
#include "text/wrapped_text.h"
#include "ui/import/import_display.h"
#include "ui/number_text.h"

namespace drover::cli {
namespace {

using tpcc::ImportOutcome;
using tpcc::ImportPlan;
using tpcc::ImportSettings;

constexpr int64_t connections_max = 1'000;

struct ImportArguments {
  DatabaseOption database;
  std::string warehouses;
  std::string seed;
  std::string connections = "auto";
  std::string threads = "auto";
  std::string ui = "auto";
};

// As many sessions as this machine can feed: the server works harder on a row than we do. On one
// machine with the server, two keep both busy.
int64_t automatic_connections() {
  return std::clamp<int64_t>(std::thread::hardware_concurrency(), 2, 16);
}

// A thread makes rows faster than four sessions take them.
int64_t automatic_threads(size_t connections) {
  const int64_t processors = std::max<int64_t>(std::thread::hardware_concurrency(), 1);
  return std::min(static_cast<int64_t>(connections + 3) / 4, processors);
}

ImportSettings settings_of(const ImportArguments& arguments) {
  ImportSettings settings;
  settings.request.warehouses =
      static_cast<int32_t>(parse_count("-w", arguments.warehouses, 1, tpcc::warehouses_max));
  if (!arguments.seed.empty()) {
    settings.request.seed =
        static_cast<uint64_t>(parse_count("--seed", arguments.seed, 0, INT64_MAX));
  }
  settings.connections = static_cast<size_t>(
      parse_count_or_auto("--connections", arguments.connections, 1, connections_max)
          .value_or(automatic_connections()));
  settings.threads =
      static_cast<size_t>(parse_count_or_auto("--threads", arguments.threads, 1, connections_max)
                              .value_or(automatic_threads(settings.connections)));
  settings.threads = std::min(settings.threads, settings.connections);
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  // Short enough to be typed again.
  settings.request.fresh_population.seed = std::random_device()() % 1'000'000'000;
  settings.request.fresh_population.load_time_us =
      std::chrono::duration_cast<std::chrono::microseconds>(now).count();
  return settings;
}

// The import, and beside it whoever looks on.
coro::Task<void> import_shown(const DatabaseTarget& target, ImportSettings settings,
                              ui::ImportDisplay& display, ImportOutcome& outcome) {
  auto body = [&](coro::Scope& scope) -> coro::Task<void> {
    scope.start(display.attend());
    outcome = co_await target.tpcc()->import_warehouses(settings, display);
    scope.cancel();
  };
  co_await coro::with_scope(body);
}

// What the finish makes.
std::string_view finished_things(const DatabaseTarget& target, const ImportPlan& plan) {
  if (target.kind() == DatabaseKind::ydb) return "the rest of the indexes";
  return plan.foreign_keys == tpcc::ForeignKeys::none
             ? "keys, indexes and statistics"
             : "keys, indexes, foreign keys and statistics";
}

void report(const DatabaseTarget& target, const ImportOutcome& outcome) {
  const std::string text = fmt::format(
      "imported {} ({} loaded before, seed {}): {} rows, {:.0f} MB; loaded in {:.1f} s, "
      "{} in {:.1f} s",
      text::counted(static_cast<std::uint64_t>(outcome.plan.warehouses), "warehouse"),
      outcome.plan.skipped, outcome.plan.population.seed, outcome.rows,
      static_cast<double>(outcome.bytes) / 1e6, ui::seconds_of(outcome.load_time),
      finished_things(target, outcome.plan), ui::seconds_of(outcome.finish_time));
  std::string lines;
  for (const std::string& line : text::wrapped_lines(text, summary_width())) lines += line + "\n";
  print(lines, "what was imported");
}

int perform(const ImportArguments& arguments) {
  const ui::Choice choice = parse_ui_choice(arguments.ui);
  ImportSettings settings = settings_of(arguments);
  const DatabaseTarget target(arguments.database);
  run::require_descriptors(target.kind(), settings.connections, 1);
  ImportOutcome outcome;
  int code = exit_success;
  {
    const auto display = ui::make_import_display(
        choice, {target.description(), settings.connections, settings.threads},
        [] { kill(getpid(), SIGINT); });  // as Ctrl-C would: it is taken by whoever waits for it
    settings.progress_interval = display->interval();
    code = run::run_command(import_shown(target, settings, *display, outcome));
  }
  if (code == exit_interrupted) {
    fmt::print(stderr, "interrupted; the same command goes on from here\n");
    return code;
  }
  report(target, outcome);
  return code;
}

}  // namespace

void add_tpcc_import(Command& tpcc) {
  const auto arguments = std::make_shared<ImportArguments>();
  Command& command = tpcc.add_command(
      "import",
      "Load warehouses into the tables that init made, and make keys, indexes and statistics.\n"
      "An import that was killed goes on where it stopped when it is started again.",
      "Example:\n  drover tpcc import -w 10 --seed 42");
  command.add_options(
      {{"-w,--warehouses", &arguments->warehouses, "W",
        "How many warehouses there shall be (about 100 MB each)", required_option},
       {"--seed", &arguments->seed, "N",
        "What the rows are made from: the same seed gives the same rows, save for the "
        "time of the load (default: random, recorded in the database)"},
       {"--connections", &arguments->connections, "N|auto",
        "Sessions, on YDB calls, that load side by side (auto: one for each processor, "
        "from 2 to 16)"},
       {"--threads", &arguments->threads, "N|auto",
        "Threads that make the rows, beside the one that sends them (auto: one for every "
        "four connections)"}});
  add_ui_option(command, arguments->ui);
  add_database_options(command, arguments->database);
  command.action = [arguments] { return perform(*arguments); };
}

}  // namespace drover::cli
