// `drover tpcc check`.
#include "cli/tpcc/check.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <ctime>
#include <map>
#include <thread>

#include "cli/commands.h"
#include "cli/distributed_work.h"
#include "cli/program.h"
#include "cli/run_options.h"
#include "cli/standard_output.h"
#include "report/document/described_text.h"
#include "report/document/result_json.h"
#include "text/plain_text.h"
#include "ui/number_text.h"

namespace drover::cli {
namespace {

constexpr std::size_t width_max = 79;

using nlohmann::json;
using tpcc::CheckReport;
using tpcc::Condition;
using tpcc::Money;
using tpcc::Verdict;

std::string_view status_of(const Verdict& verdict) {
  if (verdict.error) return "not_judged";
  return verdict.holds() ? "holds" : "violated";
}

json text_or_null(const std::optional<std::string>& text) {
  return text ? json(*text) : json(nullptr);
}

// Returns the fields that conditions and verdicts share.
json entry_of(const auto& condition, std::string_view status) {
  return {{"number", condition.number == 0 ? json(nullptr) : json(condition.number)},
          {"name", condition.name},
          {"clause", condition.clause},
          {"title", condition.title},
          {"status", status},
          {"offenders", 0},
          {"first_offenders", json::array()},
          {"error", nullptr},
          {"seconds", 0.0}};
}

json to_json(const Verdict& verdict) {
  json entry = entry_of(verdict, status_of(verdict));
  entry["offenders"] = verdict.offenders;
  for (const auto& [key, expected, found] : verdict.first_offenders) {
    entry["first_offenders"].push_back({{"key", key}, {"expected", expected}, {"found", found}});
  }
  entry["error"] = text_or_null(verdict.error);
  entry["seconds"] = coro::seconds_of(verdict.server_time);
  return entry;
}

std::string line_of(std::string_view number, std::string_view clause, std::string_view title,
                    std::string_view result) {
  return fmt::format("{:>3}  {:<9} {:<52} {}\n", number, clause, title, result);
}

std::string line_of(const auto& condition, std::string_view result) {
  return line_of(condition.number == 0 ? "-" : std::to_string(condition.number), condition.clause,
                 condition.title, result);
}

std::string text_of(const Verdict& verdict) {
  std::string text = line_of(
      verdict,
      verdict.error ? "NOT JUDGED"
      : verdict.holds()
          ? "OK"
          : fmt::format("VIOLATED in {}",
                        text::counted(static_cast<std::uint64_t>(verdict.offenders), "case")));
  if (verdict.error) text += fmt::format("       {}\n", *verdict.error);
  for (const auto& [key, expected, found] : verdict.first_offenders) {
    text += fmt::format("       {}: expected {}; found {}\n", key, expected, found);
  }
  const auto shown = std::ssize(verdict.first_offenders);
  if (verdict.offenders > shown) {
    text += fmt::format("       and {} more\n", verdict.offenders - shown);
  }
  return text;
}

std::string text_of_unchecked(const Condition& condition, std::string_view reason) {
  return line_of(condition, fmt::format("not checked: {}", reason));
}

std::string summary_of(const CheckReport& report) {
  const auto with = [&](std::string_view status) {
    return std::ranges::count(report.verdicts, status, status_of);
  };
  const auto violated = with("violated");
  const auto unknown = with("not_judged");
  if (violated == 0 && unknown == 0) {
    return report.verdicts.size() == 1
               ? "The condition checked holds.\n"
               : fmt::format("All {} conditions checked hold.\n", report.verdicts.size());
  }
  std::string text = fmt::format("The check of {} did not pass: ",
                                 text::counted(report.verdicts.size(), "condition"));
  if (violated > 0) text += fmt::format("{} violated", violated);
  if (violated > 0 && unknown > 0) text += ", ";
  if (unknown > 0) text += fmt::format("{} not judged", unknown);
  return text + ".\n";
}

}  // namespace

CheckProgressLine::CheckProgressLine(std::FILE* stream)
    : stream_(stream), is_terminal_(isatty(fileno(stream)) == 1) {}

std::string CheckProgressLine::text(const tpcc::CheckProgress& progress) {
  std::string text = fmt::format("checked {}%", progress.done * 100 / progress.total);
  if (progress.left) {
    text += fmt::format(", {} left",
                        ui::clock_text(std::chrono::ceil<std::chrono::seconds>(*progress.left)));
  }
  if (!progress.condition.empty()) text += fmt::format(", now: {}", progress.condition);
  if (text.size() > width_max) text = text.substr(0, width_max - 3) + "...";
  return text;
}

void CheckProgressLine::show(const tpcc::CheckProgress& progress) {
  if (is_terminal_) write(text(progress));
}

void CheckProgressLine::clear() {
  if (width_ > 0) write("");
}

// Blanks erase the rest of a longer line.
void CheckProgressLine::write(const std::string& text) {
  fmt::memory_buffer line;
  fmt::format_to(std::back_inserter(line), "\r{:<{}}\r{}", text, width_, text);
  std::fwrite(line.data(), 1, line.size(), stream_);
  std::fflush(stream_);
  width_ = text.size();
}

nlohmann::json check_document(const CheckReport& report, const CheckCircumstances& circumstances) {
  std::map<std::string, std::uint64_t> counts = {
      {"holds", 0},
      {"violated", 0},
      {"not_judged", 0},
      {"not_checked", report.left_out.size() + report.not_asked.size()}};
  json conditions = json::array();
  for (const Verdict& verdict : report.verdicts) {
    ++counts[std::string(status_of(verdict))];
    conditions.push_back(to_json(verdict));
  }
  for (const Condition& condition : report.left_out) {
    conditions.push_back(entry_of(condition, "not_checked"));
  }
  for (const tpcc::NotAsked& one : report.not_asked) {
    conditions.push_back(entry_of(one.rule, "not_checked"));
  }
  const report::Tool self = tool();
  return {
      {"schema_version", check_schema_version},
      {"document", "drover tpcc check"},
      {"tool", {{"name", self.name}, {"version", self.version}, {"commit", self.commit}}},
      {"database",
       {{"description", circumstances.database},
        {"kind", circumstances.kind},
        {"schema", circumstances.schema},
        {"server_version", report.server_version}}},
      {"finished", circumstances.finished},
      {"seconds", circumstances.seconds},
      {"warehouses", report.warehouses},
      {"after_import", report.after_import},
      {"money", report.money == Money::exact ? "exact" : "floating"},
      {"snapshot",
       {{"shared", !report.snapshot_refusal}, {"refusal", text_or_null(report.snapshot_refusal)}}},
      {"holds", report.holds()},
      {"counts", counts},
      {"conditions", std::move(conditions)}};
}

std::string check_text(const CheckReport& report, const CheckCircumstances& circumstances) {
  std::string text = fmt::format(
      "Checked {} in {}{}, in {:.1f} s{}\n\n",
      text::counted(static_cast<std::uint64_t>(report.warehouses), "warehouse"),
      circumstances.database,
      circumstances.schema.empty() ? "" : fmt::format(", schema {}", circumstances.schema),
      circumstances.seconds, report.snapshot_refusal ? "" : ", in one snapshot");
  text += line_of("#", "clause", "condition", "result");
  const auto eleventh = std::ranges::find(report.left_out, 11, &Condition::number);
  for (const Verdict& verdict : report.verdicts) {
    if (verdict.number == 12 && eleventh != report.left_out.end()) {
      text +=
          text_of_unchecked(*eleventh, "applies only to freshly imported data (--after-import)");
    }
    text += text_of(verdict);
  }
  for (const auto& [rule, reason] : report.not_asked) text += text_of_unchecked(rule, reason);
  if (report.money == Money::floating) {
    text += "Money is stored in binary floating point, so each amount was rounded to cents.\n";
  }
  if (report.snapshot_refusal) {
    text += fmt::format(
        "Each connection used its own snapshot, because the server cannot share a snapshot: {}\n",
        *report.snapshot_refusal);
  }
  return text + "\n" + summary_of(report);
}

namespace {

struct CheckArguments {
  DatabaseOption database;
  HostsArguments hosts;
  std::optional<std::int32_t> warehouses;  // none: all in the database
  bool after_import = false;
  std::optional<std::size_t> connections;  // of all hosts; none: one per processor, at least 2
  std::string json;
  bool is_quiet = false;
};

// Returns the settings of the host with this share of --connections.
tpcc::CheckSettings settings_of(const CheckArguments& arguments, const load::Share& share = {}) {
  tpcc::CheckSettings settings;
  settings.warehouses = arguments.warehouses;
  settings.after_import = arguments.after_import;
  settings.connections = arguments.connections
                             ? share.of(*arguments.connections)
                             : std::max<std::size_t>(2, std::thread::hardware_concurrency());
  return settings;
}

// Divides the pieces of the plan among the hosts, which check them in this session's snapshot.
coro::Task<void> check_on_hosts(DistributedWork& hosts, const tpcc::CheckPart& all,
                                tpcc::CheckWork& work) {
  std::vector<tpcc::CheckPart> parts(hosts.ranks(), all);
  for (tpcc::CheckPart& part : parts) part.pieces.clear();
  const std::vector<std::size_t> ranks = hosts.turns(all.pieces.size());
  for (std::size_t i = 0; i < ranks.size(); ++i) parts[ranks[i]].pieces.push_back(all.pieces[i]);
  std::vector<std::string> texts;
  for (const tpcc::CheckPart& part : parts) texts.push_back(report::written_text(part));
  const std::vector<std::string> refusals =
      co_await hosts.distribute(std::move(texts), [&work](std::size_t, const std::string& verdict) {
        work.add(report::read_text<tpcc::PieceVerdict>(verdict));
      });
  for (const std::string& refusal : refusals) {
    if (!refusal.empty()) work.note_refusal(refusal);
  }
}

int check_pieces(const CheckArguments& arguments, ranks::Member& member, const load::Share& share) {
  const DatabaseTarget target(arguments.database);
  const tpcc::CheckSettings settings = settings_of(arguments, share);
  return perform_part(
      member, target, settings.connections,
      [&](std::string text, auto report) -> coro::Task<std::string> {
        auto part = report::read_text<tpcc::CheckPart>(text);
        if (part.pieces.empty()) co_return std::string();
        const std::optional<std::string> refusal = co_await target.tpcc()->check_pieces(
            std::move(part), settings, [&report](const tpcc::PieceVerdict& verdict) {
              report(report::written_text(verdict));
            });
        co_return refusal.value_or("");
      });
}

// Returns exit_success if all conditions hold.
int perform(const CheckArguments& arguments) {
  tpcc::CheckSettings settings = settings_of(arguments);
  DataCommand command(arguments.hosts, arguments.database, arguments.connections,
                      settings.connections);
  const DatabaseTarget& target = command.target();
  const OutputFile json{arguments.json};
  json.check();
  CheckProgressLine line(stderr);
  if (!arguments.is_quiet) {
    settings.on_progress = [&line](const auto& progress) { line.show(progress); };
  }
  if (DistributedWork* hosts = command.hosts()) {
    // The number of connections determines the size of the pieces.
    if (!arguments.connections) settings.connections *= hosts->ranks();
    settings.judge_elsewhere = [hosts](const tpcc::CheckPart& all, tpcc::CheckWork& work) {
      return check_on_hosts(*hosts, all, work);
    };
  }
  const coro::Clock& clock = coro::SteadyClock::instance();
  const coro::Instant start = clock.now();
  std::optional<tpcc::CheckReport> report;
  const auto check = [&]() -> coro::Task<void> {
    report = co_await target.tpcc()->check(std::move(settings));
  };
  command.run(check(), "The check gives no verdict on the data");
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
      {{"-w,--warehouses", &arguments->warehouses, "W",
        "Expected number of warehouses (default: the number in the database)",
        in_range(1, 1'000'000) + common_option},
       {"--after-import", &arguments->after_import, "",
        "Also check what holds only for freshly imported data: condition 11 and the initial "
        "population of clause 4.3.3.1 (cardinalities, domains, shares)",
        common_option},
       {"--connections", &arguments->connections, "N",
        "Connections that check in parallel, in total over all hosts (default: one per "
        "processor, at least 2)",
        in_range(1, 1'000) + common_option}});
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
