#include "cli/tpcc_check.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <functional>
#include <memory>
#include <thread>
#include <utility>

#include "cli/check_document.h"
#include "cli/check_progress_line.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/needs.h"
#include "cli/standard_output.h"
#include "cli/usage_error.h"
#include "coro/block_on.h"
#include "coro/worker.h"
#include "report/atomic_file.h"
#include "report/result_json.h"

namespace drover::cli {
namespace {

using tpcc::CheckReport;
using tpcc::CheckSettings;
using tpcc::Money;
using tpcc::Verdict;

constexpr std::string_view line_format = "{:>3}  {:<9} {:<52} {}\n";

std::string number_text(int number) {
  return number == 0 ? std::string("-") : std::to_string(number);
}

void append_verdict(std::string& text, const Verdict& verdict) {
  std::string result = "OK";
  if (verdict.error) {
    result = "ERROR";
  } else if (!verdict.holds()) {
    result = fmt::format("VIOLATED by {}", verdict.offenders);
  }
  text += fmt::format(fmt::runtime(line_format), number_text(verdict.number), verdict.clause,
                      verdict.title, result);
  if (verdict.error) text += fmt::format("       {}\n", *verdict.error);
  for (const auto& [key, expected, found] : verdict.first_offenders)
    text += fmt::format("       {}: expected {}; found {}\n", key, expected, found);
  const auto shown = std::ssize(verdict.first_offenders);
  if (verdict.offenders > shown)
    text += fmt::format("       and {} more\n", verdict.offenders - shown);
}

// A condition that is not checked must not look like one that holds.
void append_left_out(std::string& text, const tpcc::Condition& condition) {
  text += fmt::format(fmt::runtime(line_format), condition.number, condition.clause,
                      condition.title, "not checked: of fresh data only (--after-import)");
}

std::string summary_of(const CheckReport& report) {
  const auto violated = std::count_if(report.verdicts.begin(), report.verdicts.end(),
                                      [](const Verdict& v) { return !v.error && !v.holds(); });
  const auto unknown = std::count_if(report.verdicts.begin(), report.verdicts.end(),
                                     [](const Verdict& v) { return v.error.has_value(); });
  if (violated == 0 && unknown == 0) {
    return report.verdicts.size() == 1
               ? "The condition checked holds.\n"
               : fmt::format("All {} conditions checked hold.\n", report.verdicts.size());
  }
  std::string text = fmt::format("Of {} conditions", report.verdicts.size());
  if (violated > 0) text += fmt::format(" {} violated", violated);
  if (violated > 0 && unknown > 0) text += " and";
  if (unknown > 0) text += fmt::format(" {} not judged, which is no pass", unknown);
  return text + ".\n";
}

// Nothing when it was interrupted.
coro::Task<std::optional<CheckReport>> check_until_interrupt(const tpcc::Database& database,
                                                             CheckSettings settings) {
  std::optional<CheckReport> report;
  coro::Scope* work = nullptr;
  InterruptWatch interrupt([&work] { work->cancel(); });
  auto body = [&](coro::Scope& scope) -> coro::Task<void> {
    work = &scope;
    scope.start(interrupt.watch());
    report = co_await database.check(std::move(settings));
    scope.cancel();
  };
  co_await coro::with_scope(body);
  co_return report;
}

}  // namespace

std::string format_check_report(const CheckReport& report) {
  const auto eleventh =
      std::find_if(report.left_out.begin(), report.left_out.end(),
                   [](const tpcc::Condition& condition) { return condition.number == 11; });
  std::string text;
  for (const Verdict& verdict : report.verdicts) {
    if (verdict.number == 12 && eleventh != report.left_out.end()) append_left_out(text, *eleventh);
    append_verdict(text, verdict);
  }
  if (report.money == Money::floating)
    text += "Money is stored in binary floating point: each amount was rounded to cents.\n";
  if (report.snapshot_refusal)
    text += fmt::format("Each session saw its own snapshot, as the server shares none: {}\n",
                        *report.snapshot_refusal);
  return text + "\n" + summary_of(report);
}

namespace {

constexpr std::string_view json_to_stdout = "-";

report::WantedFile check_file(const std::string& path) {
  return {path, "JSON file"};
}

std::string now_in_utc() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

// A document on stdout stands there alone.
void print_report(const DatabaseTarget& target, const CheckReport& report, double seconds,
                  std::FILE* out) {
  std::string text =
      fmt::format("Checked {} {} in {}{}, {:.1f} s{}\n\n", report.warehouses,
                  report.warehouses == 1 ? "warehouse" : "warehouses", target.description(),
                  target.schema().empty() ? "" : fmt::format(", schema {}", target.schema()),
                  seconds, report.snapshot_refusal ? "" : ", in one snapshot");
  text += fmt::format(fmt::runtime(line_format), "#", "clause", "condition", "result");
  text += format_check_report(report);
  print(out, text, "the report of the check");
}

CheckSettings settings_of(const CheckRequest& request) {
  CheckSettings settings;
  settings.warehouses = request.warehouses;
  settings.after_import = request.after_import;
  settings.connections = request.connections;
  if (settings.connections == 0)
    settings.connections = std::max<std::size_t>(2, std::thread::hardware_concurrency());
  return settings;
}

}  // namespace

int check_database(const DatabaseTarget& target, const CheckRequest& request) {
  const bool to_stdout = request.json == json_to_stdout;
  if (!request.json.empty() && !to_stdout) report::check_can_write(check_file(request.json));
  CheckSettings settings = settings_of(request);
  require_descriptors(target.kind(), settings.connections, 1);
  CheckProgressLine line(stderr);
  settings.on_progress = [&line](const auto& progress) { line.show(progress); };

  const BlockedInterrupts blocked;
  coro::Worker worker;
  const coro::Instant start = worker.now();
  const auto report =
      coro::block_on(worker, check_until_interrupt(target.database(), std::move(settings)));
  line.clear();
  if (!report) {
    fmt::print(stderr, "drover: interrupted: nothing is known of the data\n");
    return exit_interrupted;
  }
  const double seconds = std::chrono::duration<double>(worker.now() - start).count();
  const auto write_document = [&] {
    if (request.json.empty()) return;
    const std::string document = report::document_text(
        check_document(*report, {.database = target.description(),
                                 .kind = std::string(target.database().kind()),
                                 .schema = target.schema(),
                                 .seconds = seconds,
                                 .finished = now_in_utc()}));
    if (to_stdout) return print(document, "the JSON document");
    report::write_atomically(check_file(request.json), document);
  };
  write_each({[&] { print_report(target, *report, seconds, to_stdout ? stderr : stdout); },
              write_document});
  return report->holds() ? exit_success : exit_failure;
}

void add_tpcc_check(CLI::App& tpcc, std::function<int()>& chosen) {
  struct Arguments {
    DatabaseOption database;
    CheckRequest request;
  };
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command = tpcc.add_subcommand(
      "check",
      "Check the data in any database with the nine tables, whichever tool loaded it: the\n"
      "conditions of clause 3.3.2, and what the transactions imply besides (rows, keys, nulls,\n"
      "counters). Only reads, and on PostgreSQL all of it in one snapshot: it may run beside a\n"
      "load. Exit code 0: all conditions hold; 1: not, or they could not be checked.");
  command->footer(
      "Examples:\n"
      "  drover tpcc check\n"
      "  drover tpcc check --json check.json\n"
      "  drover tpcc check --after-import --db postgresql://user@host/name\n"
      "\n"
      "docs/checks.md has each condition with its equation and clause, and the JSON document.");
  add_database_options(*command, arguments->database);
  command
      ->add_option("-w,--warehouses", arguments->request.warehouses,
                   "Warehouses that there must be (default: those that there are)")
      ->check(CLI::Range(1, 1'000'000))
      ->type_name("W");
  command->add_flag("--after-import", arguments->request.after_import,
                    "The data is freshly loaded: condition 11, and the whole population of\n"
                    "clause 4.3.3.1: cardinalities, domains of all columns, shares");
  command
      ->add_option("--connections", arguments->request.connections,
                   "Sessions that check at the same time (default: as many as processors)")
      ->check(CLI::Range(1, 1'000))
      ->type_name("N");
  command
      ->add_option("--json", arguments->request.json,
                   "Writes what was found to this file as JSON; '-': to the standard output, and\n"
                   "the report for people to the error stream")
      ->type_name("FILE");
  command->callback([arguments, &chosen] {
    chosen = [arguments] {
      const DatabaseTarget target(arguments->database);
      return check_database(target, arguments->request);
    };
  });
}

}  // namespace drover::cli
