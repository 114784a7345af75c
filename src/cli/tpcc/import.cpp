// `drover tpcc import`: loads warehouses, and goes on where a killed import stopped.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <thread>

#include "cli/agent.h"
#include "cli/commands.h"
#include "cli/gathered.h"
#include "cli/help/help.h"
#include "cli/hosts_option.h"
#include "cli/option/database_option.h"
#include "cli/run_options.h"
#include "cli/standard_output.h"
#include "coro/scope.h"
#include "ranks/conductor.h"
#include "report/document/described_text.h"
#include "run/process.h"
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

struct Sizes {
  size_t connections = 0;
  size_t threads = 0;
};

// The sizes of the host with this share.
Sizes sizes_of(const ImportArguments& arguments, const load::Share& share = {}) {
  const size_t connections = arguments.connections ? share.of(*arguments.connections)
                                                   : static_cast<size_t>(automatic_connections());
  const size_t threads = arguments.threads.value_or(automatic_threads(connections));
  return {connections, std::min(threads, connections)};
}

// The sizes of all hosts together.
Sizes sizes_of(const ImportArguments& arguments, const Gathered& hosts) {
  Sizes sum;
  for (std::size_t rank = 0; rank < hosts.ranks(); ++rank) {
    const Sizes own = sizes_of(arguments, hosts.share(rank));
    sum.connections += own.connections;
    sum.threads += own.threads;
  }
  return sum;
}

ImportSettings settings_of(const ImportArguments& arguments, const load::Share& share = {}) {
  ImportSettings settings;
  settings.request.warehouses = arguments.warehouses;
  settings.request.seed = arguments.seed;
  const Sizes sizes = sizes_of(arguments, share);
  settings.connections = sizes.connections;
  settings.threads = sizes.threads;
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
      "imported {} ({} loaded before, seed {}): {} rows, {}; loaded in {:.1f} s, "
      "{} in {:.1f} s",
      text::counted(static_cast<std::uint64_t>(outcome.plan.warehouses), "warehouse"),
      outcome.plan.skipped, outcome.plan.population.seed, outcome.rows,
      text::bytes_text(static_cast<std::uint64_t>(outcome.bytes)),
      ui::seconds_of(outcome.load_time), finished_things(target, outcome.plan),
      ui::seconds_of(outcome.finish_time));
  std::string lines;
  for (const std::string& line : text::wrapped_lines(text, summary_width())) lines += line + "\n";
  print(lines, "what was imported");
  for (const std::string& note : outcome.notes) note_to_stderr(note);
}

// What each host does of the plan: its part of the warehouses that are missing. Shown is what all have done.
coro::Task<void> load_on_hosts(Gathered& hosts, const ImportPlan& plan, tpcc::ImportWork& work) {
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
  const std::vector<std::string> ends =
      co_await hosts.deal(std::move(parts), [&](std::size_t rank, const std::string& said) {
        done[rank] = report::read_text<tpcc::ImportProgress>(said);
        show();
      });
  for (std::size_t rank = 0; rank < ends.size(); ++rank) {
    done[rank] = report::read_text<tpcc::ImportProgress>(ends[rank]);
  }
  show();
}

// Tells the conductor how far a part is.
class PartObserver final : public tpcc::ImportObserver {
 public:
  explicit PartObserver(std::function<void(const std::string&)> say) : say_(std::move(say)) {}
  void on_loading(const tpcc::ImportProgress& progress) override {
    say_(report::written_text(progress));
  }

 private:
  std::function<void(const std::string&)> say_;
};

int load_part(const ImportArguments& arguments, ranks::Member& member, const load::Share& share) {
  ImportSettings settings = settings_of(arguments, share);
  settings.progress_interval = std::chrono::seconds(1);
  const DatabaseTarget target(arguments.database);
  run::require_descriptors(target.kind(), settings.connections, 1);
  return do_part(
      member,
      [&](std::string text, auto say) -> coro::Task<std::string> {
        auto part = report::read_text<tpcc::ImportPart>(text);
        tpcc::ImportProgress done;
        PartObserver observer(say);
        if (!part.ranges.empty()) {
          done = co_await target.tpcc()->load_part(std::move(part), settings, observer);
        }
        co_return report::written_text(done);
      },
      [&target] { return target.identity(); });
}

int perform(const ImportArguments& arguments) {
  require_screen(arguments.ui);
  ImportSettings settings = settings_of(arguments);
  std::optional<Gathered> hosts = gathered(arguments.hosts, arguments.database.db.empty());
  if (hosts) hosts->require_connection_for_each(arguments.connections);
  const DatabaseTarget target(arguments.database, DatabaseTarget::Use::administration);
  if (hosts) hosts->works_on([&target] { return target.identity(); });
  if (!hosts) run::require_descriptors(target.kind(), settings.connections, 1);
  ImportOutcome outcome;
  int code = exit_success;
  try {
    const Sizes shown = hosts ? sizes_of(arguments, *hosts) : sizes_of(arguments);
    const auto display = ui::make_import_display(
        arguments.ui, {target.description(), shown.connections, shown.threads},
        [] { kill(getpid(), SIGINT); });  // as Ctrl-C would: it is taken by whoever waits for it
    settings.progress_interval = display->interval();
    if (hosts) {
      settings.load_elsewhere = [&hosts](const ImportPlan& plan, tpcc::ImportWork& work) {
        return load_on_hosts(*hosts, plan, work);
      };
    }
    coro::Task<void> import = import_shown(target, settings, *display, outcome);
    if (hosts) import = hosts->around(std::move(import));
    code = run::run_command(std::move(import));
  } catch (const ranks::RankLost& lost) {
    throw std::runtime_error(fmt::format("{} To continue from here, repeat the same command",
                                         text::sentence(lost.what())));
  }
  if (code == exit_interrupted) {
    fmt::print(stderr, "interrupted. To continue from here, repeat the same command\n");
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
      {{"-w,--warehouses",
        &arguments->warehouses,
        "W",
        "Number of warehouses in total (about 100 MB each)",
        {.range = Range{1, tpcc::warehouses_max}, .required = true}},
       {"--seed",
        &arguments->seed,
        "N",
        "Seed of the rows. The same seed gives the same rows, except the times of loading "
        "(default: random, recorded in the database)",
        {.range = Range{0, INT64_MAX}, .common = true}},
       {"--connections",
        &arguments->connections,
        "N|auto",
        "Connections (YDB: concurrent calls) that load, in total over all hosts. auto: one per "
        "processor, 2 to 16",
        {.range = Range{1, connections_max}, .common = true}},
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
