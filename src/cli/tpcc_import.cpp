// `drover tpcc import`: loads warehouses, and goes on where a killed import stopped.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <random>
#include <thread>
#include <utility>

#include "cli/commands.h"
#include "cli/count_option.h"
#include "cli/database_option.h"
#include "cli/run_command.h"
#include "cli/usage_error.h"
#include "tpcc/postgres/import.h"

namespace drover::cli {
namespace {

using namespace tpcc::postgres;

constexpr int64_t connections_max = 1'000;

struct ImportArguments {
  DatabaseOption database;
  std::string warehouses;
  std::string seed;
  std::string connections = "auto";
  std::string threads = "auto";
};

double seconds(coro::Duration duration) {
  return std::chrono::duration<double>(duration).count();
}

// Plain lines on the error stream, as what they say is about the work and not its result.
class Lines final : public ImportObserver {
 public:
  Lines(size_t connections, size_t threads) : connections_(connections), threads_(threads) {}

  void on_wait() override {
    print("waiting for another import of this schema, or for its sessions, to end");
  }

  void on_plan(const ImportPlan& plan) override {
    if (plan.skipped > 0) {
      print("skipping {} of {} warehouses, which are loaded already", plan.skipped,
            plan.warehouses);
    }
    if (plan.missing.empty()) return;
    if (plan.has_keys) print("the tables have their keys already: loading is slower than without");
    print("loading {} warehouses from seed {} over {} connections, {} thread{}",
          plan.warehouses_missing(), plan.population.seed, connections_, threads_,
          threads_ == 1 ? "" : "s");
  }

  void on_loading(const ImportProgress& progress) override {
    const double elapsed = std::max(seconds(progress.elapsed), 1e-3);
    const auto rows = static_cast<double>(progress.rows);
    std::string left;
    if (progress.rows > 0 && progress.warehouses < progress.warehouses_total) {
      const double share = rows / static_cast<double>(std::max<int64_t>(progress.rows_total, 1));
      left = fmt::format(", about {:.0f} s left", std::max(elapsed / share - elapsed, 0.0));
    }
    print("{:5.1f} s  {}/{} warehouses, {:.2f} M rows, {:.0f} k rows/s, {:.1f} MB/s{}", elapsed,
          progress.warehouses, progress.warehouses_total, rows / 1e6, rows / elapsed / 1e3,
          static_cast<double>(progress.bytes) / elapsed / 1e6, left);
  }

  void on_step(std::string_view name, size_t number, size_t total) override {
    print("{}/{} {}", number, total, name);
  }

 private:
  template <class... Arguments>
  void print(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::print(stderr, "{}\n", fmt::format(format, std::forward<Arguments>(arguments)...));
  }

  size_t connections_;
  size_t threads_;
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

ImportOptions options_of(const ImportArguments& arguments) {
  ImportOptions options;
  options.request.warehouses =
      static_cast<int32_t>(parse_count("-w", arguments.warehouses, 1, warehouses_max));
  if (!arguments.seed.empty()) {
    options.request.seed =
        static_cast<uint64_t>(parse_count("--seed", arguments.seed, 0, INT64_MAX));
  }
  options.connections = static_cast<size_t>(parse_count_or_auto(
      "--connections", arguments.connections, 1, connections_max, automatic_connections()));
  options.threads = static_cast<size_t>(parse_count_or_auto(
      "--threads", arguments.threads, 1, connections_max, automatic_threads(options.connections)));
  options.threads = std::min(options.threads, options.connections);
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  options.request.fresh_population.seed = random_seed();
  options.request.fresh_population.load_time_us =
      std::chrono::duration_cast<std::chrono::microseconds>(now).count();
  return options;
}

coro::Task<void> import_and_report(ImportOptions options) {
  Lines lines(options.connections, options.threads);
  const ImportOutcome outcome = co_await import_warehouses(std::move(options), lines);
  fmt::print(
      "imported {} warehouses ({} loaded before, seed {}): {} rows, {:.0f} MB; loaded in {:.1f} s, "
      "keys, indexes{} and statistics in {:.1f} s\n",
      outcome.plan.warehouses, outcome.plan.skipped, outcome.plan.population.seed, outcome.rows,
      static_cast<double>(outcome.bytes) / 1e6, seconds(outcome.load_time),
      outcome.plan.foreign_keys == ForeignKeys::none ? "" : ", foreign keys",
      seconds(outcome.finish_time));
}

int perform(const ImportArguments& arguments) {
  ImportOptions options = options_of(arguments);
  const DatabaseTarget target(arguments.database);
  options.conninfo = target.conninfo();
  options.schema = target.schema();
  const int code = run_command(import_and_report(std::move(options)));
  if (code == exit_interrupted) {
    fmt::print(stderr, "interrupted; the same command goes on from here\n");
  }
  return code;
}

}  // namespace

void add_tpcc_import(CLI::App& tpcc, std::function<int()>& chosen) {
  const auto arguments = std::make_shared<ImportArguments>();
  CLI::App* command = tpcc.add_subcommand(
      "import",
      "Load warehouses into the tables that init made, then make keys, indexes and statistics.\n"
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
                   "Sessions that load side by side (auto: one for each processor, from 2 to 16)")
      ->capture_default_str()
      ->type_name("N|auto");
  command
      ->add_option("--threads", arguments->threads,
                   "Threads that make the rows (auto: one for every four connections)")
      ->capture_default_str()
      ->type_name("N|auto");
  add_database_options(*command, arguments->database);
  command->callback([arguments, &chosen] { chosen = [arguments] { return perform(*arguments); }; });
}

}  // namespace drover::cli
