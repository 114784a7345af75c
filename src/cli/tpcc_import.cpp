// `drover tpcc import`: loads warehouses, and goes on where a killed import stopped.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <memory>
#include <optional>
#include <random>
#include <thread>
#include <utility>

#include "cli/commands.h"
#include "cli/count_option.h"
#include "cli/database_option.h"
#include "cli/help_format.h"
#include "cli/needs.h"
#include "cli/run_command.h"
#include "cli/standard_output.h"
#include "cli/ui_option.h"
#include "cli/usage_error.h"
#include "cli/wrapped_text.h"
#include "coro/scope.h"
#include "report/plain_text.h"
#include "ui/import_display.h"

namespace drover::cli {
namespace {

using tpcc::ImportOutcome;
using tpcc::ImportPlan;
using tpcc::ImportProgress;
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

double seconds(coro::Duration duration) {
  return std::chrono::duration<double>(duration).count();
}

// What the display is told of an import.
class Shown final : public tpcc::ImportObserver {
 public:
  explicit Shown(ui::ImportDisplay& display) : display_(display) {}

  void on_wait() override { display_.on_wait(); }

  void on_plan(const ImportPlan& plan) override {
    display_.on_work({.warehouses = plan.warehouses,
                      .skipped = plan.skipped,
                      .missing = plan.warehouses_missing(),
                      .nothing_to_load = plan.missing.empty(),
                      .has_keys = plan.has_keys,
                      .seed = plan.population.seed});
  }

  void on_loading(const ImportProgress& progress) override {
    ui::ImportLoad load{.elapsed = progress.elapsed,
                        .warehouses = progress.warehouses,
                        .warehouses_total = progress.warehouses_total,
                        .rows = progress.rows,
                        .rows_total = progress.rows_total,
                        .bytes = progress.bytes,
                        .tables = {}};
    for (const tpcc::Table table : tpcc::all_tables) {
      const tpcc::TableProgress& one = progress.tables[static_cast<size_t>(table)];
      load.tables.push_back({tpcc::table_name(table), one.rows, one.rows_total});
    }
    display_.on_load(load);
  }

  void on_step(std::string_view name, size_t number, size_t total) override {
    display_.on_step(name, number, total);
  }

  void on_step_done(std::string_view name, coro::Duration took) override {
    display_.on_step_done(name, took);
  }

 private:
  ui::ImportDisplay& display_;
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

uint64_t random_seed() {
  std::random_device device;
  // Short enough to be typed again.
  return device() % 1'000'000'000;
}

ImportSettings settings_of(const ImportArguments& arguments) {
  ImportSettings settings;
  settings.request.warehouses =
      static_cast<int32_t>(parse_count("-w", arguments.warehouses, 1, tpcc::warehouses_max));
  if (!arguments.seed.empty()) {
    settings.request.seed =
        static_cast<uint64_t>(parse_count("--seed", arguments.seed, 0, INT64_MAX));
  }
  settings.connections = static_cast<size_t>(parse_count_or_auto(
      "--connections", arguments.connections, 1, connections_max, automatic_connections()));
  settings.threads = static_cast<size_t>(parse_count_or_auto(
      "--threads", arguments.threads, 1, connections_max, automatic_threads(settings.connections)));
  settings.threads = std::min(settings.threads, settings.connections);
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  settings.request.fresh_population.seed = random_seed();
  settings.request.fresh_population.load_time_us =
      std::chrono::duration_cast<std::chrono::microseconds>(now).count();
  return settings;
}

// The import, and beside it whoever looks on.
coro::Task<void> import_shown(const DatabaseTarget& target, ImportSettings settings,
                              ui::ImportDisplay& display, ImportOutcome& outcome) {
  Shown shown(display);
  auto body = [&](coro::Scope& scope) -> coro::Task<void> {
    scope.start(display.attend());
    outcome = co_await target.database().import_warehouses(settings, shown);
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
      report::counted(static_cast<std::uint64_t>(outcome.plan.warehouses), "warehouse"),
      outcome.plan.skipped, outcome.plan.population.seed, outcome.rows,
      static_cast<double>(outcome.bytes) / 1e6, seconds(outcome.load_time),
      finished_things(target, outcome.plan), seconds(outcome.finish_time));
  std::string lines;
  for (const std::string& line : wrapped_lines(text, summary_width())) lines += line + "\n";
  print(lines, "what was imported");
}

// As Ctrl-C would: it is taken by whoever waits for it.
void interrupt_this_process() {
  kill(getpid(), SIGINT);
}

int perform(const ImportArguments& arguments) {
  const ui::Choice choice = parse_ui_choice(arguments.ui);
  ImportSettings settings = settings_of(arguments);
  const DatabaseTarget target(arguments.database);
  require_descriptors(target.kind(), settings.connections, 1);
  ImportOutcome outcome;
  int code = exit_success;
  {
    const auto display = ui::make_import_display(
        choice, {target.description(), settings.connections, settings.threads},
        interrupt_this_process);
    settings.progress_interval = display->interval();
    code = run_command(import_shown(target, settings, *display, outcome));
  }
  if (code == exit_interrupted) {
    fmt::print(stderr, "interrupted; the same command goes on from here\n");
    return code;
  }
  report(target, outcome);
  return code;
}

}  // namespace

void add_tpcc_import(CLI::App& tpcc, std::function<int()>& chosen) {
  const auto arguments = std::make_shared<ImportArguments>();
  CLI::App* command = tpcc.add_subcommand(
      "import",
      "Load warehouses into the tables that init made, and make keys, indexes and statistics.\n"
      "An import that was killed goes on where it stopped when it is started again.");
  command->footer("Example:\n  drover tpcc import -w 10 --seed 42");
  command
      ->add_option("-w,--warehouses", arguments->warehouses,
                   "How many warehouses there shall be (about 100 MB each)")
      ->required()
      ->type_name("W");
  command
      ->add_option("--seed", arguments->seed,
                   "What the rows are made from: the same seed gives the same rows, save for the "
                   "time of the load (default: random, recorded in the database)")
      ->type_name("N");
  command
      ->add_option("--connections", arguments->connections,
                   "Sessions, on YDB calls, that load side by side (auto: one for each processor,\n"
                   "from 2 to 16)")
      ->capture_default_str()
      ->type_name("N|auto");
  command
      ->add_option(
          "--threads", arguments->threads,
          "Threads that make the rows, beside the one that sends them (auto: one for every four\n"
          "connections)")
      ->capture_default_str()
      ->type_name("N|auto");
  add_ui_option(*command, arguments->ui);
  add_database_options(*command, arguments->database);
  command->callback([arguments, &chosen] { chosen = [arguments] { return perform(*arguments); }; });
}

}  // namespace drover::cli
