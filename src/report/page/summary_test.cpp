#include "report/page/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>

#include "report/document/example_result_test.h"
#include "report/merge/example_part_test.h"
#include "report/page/run_parts.h"

namespace drover::report {
namespace {

using testing::HasSubstr;
using testing::Not;

// The cells of the first line that begins with this word.
std::vector<std::string> cells_of(const std::string& text, const std::string& first) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::vector<std::string> cells;
    for (std::string word; words >> word;) cells.push_back(word);
    if (!cells.empty() && cells[0] == first) return cells;
  }
  return {};
}

std::string in_one_line(const std::string& text) {
  std::istringstream words(text);
  std::string line;
  for (std::string word; words >> word;) line += (line.empty() ? "" : " ") + word;
  return line;
}

std::size_t longest_line(const std::string& text) {
  std::size_t longest = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) longest = std::max(longest, line.size());
  return longest;
}

TEST(SummaryText, Headline) {
  const std::string text = summary_text(example_result());
  EXPECT_THAT(text, HasSubstr("tpmC        119.5   (120 New-Orders committed)"));
  EXPECT_THAT(text, HasSubstr("efficiency  92.9% +- "));
  EXPECT_THAT(text, HasSubstr("measured    60.3 s from 2025-11-20 20:20:00 UTC\n"));
  EXPECT_THAT(text, HasSubstr("10 warehouses, 100 terminals, 16 connections\n"));
  EXPECT_THAT(text, HasSubstr("batched, isolation read committed"));
  EXPECT_THAT(text, HasSubstr("not an official TPC result"));
  EXPECT_THAT(text, Not(HasSubstr("INTERRUPTED")));
  EXPECT_EQ(text.back(), '\n');
}

TEST(SummaryText, TheMostFrequentErrorsAreInTheWordsOfTheServer) {
  Result result = example_result();
  TransactionResult& payment = result.transactions[1];
  payment.errors_by_sqlstate = {{"22003", 900}, {"23514", 20}, {"42883", 5}, {"53100", 30}};
  payment.errors_by_class = {{"statement", 955}};
  payment.error_messages = {{"22003", "numeric field overflow"},
                            {"23514", "a check [SQLSTATE 23514]"},
                            {"42883", "no function"},
                            {"53100", "disk full"}};
  EXPECT_THAT(summary_text(result), HasSubstr("              22003: numeric field overflow\n"
                                              "              53100: disk full\n"
                                              "              a check [SQLSTATE 23514]\n"));
  EXPECT_THAT(summary_text(result), Not(HasSubstr("no function")));
}

TEST(SummaryText, ATypeOfWhichEveryTransactionFailedIsNamedWithItsError) {
  Result result = example_result();
  TransactionResult& new_order = result.transactions[0];
  new_order.errors_by_sqlstate = {{"22003", 900}, {"23514", 800}, {"53100", 700}};
  new_order.error_messages = {{"22003", "overflow"}, {"23514", "a check"}, {"53100", "disk full"}};
  TransactionResult& stock_level = result.transactions.back();
  ASSERT_EQ(stock_level.name, "StockLevel");
  stock_level.failed_count = 7;
  stock_level.errors_by_sqlstate = {{"0A000", 5}, {"22012", 2}};
  stock_level.error_messages = {{"0A000", "no distributed plan [SQLSTATE 0A000]"},
                                {"22012", "division by zero"}};
  EXPECT_THAT(summary_text(result), Not(HasSubstr("ALL FAILED")));
  stock_level.ok_count = 0;
  EXPECT_THAT(summary_text(result),
              HasSubstr("  ALL FAILED  StockLevel: none succeeded, 7 failed, most often with no "
                        "distributed plan [SQLSTATE\n              0A000]\n"));
  // A serialization failure or a lost connection has no message.
  stock_level.error_messages.clear();
  EXPECT_THAT(summary_text(result),
              HasSubstr("  ALL FAILED  StockLevel: none succeeded, 7 failed\n"));
  // A transaction that was retried and has not ended is not counted.
  stock_level.failed_count = 0;
  stock_level.error_messages = {{"55P03", "lock timeout"}};
  EXPECT_THAT(summary_text(result), Not(HasSubstr("ALL FAILED")));
}

TEST(SummaryText, SaysWhereThePointsOfALongRunAreLonger) {
  Result result = example_result();
  EXPECT_THAT(summary_text(result), Not(HasSubstr("time series")));
  result.time_series_step_s = 64;
  EXPECT_THAT(summary_text(result), HasSubstr("each point of the time series covers 64 s"));
}

TEST(SummaryText, ARowForEachTransaction) {
  const std::string text = summary_text(example_result());
  EXPECT_THAT(cells_of(text, "NewOrder"),
              testing::ElementsAre("NewOrder", "120", "2", "4", "4", "2.0", testing::_, testing::_,
                                   testing::_, testing::_, "120.0", "ok"));
  EXPECT_THAT(cells_of(text, "StockLevel"),
              testing::ElementsAre("StockLevel", "12", "0", "0", "0", "0.2", "30000", "30000",
                                   ">30000", ">30000", ">30000", "OVER"));
  EXPECT_EQ(cells_of(text, "Payment").back(), "-");
  EXPECT_EQ(cells_of(text, "all").at(1), "132");
  EXPECT_THAT(text, HasSubstr("over the limit: StockLevel 30000 ms, limit 20 s"));
  EXPECT_THAT(text, HasSubstr("skipped"));
}

TEST(SummaryText, ErrorsWaitsAndCost) {
  const std::string text = summary_text(example_result());
  EXPECT_THAT(text, HasSubstr("errors      ambiguous_commit 3, retryable 4, statement 1\n"));
  EXPECT_THAT(text, HasSubstr("SQLSTATE    40001 4, XX000 1\n"
                              "              XX000: tuple concurrently updated\n"));
  EXPECT_THAT(text, HasSubstr("client wait p50 0.05 ms, p99 0.12 ms"));
  EXPECT_THAT(text, HasSubstr("1.25 s of CPU time (0.021 cores), 9058.0 us per transaction"));
  EXPECT_THAT(text,
              HasSubstr("peak memory 50.0 MiB, 3 threads, busiest worker thread 25% of a core"));
}

TEST(SummaryText, NothingToSayIsNotSaid) {
  Result result = example_result();
  result.transactions[0].errors_by_class.clear();
  result.transactions[0].errors_by_sqlstate.clear();
  result.transactions[0].error_messages.clear();
  result.transactions[0].failed_count = 0;
  result.transactions[0].retry_count = 0;
  result.transactions[0].attempts = 122;
  result.transactions[0].ambiguous = {};
  result.availability = {};
  result.ledger_in_data.reset();
  result.deferred_delivery.reset();
  result.failure.reset();
  result.server_stats.reset();
  result.hosts.clear();
  result.environment.server->settings["fsync"] = "on";
  result.delivery_skipped_districts = 0;
  result.audit = {{"mix", "", Judgement::held, "Payment 43.5%"}};
  const std::string text = summary_text(result);
  EXPECT_THAT(text, Not(HasSubstr("errors")));
  EXPECT_THAT(text, Not(HasSubstr("SQLSTATE")));
  EXPECT_THAT(text, Not(HasSubstr("not durable")));
  EXPECT_THAT(text, Not(HasSubstr("skipped")));
  for (const char* word : {"BROKEN", "INVALID", "ABORTED", "outage", "sessions", "ambiguous",
                           "ledger", "deferred", "43.5"}) {
    EXPECT_THAT(text, Not(HasSubstr(word)));
  }
}

TEST(SummaryText, WarehousesThatWereAwayTakeThePlaceOfInterruptions) {
  Result result = example_result();
  result.availability = {};
  result.availability.interruptions = 7;
  result.availability.sessions_lost = result.availability.sessions_reopened = 1;
  const std::uint64_t all = result.plan.warehouses;
  const std::string interruptions = "1 lost, 1 reopened; 7 interruptions shorter than 0.1 s\n";
  EXPECT_THAT(summary_text(result), HasSubstr(interruptions));
  EXPECT_THAT(summary_text(result), Not(HasSubstr("warehouses' time")));
  result.warehouse_availability = {.away = {2}, .away_s = 13.25, .available_percent = 99.999};
  const std::string text = summary_text(result);
  EXPECT_THAT(text, HasSubstr("  available   99.99% of the warehouses' time: 1 of " +
                              std::to_string(all) + " warehouses (2) was away for 13.2 s\n"));
  EXPECT_THAT(text, HasSubstr("  connections 1 lost, 1 reopened\n"));
  result.availability.sessions_lost = 0;
  EXPECT_THAT(summary_text(result), Not(HasSubstr("reopened")));
  for (std::uint64_t w_id = 3; w_id <= 10; ++w_id)
    result.warehouse_availability->away.push_back(w_id);
  EXPECT_THAT(summary_text(result), HasSubstr("(2, 3, 4, 5, 6, 7, 8, 9, …)"));
}

TEST(SummaryText, SaysWhatMakesAResultNotDurable) {
  Result result = example_result();
  result.environment.server->settings["synchronous_commit"] = "off";
  EXPECT_THAT(summary_text(result), HasSubstr("fsync = off, synchronous_commit = off"));
}

TEST(SummaryText, TheAuditInOneSentenceAndWhatDoesNotHold) {
  Result result = example_result();
  const std::string text = summary_text(result);
  EXPECT_THAT(text, HasSubstr("\n\n  audit       INVALID: client overloaded: a worker needed 96%"));
  EXPECT_LT(text.find("  audit  "), text.find("  tpmC  "));
  EXPECT_THAT(text, HasSubstr("  INVALID     client.load: a worker needed 96%"));
  EXPECT_THAT(text, HasSubstr("  BROKEN      availability: 2 outages"));
  EXPECT_THAT(text, Not(HasSubstr("mix: "))) << "it holds";
  EXPECT_THAT(text, Not(HasSubstr("interval: "))) << "it is not judged";
  EXPECT_THAT(text, HasSubstr("ABORTED     the database was away for longer than it may\n"));

  result.audit = {{"mix", "5.2.3", Judgement::held, "x"},
                  {"interval", "5.5.2", Judgement::not_judged, "y"}};
  EXPECT_THAT(summary_text(result),
              HasSubstr("  audit       valid: all 1 judged rules hold (1 not judged)\n"));
}

TEST(SummaryText, OutagesSessionsAndTheLedger) {
  Result result = example_result();
  const std::string text = summary_text(result);
  EXPECT_THAT(
      text,
      HasSubstr(
          "outage      10.8 s, from 20.5 s to 31.2 s of the run (since 20:20:15.00 UTC), 9 "));
  EXPECT_THAT(text,
              HasSubstr("outage      from 60.0 s of the run to its end (since 20:20:54.50 UTC), "
                        "0 transactions"));
  EXPECT_THAT(
      text,
      HasSubstr("connections 17 lost (3 of them while idle), 16 reopened; 1 interruption shorter"));
  EXPECT_THAT(
      text, HasSubstr("unknown     3 commits without an answer: 1 committed, 1 not committed, 1 "));
  EXPECT_THAT(text,
              HasSubstr("131 New-Orders, 118 Payments and 12 Deliveries of 117 orders committed"));
  EXPECT_THAT(text, HasSubstr("the data DISAGREE"));
  result.ledger_in_data->new_orders = 131;
  EXPECT_THAT(summary_text(result), HasSubstr("the data agree"));

  for (int i = 0; i < 20; ++i) result.availability.outages.push_back({70, 71, 1, "x"});
  EXPECT_THAT(summary_text(result), HasSubstr("and 12 more: see the result file"));
}

TEST(SummaryText, CommitsThatWereLost) {
  Result result = example_result();
  EXPECT_THAT(
      in_one_line(summary_text(result)),
      HasSubstr("lost 3 acknowledged commits are not in the data: 1 New-Order, 1 Payment of 42.50, "
                "1 Delivery of 10 orders; they do not explain all that is missing; "
                "acknowledged from 20.00 s to 20.50 s of the run, in warehouses 7 (2), 9 (1)"));
  result.lost_commits->complete = true;
  EXPECT_THAT(summary_text(result), Not(HasSubstr("explain all")));
  result.lost_commits = LostCommits{};
  EXPECT_THAT(summary_text(result),
              HasSubstr("lost        none: every acknowledged commit is in the data\n"));
  result.availability = {};
  EXPECT_THAT(summary_text(result), Not(HasSubstr("lost   "))) << "it had no occasion to";
  result.lost_commits.reset();
  EXPECT_THAT(summary_text(result), Not(HasSubstr("acknowledged"))) << "nobody knows";
}

TEST(SummaryText, StallsAndWhatIsPending) {
  const std::string text = summary_text(example_result());
  EXPECT_THAT(text, HasSubstr("stall       1.5 s, from 35.0 s to 36.5 s of the run: terminals "
                              "waited and the database answered\n              nothing\n"));
  EXPECT_THAT(text, HasSubstr("stall       from 58.2 s of the run to its end: terminals"));
  EXPECT_THAT(
      text,
      HasSubstr("pending     3 in flight at the end of the run; 1 of them late and without an "
                "answer, the latest\n              after 30000 ms. Figures with > are "
                "lower bounds\n"));
  EXPECT_THAT(cells_of(text, "StockLevel"),
              testing::ElementsAre("StockLevel", "12", "0", "0", "0", "0.2", "30000", "30000",
                                   ">30000", ">30000", ">30000", "OVER"));
}

TEST(SummaryText, DeferredDeliveriesAreARow) {
  const std::string text = summary_text(example_result());
  EXPECT_THAT(cells_of(text, "deferred"),
              testing::ElementsAre("deferred", "11", "0", "1", "0", "0.2", testing::_, testing::_,
                                   testing::_, testing::_, "1100", "ok"));
  EXPECT_THAT(text, HasSubstr("2 deferred Deliveries unfinished at the end of the run"));
}

TEST(SummaryText, WithoutDelaysThereIsNoEfficiency) {
  Result result = example_result();
  result.plan.no_delays = true;
  const std::string text = summary_text(result);
  EXPECT_THAT(text, HasSubstr("efficiency  n/a (defined only with keying and think times)"));
  EXPECT_THAT(text, Not(HasSubstr("sampling error")));
}

TEST(SummaryText, PaceSimulationAndInterruption) {
  Result result = example_result();
  result.plan.pace = 2.5;
  result.plan.simulate_ms = 5;
  result.environment.server.reset();
  result.interrupted = true;
  result.summary.time_seconds = 3'723;
  const std::string text = summary_text(result);
  EXPECT_THAT(text, HasSubstr("keying and think times divided by 2.5"));
  EXPECT_THAT(text, HasSubstr("simulated transactions of 5 ms"));
  EXPECT_THAT(text, HasSubstr("1 h 2 min 3 s"));
  EXPECT_THAT(text, HasSubstr("INTERRUPTED"));
}

TEST(SummaryText, FitsTheWidthWithLargeFigures) {
  Result result = example_result();
  result.plan.warehouses = 150'000;
  result.client.terminals = 1'500'000;
  result.client.peak_rss_bytes = 600ull << 30;
  result.summary.time_seconds = 7'200;
  result.plan.isolation = std::string(150, 'i');
  result.environment.server->settings["synchronous_commit"] = "off";
  result.environment.server->settings["full_page_writes"] = "off";
  for (TransactionResult& one : result.transactions) {
    one.ok_count = 120'000'000;
    one.user_aborted_count = 1'200'000;
    one.failed_count = 9'999'999;
    one.retry_count = 10'000'000;
    one.latency.record(3'600'000'000'000);
    for (int i = 0; i < 30; ++i) one.errors_by_class["class " + std::to_string(i)] = 1'000'000;
  }
  result.audit.push_back(
      {"long", "", Judgement::broken, "no end of words " + std::string(400, 'x')});
  for (int i = 0; i < 40; ++i) {
    result.audit.push_back({"line." + std::to_string(i), "", Judgement::broken, "x"});
  }
  result.availability.outages[0].first_error = std::string(300, 'e');
  result.availability.sessions_lost = 10'000'000'000;
  result.deferred_delivery->completed = 120'000'000;
  result.failure = std::string(250, 'f');
  complete_summary(result);
  for (const std::size_t width : {60u, 80u, 100u}) {
    const std::string text = summary_text(result, width);
    EXPECT_LE(longest_line(text), width) << text;
    EXPECT_THAT(text, Not(HasSubstr(" \n")));
  }
}

TEST(SummaryText, ANarrowTerminalHasLatenciesInATableOfTheirOwn) {
  const std::string text = summary_text(example_result(), 80);
  EXPECT_LE(longest_line(text), 80u) << text;
  EXPECT_THAT(cells_of(text, "NewOrder"),
              testing::ElementsAre("NewOrder", "120", "2", "4", "4", "2.0"));
  EXPECT_THAT(text, HasSubstr("\ntransaction  p50 ms  p90 ms  p95 ms  p99 ms  max ms limit\n"));
  EXPECT_THAT(text, HasSubstr("  BROKEN      availability: 2 outages"));
  // What goes on below is indented as the text above.
  Result result = example_result();
  result.audit = {
      {"ledger", "", Judgement::broken, std::string(60, 'a') + " " + std::string(40, 'b')}};
  EXPECT_THAT(summary_text(result, 80),
              HasSubstr(std::string(60, 'a') + "\n              " + std::string(40, 'b') + "\n"));
  result.failure = "the server says: " + std::string(100, 'x') + "\xc3\xa4\xc3\xb6\xc3\xbc";
  for (std::size_t width = 60; width < 100; ++width) {
    EXPECT_THAT(summary_text(result, width), Not(HasSubstr("\xc3\n"))) << "within a character";
  }
}

TEST(SummaryText, FiguresThatThereAreNotAreDashes) {
  Result result;
  result.transactions = tpcc_transactions();
  result.plan.warehouses = 1;
  result.summary.time_seconds = 3;
  result.client.connections = result.client.threads = 1;
  complete_summary(result);
  const std::string text = summary_text(result);
  EXPECT_THAT(
      cells_of(text, "NewOrder"),
      testing::ElementsAre("NewOrder", "0", "0", "0", "0", "0.0", "-", "-", "-", "-", "-", "-"));
  EXPECT_THAT(text, HasSubstr("efficiency  - (no New-Order was committed)"));
  EXPECT_THAT(text, HasSubstr("client wait - (before a transaction, for"));
  EXPECT_THAT(text, HasSubstr(", - us per transaction"));
  EXPECT_THAT(text, HasSubstr("1 warehouse, 0 terminals, 1 connection\n"));
  EXPECT_THAT(text, HasSubstr("1 thread, "));
}

TEST(SummaryText, ForeignTextCannotSteerTheTerminal) {
  Result result = example_result();
  result.audit = {{"x\x1b[2J", "", Judgement::broken, "two\nlines"}};
  result.availability.outages[0].first_error = "FATAL\x1b[2J";
  result.failure = "x\x1b[2J";
  const std::string text = summary_text(result);
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, HasSubstr("two lines"));
}

TEST(SummaryText, AnEmptyResult) {
  Result result;
  result.transactions = tpcc_transactions();
  complete_summary(result);
  const std::string text = summary_text(result);
  EXPECT_THAT(text, HasSubstr("tpmC        0.0"));
  EXPECT_LE(longest_line(text), 100u);
  EXPECT_THAT(text, Not(HasSubstr("nan")));
  EXPECT_THAT(text, Not(HasSubstr("inf ")));
}

TEST(SummaryOfServer, SessionsByWaitEvent) {
  const std::string text = summary_text(example_result());
  EXPECT_THAT(text, HasSubstr("server, by wait event  sessions     share     ms/tx\n"));
  EXPECT_THAT(text, HasSubstr("  IO:WALSync               2.50     62.5%      1091\n"));
  EXPECT_THAT(text, HasSubstr("  all                      4.00    100.0%"));
}

TEST(SummaryOfServer, StatementsByTheirTime) {
  const std::string text = summary_text(example_result());
  EXPECT_THAT(text, HasSubstr("server, by statement"));
  EXPECT_THAT(text, HasSubstr("  UPDATE stock SET s_quantity = $1 WHERE s_i_id = $2"));
  EXPECT_THAT(text, HasSubstr(" 1000       1.2      1.25\n"));
  Result result = example_result();
  result.server_stats->statements->resize(9, result.server_stats->statements->front());
  EXPECT_THAT(summary_text(result), HasSubstr("  and 4 more: see the result file\n"));
  result.server_stats->statements.reset();
  EXPECT_THAT(summary_text(result), Not(HasSubstr("by statement")));
}

TEST(SummaryOfServer, ManyEventsAreOthers) {
  Result result = example_result();
  for (int i = 0; i < 10; ++i) {
    result.server_stats->wait_events.push_back({"LWLock:" + std::to_string(i), 0.1});
  }
  const std::string text = summary_text(result);
  EXPECT_THAT(text, HasSubstr("  LWLock:4 "));
  EXPECT_THAT(text, Not(HasSubstr("LWLock:5")));
  EXPECT_THAT(text, HasSubstr("  others                   0.50 "));
}

TEST(SummaryOfServer, IsNothingWhereNobodyLooked) {
  Result result = example_result();
  result.server_stats->wait_events.clear();
  EXPECT_THAT(summary_text(result), HasSubstr("no active session in 4 samples\n"));
  result.server_stats.reset();
  EXPECT_THAT(summary_text(result), Not(HasSubstr("server, by")));
}

TEST(SummaryOfServer, FitsAnyWidthAndActsUponNoTerminal) {
  Result result = example_result();
  result.server_stats->wait_events[0].name = "\x1b[2J" + std::string(150, 'x');
  result.server_stats->statements->front().text = "\x1b[2J\n" + std::string(500, 'x');
  for (const std::size_t width : {60U, 80U, 100U}) {
    const std::string text = summary_text(result, width);
    EXPECT_EQ(text.find('\x1b'), std::string::npos);
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), width) << line;
  }
}

Result without_hosts() {
  Result result = example_result();
  result.hosts.clear();
  result.availability.sessions_renewed.reset();
  return result;
}

TEST(HostsOfAResult, HaveALineEachInTheSummary) {
  const std::string text = summary_text(example_result());
  EXPECT_THAT(text, HasSubstr("server hosts    conns       ok failed  p50 ms  p90 ms  p99 ms\n"));
  EXPECT_THAT(text, HasSubstr("  db1:5432          9      150      1    7.50    13.4    14.9\n"));
  EXPECT_THAT(text, HasSubstr("  db2:5433          7      130      0    13.0    23.5    25.8\n"));
  EXPECT_THAT(text, HasSubstr("  renewed     5 connections (--connection-max-age)\n"));
}

TEST(HostsOfAResult, AreNotSpokenOfWhereThereIsOne) {
  const std::string text = summary_text(without_hosts());
  EXPECT_THAT(text, Not(HasSubstr("hosts")));
  EXPECT_THAT(text, Not(HasSubstr("renewed")));
  EXPECT_THAT(html_report({{"r", without_hosts()}}), Not(HasSubstr("id=\"result-1-hosts\"")));
}

TEST(HostsOfAResult, ThatNothingWasCommittedAtHaveNoTimes) {
  Result result = example_result();
  result.hosts[1].ok_count = 0;
  result.hosts[1].service = {};
  EXPECT_THAT(summary_text(result),
              HasSubstr("  db2:5433          7        0      0       -       -       -\n"));
}

TEST(HostsOfAResult, ActUponNoTerminalAndFitAnyWidth) {
  Result result = example_result();
  result.hosts[0].name = "evil\x1b[31m" + std::string(300, 'h') + ":5432";
  for (const std::size_t width : {60, 80, 100, 200}) {
    const std::string out = render_terminal({server_hosts_table(result)}, width);
    EXPECT_THAT(out, Not(HasSubstr("\x1b")));
    for (std::size_t begin = 0; begin < out.size();) {
      const std::size_t end = out.find('\n', begin);
      EXPECT_LE(end - begin, width);
      begin = end + 1;
    }
  }
}

TEST(HostsOfAResult, AreInThePagesAndInMarkdown) {
  const std::string page = html_report({{"r", example_result()}});
  EXPECT_THAT(page, HasSubstr("id=\"result-1-hosts\""));
  EXPECT_THAT(page, HasSubstr("db2:5433"));
  EXPECT_THAT(page, HasSubstr("5 connections replaced because of their age"));
  EXPECT_THAT(markdown_report({{"r", example_result()}}),
              HasSubstr("| `db1:5432` | 9 | 150 | 1 | 7.50 |"));
}

Result of_four_hosts() {
  static const Result result = merged(ExampleRun(1).parts);
  return result;
}

Result with_one_lost() {
  Result result = of_four_hosts();
  result.ranks[1].lost = "the host sent nothing for 10 s";
  result.ranks[1].lost_at_s = 192.5;
  result.ranks[1].clock_at_start = ClockOffset{3.0001, 0, 0.00025};
  result.ranks[1].start_ts += 3;
  result.incomplete = "host b was lost at 3:12: the host sent nothing for 10 s";
  return result;
}

TEST(LoadHosts, HaveALineEachInTheSummary) {
  const std::string out = render_terminal({load_hosts_table(of_four_hosts())}, 200);
  EXPECT_THAT(out, HasSubstr("load hosts  warehouses  ok/s failed"));
  EXPECT_THAT(out, HasSubstr("\n  a               1-10 "));
  EXPECT_THAT(out, HasSubstr("\n  d              31-40 "));
  EXPECT_THAT(out, HasSubstr(" 4.0 MiB "));
  EXPECT_THAT(out, HasSubstr(" +3.00 +0.00 +- 0.50\n"));
  EXPECT_THAT(out, Not(HasSubstr("lost at")));
}

TEST(LoadHosts, ThatWereLostSayWhen) {
  const std::string text = summary_text(with_one_lost());
  EXPECT_THAT(text,
              HasSubstr("  INCOMPLETE  host b was lost at 3:12: the host sent nothing for 10 s\n"));
  EXPECT_THAT(text, HasSubstr(" +3000 +- 0.25"));
  EXPECT_THAT(text, HasSubstr("lost at"));
  EXPECT_THAT(text, HasSubstr("\n  b            3:12 "));
}

TEST(LoadHosts, AreNotSpokenOfWhereThereIsOne) {
  const Result alone = ExampleRun(1).whole;
  for (const std::string& text :
       {summary_text(alone), html_report({{"r", alone}}), markdown_report({{"r", alone}})}) {
    EXPECT_THAT(text, Not(HasSubstr("load hosts")));
    EXPECT_THAT(text, Not(HasSubstr("that made the load")));
    EXPECT_THAT(text, Not(HasSubstr("drover merge")));
  }
}

TEST(LoadHosts, APartSaysThatItIsOne) {
  EXPECT_THAT(
      summary_text(ExampleRun(1).parts[2], 200),
      HasSubstr("  part        c, rank 2 of 4 (counted from 0), warehouses 21 to 30: one part of "
                "a run on several hosts. 'drover merge' combines the parts\n"));
}

TEST(LoadHosts, ARunOfOneHostIsNoPart) {
  Result result = ExampleRun(1).parts[0];
  result.ranks[0].ranks = 1;
  result.ranks[0].warehouse_last = result.plan.warehouses;
  EXPECT_THAT(summary_text(result), Not(HasSubstr("drover merge")));
}

TEST(LoadHosts, FitAnyWidthAndActUponNoTerminal) {
  Result result = with_one_lost();
  result.ranks[0].name = "evil\x1b[31m" + std::string(300, 'h');
  for (const std::size_t width : {60, 80, 100, 200}) {
    const std::string out = render_terminal({load_hosts_table(result)}, width);
    EXPECT_THAT(out, Not(HasSubstr("\x1b")));
    for (std::size_t begin = 0; begin < out.size();) {
      const std::size_t end = out.find('\n', begin);
      EXPECT_LE(end - begin, width) << out;
      begin = end + 1;
    }
  }
}

TEST(LoadHosts, OfManyThoseThatMatterMostAreShown) {
  Result result = of_four_hosts();
  const RankResult usual = result.ranks[0];
  result.ranks.assign(100, usual);
  for (std::size_t i = 0; i < result.ranks.size(); ++i) {
    result.ranks[i].rank = i;
    result.ranks[i].name = "host" + std::to_string(i);
  }
  result.ranks[70].lost = "it was killed";
  result.ranks[80].valid = false;
  result.ranks[90].busiest_worker_load = 0.9;
  for (const std::string& text :
       {summary_text(result), html_report({{"r", result}}), markdown_report({{"r", result}})}) {
    for (const char* name : {"host70", "host80", "host90", "host0", "and 70 more hosts"})
      EXPECT_THAT(text, HasSubstr(name));
    EXPECT_THAT(text, Not(HasSubstr("host60")));
  }
}

TEST(LoadHosts, AreInPagesAndInMarkdown) {
  const Result result = with_one_lost();
  const std::string page = html_report({{"r", result}});
  EXPECT_THAT(page, HasSubstr("id=\"result-1-load-hosts\""));
  EXPECT_THAT(page, HasSubstr("Incomplete: host b was lost at 3:12"));
  EXPECT_THAT(page, HasSubstr("31-40"));
  EXPECT_THAT(page, HasSubstr(", on 4 hosts"));
  EXPECT_THAT(page, HasSubstr(">d 2<"));  // its second worker
  const std::string markdown = markdown_report({{"r", result}});
  EXPECT_THAT(markdown, HasSubstr("**incomplete**"));
  EXPECT_THAT(markdown, HasSubstr("| Host | lost at | warehouses | ok/s |"));
}

}  // namespace
}  // namespace drover::report
