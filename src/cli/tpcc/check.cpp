// `drover tpcc check`.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>

#include "cli/agent.h"
#include "cli/commands.h"
#include "cli/gathered.h"
#include "cli/hosts_option.h"
#include "cli/option/database_option.h"
#include "cli/run_options.h"
#include "cli/standard_output.h"
#include "cli/tpcc/check_report.h"
#include "ranks/conductor.h"
#include "report/document/described_text.h"
#include "report/document/result_json.h"
#include "run/process.h"
#include "text/plain_text.h"
#include "workload/tpcc/check/check_work.h"

namespace drover::cli {
namespace {

struct CheckArguments {
  DatabaseOption database;
  HostsArguments hosts;
  std::optional<std::int32_t> warehouses;  // else those that there are
  bool after_import = false;
  std::optional<std::size_t>
      connections;   // else one for each processor of this machine, at least 2
  std::string json;  // file of the JSON document
  bool is_quiet = false;
};

// `--connections` are those of all hosts, and this one has its share of them.
tpcc::CheckSettings settings_of(const CheckArguments& arguments, const load::Share& share = {}) {
  tpcc::CheckSettings settings;
  settings.warehouses = arguments.warehouses;
  settings.after_import = arguments.after_import;
  settings.connections = arguments.connections
                             ? share.of(*arguments.connections)
                             : std::max<std::size_t>(2, std::thread::hardware_concurrency());
  return settings;
}

// Each host judges pieces of the plan, in turns, in the snapshot of this one's session.
coro::Task<void> judge_on_hosts(Gathered& hosts, const tpcc::CheckPart& all,
                                tpcc::CheckWork& work) {
  std::vector<tpcc::CheckPart> parts(hosts.ranks(), all);
  for (tpcc::CheckPart& part : parts) part.pieces.clear();
  const std::vector<std::size_t> ranks = hosts.turns(all.pieces.size());
  for (std::size_t i = 0; i < ranks.size(); ++i) parts[ranks[i]].pieces.push_back(all.pieces[i]);
  std::vector<std::string> texts;
  for (const tpcc::CheckPart& part : parts) texts.push_back(report::written_text(part));
  const std::vector<std::string> refusals =
      co_await hosts.deal(std::move(texts), [&work](std::size_t, const std::string& said) {
        work.add(report::read_text<tpcc::PieceVerdict>(said));
      });
  for (const std::string& refusal : refusals) {
    if (!refusal.empty()) work.note_refusal(refusal);
  }
}

int check_pieces(const CheckArguments& arguments, ranks::Member& member, const load::Share& share) {
  const DatabaseTarget target(arguments.database);
  tpcc::CheckSettings settings = settings_of(arguments, share);
  run::require_descriptors(target.kind(), settings.connections, 1);
  return do_part(
      member,
      [&](std::string text, auto say) -> coro::Task<std::string> {
        auto part = report::read_text<tpcc::CheckPart>(text);
        if (part.pieces.empty()) co_return std::string();
        const std::optional<std::string> refusal = co_await target.tpcc()->check_pieces(
            std::move(part), settings,
            [&say](const tpcc::PieceVerdict& verdict) { say(report::written_text(verdict)); });
        co_return refusal.value_or("");
      },
      [&target] { return target.identity(); });
}

// exit_success if all conditions hold, exit_failure if one does not or could not be judged.
int perform(const CheckArguments& arguments) {
  std::optional<Gathered> hosts = gathered(arguments.hosts, arguments.database.db.empty());
  if (hosts) hosts->require_connection_for_each(arguments.connections);
  const DatabaseTarget target(arguments.database, DatabaseTarget::Use::administration);
  if (hosts) hosts->works_on([&target] { return target.identity(); });
  const OutputFile json{arguments.json};
  json.check();
  tpcc::CheckSettings settings = settings_of(arguments);
  if (!hosts) run::require_descriptors(target.kind(), settings.connections, 1);
  CheckProgressLine line(stderr);
  if (!arguments.is_quiet) {
    settings.on_progress = [&line](const auto& progress) { line.show(progress); };
  }

  const coro::Clock& clock = coro::SteadyClock::instance();
  const coro::Instant start = clock.now();
  std::optional<tpcc::CheckReport> report;
  const auto check = [&]() -> coro::Task<void> {
    report = co_await target.tpcc()->check(std::move(settings));
  };
  if (hosts) {
    if (!arguments.connections) settings.connections *= hosts->ranks();  // by which the work is cut
    settings.judge_elsewhere = [&hosts](const tpcc::CheckPart& all, tpcc::CheckWork& work) {
      return judge_on_hosts(*hosts, all, work);
    };
  }
  try {
    run::run_command(hosts ? hosts->around(check()) : check());
  } catch (const ranks::RankLost& lost) {
    line.clear();
    throw std::runtime_error(
        fmt::format("{} The check gives no verdict on the data", text::sentence(lost.what())));
  }
  line.clear();
  if (!report) {
    fmt::print(stderr, "drover: interrupted: the check gives no verdict on the data\n");
    return exit_interrupted;
  }
  const CheckCircumstances circumstances{
      .database = target.description(),
      .kind = target.place().kind_name,
      .schema = target.schema(),
      .seconds = coro::seconds_of(clock.now() - start),
      .finished = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)))};
  const auto document = [&] {
    return report::document_text(check_document(*report, circumstances));
  };
  write_each({[&] {
                print(json.for_people(), check_text(*report, circumstances),
                      "the report of the check");
              },
              [&] { json.write(document); }});
  return report->holds() ? exit_success : exit_failure;
}

}  // namespace

void add_tpcc_check(Command& tpcc) {
  const auto arguments = std::make_shared<CheckArguments>();
  Command& command = tpcc.add_command(
      "check",
      "Check that the TPC-C data is consistent, whichever tool loaded it: the conditions of\n"
      "clause 3.3.2, and Drover's conditions on rows, keys, nulls and counters. Reads only, on\n"
      "PostgreSQL in one snapshot, so that a load can run at the same time. Exit code 0: all\n"
      "conditions hold; 1: a condition does not hold or could not be checked.",
      "Examples:\n"
      "  drover tpcc check\n"
      "  drover tpcc check --json check.json\n"
      "  drover tpcc check --after-import --db postgresql://user@host/name\n"
      "\n"
      "docs/checks.md describes each condition and the JSON document.");
  add_database_options(command, arguments->database);
  command.add_options(
      {{"-w,--warehouses",
        &arguments->warehouses,
        "W",
        "Expected number of warehouses (default: the number in the database)",
        {.range = Range{1, 1'000'000}, .common = true}},
       {"--after-import", &arguments->after_import, "",
        "Also check what holds only for freshly imported data: condition 11 and the initial "
        "population of clause 4.3.3.1 (cardinalities, domains, shares)",
        common_option},
       {"--connections",
        &arguments->connections,
        "N",
        "Connections that check in parallel, in total over all hosts (default: one per "
        "processor, at least 2)",
        {.range = Range{1, 1'000}, .common = true}}});
  command.add_options(
      output_group,
      {{"--json", &arguments->json, "FILE",
        "Write the verdicts to FILE as JSON. -: JSON to the standard output, text to the error "
        "stream",
        common_option}});
  add_progress_option(command, arguments->is_quiet);
  add_hosts_options(command, arguments->hosts);
  command.action = [arguments] { return perform(*arguments); };
  command.member_action = [arguments](ranks::Member& member, const ranks::Message& work) {
    return check_pieces(*arguments, member, member_work(work).share);
  };
}

}  // namespace drover::cli
