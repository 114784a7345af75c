// `drover tpcc import`: loads warehouses, and resumes an interrupted import.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <random>
#include <thread>

#include "cli/commands.h"
#include "cli/distributed_work.h"
#include "cli/help/help.h"
#include "cli/run_options.h"
#include "cli/standard_output.h"
#include "coro/scope.h"
#include "report/document/described_text.h"
#include "text/plain_text.h"
#include "text/wrapped_text.h"
#include "ui/import.h"
#include "ui/number_text.h"

namespace drover::cli {
namespace {

using tpcc::ImportOutcome;
using tpcc::ImportPlan;
using tpcc::ImportSettings;

constexpr long double connections_max = 1'000;

struct ImportArguments {
  DatabaseOption database;
  HostsArguments hosts;
  std::int32_t warehouses = 0;
  std::optional<std::uint64_t> seed;
  std::optional<std::uint64_t> connections;  // of all hosts; none: auto
  std::optional<std::uint64_t> threads;      // none: auto
  ui::DisplayMode ui = ui::DisplayMode::automatic;
};

struct Sizes {
  std::size_t connections = 0;
  std::size_t threads = 0;

  Sizes& operator+=(const Sizes& other) {
    connections += other.connections;
    threads += other.threads;
    return *this;
  }
};

// Returns the sizes of the host with this share. Two connections keep this machine and a server on
// it busy, and a thread generates rows faster than four connections load them.
Sizes sizes_of(const ImportArguments& arguments, const load::Share& share = {}) {
  const std::size_t processors = std::max(std::thread::hardware_concurrency(), 1U);
  const std::size_t connections = arguments.connections
                                      ? share.of(*arguments.connections)
                                      : std::clamp<std::size_t>(processors, 2, 16);
  const std::size_t threads =
      arguments.threads.value_or(std::min((connections + 3) / 4, processors));
  return {connections, std::min(threads, connections)};
}

ImportSettings settings_of(const ImportArguments& arguments, const load::Share& share = {}) {
  ImportSettings settings;
  settings.request.warehouses = arguments.warehouses;
  settings.request.seed = arguments.seed;
  const Sizes sizes = sizes_of(arguments, share);
  settings.connections = sizes.connections;
  settings.threads = sizes.threads;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  // A short number, which users can type.
  settings.request.fresh_population.seed = std::random_device()() % 1'000'000'000;
  settings.request.fresh_population.load_time_us =
      std::chrono::duration_cast<std::chrono::microseconds>(now).count();
  return settings;
}

// Imports, and updates the display meanwhile.
coro::Task<void> import_shown(const DatabaseTarget& target, ImportSettings settings,
                              ui::ImportDisplay& display, ImportOutcome& outcome) {
  auto body = [&](coro::Scope& scope) -> coro::Task<void> {
    scope.start(display.attend());
    outcome = co_await target.tpcc()->import_warehouses(settings, display);
    scope.cancel();
  };
  co_await coro::with_scope(body);
}

void report(const DatabaseTarget& target, const ImportOutcome& outcome) {
  const bool has_foreign_keys = outcome.plan.foreign_keys != tpcc::ForeignKeys::none;
  const std::string_view finished = target.kind() == DatabaseKind::ydb ? "the rest of the indexes"
                                    : has_foreign_keys
                                        ? "keys, indexes, foreign keys and statistics"
                                        : "keys, indexes and statistics";
  const std::string text = fmt::format(
      "imported {} ({} loaded before, seed {}): {} rows, {}; loaded in {:.1f} s, "
      "{} in {:.1f} s",
      text::counted(static_cast<std::uint64_t>(outcome.plan.warehouses), "warehouse"),
      outcome.plan.skipped, outcome.plan.population.seed, outcome.rows,
      text::bytes_text(static_cast<std::uint64_t>(outcome.bytes)),
      ui::seconds_of(outcome.load_time), finished, ui::seconds_of(outcome.finish_time));
  std::string lines;
  for (const std::string& line : text::wrapped_lines(text, summary_width())) lines += line + "\n";
  print(lines, "what was imported");
  for (const std::string& note : outcome.notes) note_to_stderr(note);
}

// Divides the missing warehouses among the hosts, and shows the sum of their progress.
coro::Task<void> load_on_hosts(DistributedWork& hosts, const ImportPlan& plan,
                               tpcc::ImportWork& work) {
  std::vector<std::string> parts;
  for (std::size_t rank = 0; rank < hosts.ranks(); ++rank) {
    const load::Share& share = hosts.share(rank);
    const std::size_t missing = plan.missing.size();
    parts.push_back(
        report::written_text(tpcc::part_of(plan, share.begin(missing), share.end(missing))));
  }
  std::vector<tpcc::ImportProgress> done(hosts.ranks());
  const auto show = [&] {
    tpcc::ImportProgress all;
    for (const tpcc::ImportProgress& one : done) all.add(one);
    work.show(all);
  };
  const std::vector<std::string> ends = co_await hosts.distribute(
      std::move(parts), [&](std::size_t rank, const std::string& progress) {
        done[rank] = report::read_text<tpcc::ImportProgress>(progress);
        show();
      });
  for (std::size_t rank = 0; rank < ends.size(); ++rank) {
    done[rank] = report::read_text<tpcc::ImportProgress>(ends[rank]);
  }
  show();
}

// Reports the progress of an agent's part to the coordinator.
class PartObserver final : public tpcc::ImportObserver {
 public:
  explicit PartObserver(std::function<void(const std::string&)> report)
      : report_(std::move(report)) {}
  void on_loading(const tpcc::ImportProgress& progress) override {
    report_(report::written_text(progress));
  }

 private:
  std::function<void(const std::string&)> report_;
};

int load_part(const ImportArguments& arguments, ranks::Member& member, const load::Share& share) {
  ImportSettings settings = settings_of(arguments, share);
  settings.progress_interval = std::chrono::seconds(1);
  const DatabaseTarget target(arguments.database);
  return perform_part(member, target, settings.connections,
                      [&](std::string text, auto report) -> coro::Task<std::string> {
                        auto part = report::read_text<tpcc::ImportPart>(text);
                        tpcc::ImportProgress done;
                        PartObserver observer(report);
                        if (!part.ranges.empty()) {
                          done = co_await target.tpcc()->load_part(std::move(part), settings,
                                                                   observer);
                        }
                        co_return report::written_text(done);
                      });
}

int perform(const ImportArguments& arguments) {
  require_screen(arguments.ui);
  ImportSettings settings = settings_of(arguments);
  DataCommand command(arguments.hosts, arguments.database, arguments.connections,
                      settings.connections);
  const DatabaseTarget& target = command.target();
  Sizes shown = sizes_of(arguments);
  if (DistributedWork* hosts = command.hosts()) {
    shown = {};
    for (std::size_t rank = 0; rank < hosts->ranks(); ++rank) {
      shown += sizes_of(arguments, hosts->share(rank));
    }
    settings.load_elsewhere = [hosts](const ImportPlan& plan, tpcc::ImportWork& work) {
      return load_on_hosts(*hosts, plan, work);
    };
  }
  constexpr std::string_view advice = "To continue from here, repeat the same command";
  ImportOutcome outcome;
  int code = exit_success;
  {
    const auto display = ui::make_import_display(
        arguments.ui, {target.description(), shown.connections, shown.threads},
        [] { kill(getpid(), SIGINT); });  // ends the import as Ctrl-C does
    settings.progress_interval = display->interval();
    code = command.run(import_shown(target, settings, *display, outcome), advice);
  }
  if (code == exit_interrupted) {
    fmt::print(stderr, "interrupted. {}\n", advice);
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
      "Load warehouses into the tables of drover tpcc init, and create keys, indexes and\n"
      "statistics. The same command resumes an interrupted import.",
      "Example:\n  drover tpcc import -w 10 --seed 42");
  command.add_options(
      {{"-w,--warehouses", &arguments->warehouses, "W",
        "Number of warehouses in total (about 100 MB each)",
        in_range(1, tpcc::warehouses_max) + required_option},
       {"--seed", &arguments->seed, "N",
        "Seed of the rows. The same seed gives the same rows, except the times of loading "
        "(default: random, recorded in the database)",
        in_range(0, INT64_MAX) + common_option},
       {"--connections", &arguments->connections, "N|auto",
        "Connections (YDB: concurrent calls) that load, in total over all hosts. auto: one per "
        "processor, 2 to 16",
        in_range(1, connections_max) + common_option},
       {"--threads", &arguments->threads, "N|auto",
        "Threads that generate rows. auto: one per four connections",
        in_range(1, connections_max)}});
  command.add_options(output_group, {ui_option(arguments->ui)});
  add_database_options(command, arguments->database);
  add_hosts_options(command, arguments->hosts);
  command.action = [arguments] { return perform(*arguments); };
  command.member_action = [arguments](ranks::Member& member, const ranks::Message& work) {
    return load_part(*arguments, member, member_work(work).share);
  };
}

}  // namespace drover::cli
