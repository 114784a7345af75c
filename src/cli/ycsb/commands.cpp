// `drover ycsb`, and its commands load, check and clean.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/distributed_work.h"
#include "cli/run_options.h"
#include "cli/standard_output.h"
#include "cli/ycsb/options.h"
#include "coro/clock.h"
#include "report/document/described_text.h"
#include "run/process.h"
#include "text/plain_text.h"

namespace drover::cli {
namespace {

constexpr long double connections_most = 1'000;

struct TableArguments {
  DatabaseOption database;
  HostsArguments hosts;
  PropertyArguments properties;
  std::optional<std::uint64_t> connections;  // of all hosts; none: auto
  bool is_quiet = false;
};

void add_table_options(Command& command, TableArguments& arguments,
                       const std::set<std::string_view>& common) {
  add_database_options(command, arguments.database);
  add_property_options(command, arguments.properties, common);
  command.add_options({{"--connections", &arguments.connections, "N|auto",
                        "Connections to the database, in total over all hosts. auto: one per "
                        "processor, 2 to 16",
                        in_range(1, connections_most) + common_option}});
  add_progress_option(command, arguments.is_quiet);
  add_hosts_options(command, arguments.hosts);
}

std::size_t connections_of(const TableArguments& arguments, const load::Share& share = {}) {
  if (arguments.connections) return share.of(*arguments.connections);
  return std::clamp<std::size_t>(std::thread::hardware_concurrency(), 2, 16);
}

void print_load_progress(const ycsb::LoadProgress& progress) {
  if (progress.rows_total == 0) return;
  const double seconds = coro::seconds_of(progress.elapsed);
  const double rate = seconds > 0 ? static_cast<double>(progress.rows) / seconds : 0;
  note_to_stderr(fmt::format(
      "{} of {} rows ({:.0f}%), {} rows/s", text::grouped(progress.rows),
      text::grouped(progress.rows_total),
      100.0 * static_cast<double>(progress.rows) / static_cast<double>(progress.rows_total),
      text::grouped(static_cast<std::uint64_t>(rate))));
}

ycsb::LoadSettings load_settings_of(const TableArguments& arguments,
                                    const load::Share& share = {}) {
  ycsb::LoadSettings settings{.properties = read_row_properties(arguments.properties),
                              .connections = connections_of(arguments, share),
                              .share = share};
  if (const auto why = settings.properties.why_no_rows()) throw UsageError(*why);
  if (settings.properties.insert_count == 0) {
    throw UsageError(
        "the number of rows is not given. Set the number with --recordcount N (or -p "
        "recordcount=N)");
  }
  return settings;
}

// Adds up the progress of several hosts.
ycsb::LoadProgress sum_of(const std::vector<ycsb::LoadProgress>& parts, coro::Instant since) {
  ycsb::LoadProgress all;
  all.elapsed = coro::SteadyClock::instance().now() - since;
  for (const ycsb::LoadProgress& one : parts) {
    all.rows_there += one.rows_there;
    all.rows += one.rows;
    all.rows_total += one.rows_total;
    all.bytes += one.bytes;
  }
  return all;
}

// Creates the table, has the agents load the rows, and concludes the load.
coro::Task<ycsb::LoadProgress> load_on_hosts(DistributedWork& hosts, const ycsb::Database& database,
                                             ycsb::LoadSettings settings) {
  const auto on_progress = std::exchange(settings.on_progress, {});
  settings.on_step = {};
  ycsb::LoadSettings nothing = settings;
  nothing.share.own = 0;
  co_await database.load(nothing);
  const coro::Instant since = coro::SteadyClock::instance().now();
  coro::Instant shown = since;
  std::vector<ycsb::LoadProgress> done(hosts.ranks());
  const std::vector<std::string> ends = co_await hosts.distribute(
      std::vector<std::string>(hosts.ranks()), [&](std::size_t rank, const std::string& said) {
        done[rank] = report::read_text<ycsb::LoadProgress>(said);
        const coro::Instant now = coro::SteadyClock::instance().now();
        if (!on_progress || now - shown < settings.progress_interval) return;
        shown = now;
        on_progress(sum_of(done, since));
      });
  std::ranges::transform(ends, done.begin(), report::read_text<ycsb::LoadProgress>);
  ycsb::LoadProgress all = sum_of(done, since);
  all.finishing = (co_await database.load(settings)).finishing;
  co_return all;
}

int load_part(const TableArguments& arguments, ranks::Member& member, const load::Share& share) {
  ycsb::LoadSettings settings = load_settings_of(arguments, share);
  const DatabaseTarget target(arguments.database);
  return perform_part(member, target, settings.connections,
                      [&](std::string, auto say) -> coro::Task<std::string> {
                        settings.on_progress = [say](const ycsb::LoadProgress& progress) {
                          say(report::written_text(progress));
                        };
                        co_return report::written_text(co_await target.ycsb()->load(settings));
                      });
}

std::string loaded_text(const ycsb::LoadProgress& loaded, const std::string& table) {
  const double seconds = coro::seconds_of(loaded.elapsed);
  const auto rate_of = [seconds](std::uint64_t count) {
    return static_cast<std::uint64_t>(static_cast<double>(count) / seconds);
  };
  std::string text =
      fmt::format("loaded {} into {} in {}", text::counted_grouped(loaded.rows, "row"), table,
                  text::length_text(seconds));
  if (loaded.rows > 0 && seconds > 0) {
    text += fmt::format(": {} rows/s, {}/s", text::grouped(rate_of(loaded.rows)),
                        text::bytes_text(rate_of(loaded.bytes)));
  }
  if (loaded.rows > 0 && loaded.finishing > coro::Duration::zero()) {
    text +=
        fmt::format("; statistics in {}", text::length_text(coro::seconds_of(loaded.finishing)));
  }
  if (loaded.rows_there > 0) {
    text += fmt::format(" ({} were there)", text::counted_grouped(loaded.rows_there, "row"));
  }
  return text + "\n";
}

int perform_load(const TableArguments& arguments) {
  ycsb::LoadSettings settings = load_settings_of(arguments);
  settings.on_note = note_to_stderr;
  if (!arguments.is_quiet) {
    settings.on_step = note_to_stderr;
    settings.on_progress = print_load_progress;
  }
  DataCommand command(arguments.hosts, arguments.database, arguments.connections,
                      settings.connections);
  note_without_effect(settings.properties);
  const auto database = command.target().ycsb();
  std::optional<ycsb::LoadProgress> loaded;
  const auto load = [&]() -> coro::Task<void> {
    DistributedWork* const hosts = command.hosts();
    loaded = co_await (hosts != nullptr ? load_on_hosts(*hosts, *database, settings)
                                        : database->load(settings));
  };
  command.run(load(), "To continue from here, repeat the same command");
  if (!loaded) {
    fmt::print(stderr, "interrupted. To continue from here, repeat the same command\n");
    return exit_interrupted;
  }
  print(loaded_text(*loaded, settings.properties.table), "what was loaded");
  return exit_success;
}

std::string check_text(const ycsb::CheckReport& report, const std::string& place) {
  std::string text = fmt::format("{}, {}: {}, {} verified\n", place, report.server_version,
                                 text::counted_grouped(report.rows, "row"),
                                 text::counted_grouped(report.values, "value"));
  if (report.versions > 0) {
    text += fmt::format("updates       {}, at most {} of the same field\n",
                        text::grouped(report.versions), text::grouped(report.version_max));
  }
  if (report.rows_lost() > 0) {
    text += fmt::format("LOST          {} of the {} that were loaded\n",
                        text::counted_grouped(report.rows_lost(), "row"),
                        text::grouped(report.rows_loaded));
  }
  for (const ycsb::WrongValue& one : report.first_wrong) {
    text += fmt::format("WRONG         {}{}{}: {}\n", one.key, one.field.empty() ? "" : " ",
                        one.field, one.what);
  }
  if (report.snapshot_refusal) {
    text += fmt::format("note: the check did not use one snapshot: {}\n", *report.snapshot_refusal);
  }
  return text + (report.holds() ? "the table is correct\n"
                                : fmt::format("the table is NOT correct: {} wrong\n",
                                              text::counted_grouped(report.values_wrong, "value")));
}

coro::Task<void> check_on_hosts(DistributedWork& hosts, const ycsb::CheckPart& all,
                                ycsb::CheckReport& sums) {
  std::vector<std::string> parts(hosts.ranks(), report::written_text(all));
  const std::vector<std::string> reports =
      co_await hosts.distribute(std::move(parts), [](std::size_t, const std::string&) {});
  for (const std::string& one : reports) sums.add(report::read_text<ycsb::CheckReport>(one));
}

ycsb::CheckSettings check_settings_of(const TableArguments& arguments,
                                      const load::Share& share = {}) {
  return {.properties = read_row_properties(arguments.properties),
          .connections = connections_of(arguments, share)};
}

int check_part(const TableArguments& arguments, ranks::Member& member, const load::Share& share) {
  ycsb::CheckSettings settings = check_settings_of(arguments, share);
  const DatabaseTarget target(arguments.database);
  return perform_part(member, target, settings.connections,
                      [&](std::string text, auto) -> coro::Task<std::string> {
                        settings.part = report::read_text<ycsb::CheckPart>(text);
                        settings.part->share = share;
                        co_return report::written_text(co_await target.ycsb()->check(settings));
                      });
}

int perform_check(const TableArguments& arguments) {
  ycsb::CheckSettings settings = check_settings_of(arguments);
  if (!arguments.is_quiet) {
    settings.on_progress = [last = 0.0](const ycsb::CheckProgress& progress) mutable {
      if (progress.part < last + 0.1 && progress.part < 1) return;
      last = progress.part;
      note_to_stderr(fmt::format("{} rows checked ({:.0f}%)", text::grouped(progress.rows),
                                 progress.part * 100));
    };
  }
  DataCommand command(arguments.hosts, arguments.database, arguments.connections,
                      settings.connections);
  if (DistributedWork* hosts = command.hosts()) {
    settings.check_elsewhere = [hosts](const ycsb::CheckPart& all, ycsb::CheckReport& sums) {
      return check_on_hosts(*hosts, all, sums);
    };
  }
  const auto database = command.target().ycsb();
  std::optional<ycsb::CheckReport> report;
  const auto check = [&]() -> coro::Task<void> { report = co_await database->check(settings); };
  command.run(check(), "The check gives no verdict on the table");
  if (!report) {
    fmt::print(stderr, "drover: interrupted: the check gives no verdict on the table\n");
    return exit_interrupted;
  }
  print(check_text(*report, command.target().description()), "the report of the check");
  return report->holds() ? exit_success : exit_failure;
}

int perform_clean(const TableArguments& arguments) {
  const std::string table = read_properties(arguments.properties).table;
  const DatabaseTarget target(arguments.database, DatabaseTarget::Use::administration);
  const auto database = target.ycsb();
  const auto clean = [&]() -> coro::Task<void> {
    const auto dropped = co_await database->clean(table);
    print(dropped.empty() ? fmt::format("there is no table {} in {}, so there is nothing to drop\n",
                                        table, target.description())
                          : fmt::format("dropped {}\n", fmt::join(dropped, ", ")),
          "what was dropped");
  };
  return run::run_command(clean());
}

void add_load(Command& ycsb) {
  const auto arguments = std::make_shared<TableArguments>();
  Command& command = ycsb.add_command(
      "load",
      "Create and fill the YCSB table. The same command resumes an interrupted load. --insertstart "
      "and --insertcount load a part of the table.",
      "Examples:\n"
      "  drover ycsb load --recordcount 1000000\n"
      "  drover ycsb load -P workloads/workloada -p recordcount=200000 --connections 4\n"
      "  drover ycsb load --recordcount 1000000 --insertstart 500000 --insertcount 500000");
  add_table_options(command, *arguments, {"recordcount", "fieldcount", "fieldlength", "table"});
  command.action = [arguments] { return perform_load(*arguments); };
  command.member_action = [arguments](ranks::Member& member, const ranks::Message& work) {
    return load_part(*arguments, member, member_work(work).share);
  };
}

void add_check(Command& ycsb) {
  const auto arguments = std::make_shared<TableArguments>();
  Command& command =
      ycsb.add_command("check",
                       "Check each value in the YCSB table against its key, field and number of "
                       "updates. Exit code 1: a value is wrong or rows are lost.",
                       "Example:\n  drover ycsb check");
  add_table_options(command, *arguments, {"table"});
  command.action = [arguments] { return perform_check(*arguments); };
  command.member_action = [arguments](ranks::Member& member, const ranks::Message& work) {
    return check_part(*arguments, member, member_work(work).share);
  };
}

void add_table_clean(Command& ycsb) {
  const auto arguments = std::make_shared<TableArguments>();
  Command& command = ycsb.add_command("clean", "Drop the YCSB table and Drover's records of it",
                                      "Example:\n  drover ycsb clean --schema ycsb");
  add_database_options(command, arguments->database);
  add_property_options(command, arguments->properties, {"table"});
  add_progress_option(command, arguments->is_quiet);
  command.action = [arguments] { return perform_clean(*arguments); };
}

}  // namespace

void add_ycsb(Command& app) {
  Command& ycsb =
      app.add_command("ycsb", "Run YCSB: load data, run workloads, find the limit, check",
                      "Example, on the private server (see drover pg):\n"
                      "  drover ycsb load --recordcount 200000\n"
                      "  drover ycsb run --workload a --clients 32 --duration 1m\n"
                      "  drover ycsb check");
  add_load(ycsb);
  add_ycsb_run(ycsb);
  add_ycsb_search(ycsb);
  add_check(ycsb);
  add_table_clean(ycsb);
}

}  // namespace drover::cli
