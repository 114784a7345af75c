#include "tpcc/ydb/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "coro/scope.h"
#include "coro/worker.h"
#include "tpcc/check_plan.h"
#include "tpcc/schema.h"
#include "tpcc/ydb/catalog.h"
#include "tpcc/ydb/check_session.h"
#include "tpcc/ydb/conditions.h"
#include "tpcc/ydb/database_access.h"

namespace drover::tpcc::ydb {

namespace {

using coro::Task;
using database::Error;
using database::ErrorClass;
using database::ydb::QueryResult;
using database::ydb::ResultSetView;
using database::ydb::ValueView;

Task<void> require_tables(DatabaseAccess& access, const YdbDatabase& database) {
  const Catalog catalog = co_await read_catalog(access);
  if (catalog.table_count() == all_tables.size()) co_return;
  const std::string missing = catalog.tables_that_exist(false);
  throw Error(ErrorClass::statement, "SCHEME_ERROR",
              fmt::format("{} {} not found in {}: run 'drover tpcc init' and 'drover tpcc import', "
                          "or name the folder with --schema",
                          missing.find(',') == missing.npos ? "table" : "tables", missing,
                          folder_path(database)));
}

Task<std::int32_t> count_warehouses(DatabaseAccess& access, std::optional<std::int32_t> wanted) {
  if (wanted) co_return *wanted;
  const QueryResult counted =
      co_await access.query("SELECT COUNT(*) AS present, MAX(w_id) AS newest FROM warehouse");
  const ResultSetView set = counted.set(0);
  const std::int64_t rows = set.at(0, "present").integer();
  const ValueView newest = set.at(0, "newest");
  if (rows == 0) {
    throw Error(ErrorClass::statement, "",
                "there is no warehouse: run 'drover tpcc import -w N', or say with -w how many "
                "there should be");
  }
  // A gap or two is an offence that condition 1 reports; this is no numbering at all.
  if (newest.integer() < 1 || newest.integer() > 2 * rows + 100) {
    throw Error(ErrorClass::statement, "",
                fmt::format("warehouses are numbered from 1, but the {} rows of the table go up to "
                            "w_id = {}: say with -w how many there should be",
                            rows, newest.integer()));
  }
  co_return static_cast<std::int32_t>(newest.integer());
}

void append(std::vector<YqlCondition>& all, std::vector<YqlCondition> more) {
  for (YqlCondition& condition : more) all.push_back(std::move(condition));
}

std::vector<Condition> rules_of(const std::vector<YqlCondition>& conditions) {
  std::vector<Condition> rules;
  for (const YqlCondition& condition : conditions) rules.push_back(condition.rule);
  return rules;
}

// What is to be judged. What would hold of freshly loaded data only goes to `left_out` otherwise.
std::vector<YqlCondition> catalogue_of(const CheckOptions& options,
                                       std::vector<Condition>& left_out) {
  std::vector<YqlCondition> all = consistency_conditions();
  std::vector<YqlCondition> fresh = {freshly_loaded_condition()};
  if (options.after_import) {
    all.push_back(fresh.front());
    fresh.clear();
    std::sort(all.begin(), all.end(), [](const YqlCondition& left, const YqlCondition& right) {
      return left.rule.number < right.rule.number;
    });
  }
  append(all, further_conditions());
  append(options.after_import ? all : fresh, population_rules());
  left_out = rules_of(fresh);
  return all;
}

// One check under way, shared by its sessions, all of one worker.
class Checking {
 public:
  Checking(const CheckOptions& options, std::vector<YqlCondition> conditions,
           std::int32_t warehouses)
      : options_(options),
        conditions_(std::move(conditions)),
        pieces_(plan_check(rules_of(conditions_), warehouses, options.connections)),
        findings_(conditions_.size()),
        time_left_(pieces_, conditions_.size(), options.connections) {}

  std::size_t pieces() const noexcept { return pieces_.size(); }

  // Until no piece is left.
  Task<void> work(CheckSession& session) {
    while (next_ < pieces_.size()) {
      const CheckPiece piece = pieces_[next_++];
      tell_progress(conditions_[piece.condition].rule.title);
      const coro::Instant start = coro::Worker::current().now();
      // What the server refused once it refuses for every range.
      if (!findings_[piece.condition].error) co_await judge(session, piece);
      const coro::Duration took = coro::Worker::current().now() - start;
      findings_[piece.condition].took += took;
      time_left_.piece_done(piece, took);
      ++done_;
    }
    if (done_ == pieces_.size()) tell_progress({});
  }

  std::vector<Verdict> verdicts() const;

 private:
  // What is known of a condition so far.
  struct Finding {
    std::int64_t offenders = 0;
    // The first ones of all warehouses seen yet, in the order of the pieces, which is that of the
    // warehouses.
    std::vector<std::pair<std::int32_t, Offender>> first;
    std::optional<std::string> error;
    coro::Duration took{};
  };

  Task<void> judge(CheckSession& session, CheckPiece piece) {
    PieceAnswer answer =
        co_await session.judge(conditions_[piece.condition], piece, options_.offenders_kept);
    if (answer.error) {
      findings_[piece.condition].error = std::move(answer.error);
    } else {
      keep_answer(std::move(answer), piece);
    }
  }

  void keep_answer(PieceAnswer answer, const CheckPiece& piece);

  void tell_progress(std::string_view condition) const {
    if (options_.on_progress)
      options_.on_progress({done_, pieces_.size(), condition, time_left_.estimate()});
  }

  const CheckOptions& options_;
  std::vector<YqlCondition> conditions_;
  std::vector<CheckPiece> pieces_;
  std::vector<Finding> findings_;  // one for each condition
  TimeLeft time_left_;
  std::size_t next_ = 0;
  std::size_t done_ = 0;
};

// The pieces of a condition may end in any order. Of the offenders those of the first warehouses
// are kept, so that the report is the same each time and the memory that of a few rows.
void Checking::keep_answer(PieceAnswer answer, const CheckPiece& piece) {
  Finding& finding = findings_[piece.condition];
  finding.offenders += answer.offenders;
  auto place = std::upper_bound(
      finding.first.begin(), finding.first.end(), piece.first_warehouse,
      [](std::int32_t warehouse, const auto& other) { return warehouse < other.first; });
  for (Offender& offender : answer.first)
    place = finding.first.emplace(place, piece.first_warehouse, std::move(offender)) + 1;
  const auto kept = static_cast<std::size_t>(options_.offenders_kept);
  if (finding.first.size() > kept) finding.first.resize(kept);
}

std::vector<Verdict> Checking::verdicts() const {
  std::vector<Verdict> verdicts;
  for (std::size_t i = 0; i < conditions_.size(); ++i) {
    const Condition& condition = conditions_[i].rule;
    verdicts.push_back({.number = condition.number,
                        .name = condition.name,
                        .clause = condition.clause,
                        .title = condition.title,
                        .offenders = findings_[i].offenders,
                        .first_offenders = {},
                        .error = findings_[i].error,
                        .server_time = findings_[i].took});
    for (const auto& [warehouse, offender] : findings_[i].first)
      verdicts.back().first_offenders.push_back(offender);
  }
  return verdicts;
}

Task<void> run_check(DatabaseAccess& access, const CheckOptions& options, CheckReport& report) {
  co_await require_tables(access, options.database);
  report.warehouses = co_await count_warehouses(access, options.warehouses);
  Checking checking(options, catalogue_of(options, report.left_out), report.warehouses);
  const std::string pragma = folder_pragma(options.database);
  auto work = [&]() -> Task<void> {
    CheckSession session(access.client(), pragma);
    co_await checking.work(session);
    co_await session.close();
  };
  auto work_all = [&](coro::Scope& scope) -> Task<void> {
    const std::size_t sessions = std::min(options.connections, checking.pieces());
    for (std::size_t i = 1; i < sessions; ++i) scope.start(work());
    co_await work();
  };
  co_await coro::with_scope(work_all);
  report.verdicts = checking.verdicts();
}

}  // namespace

coro::Task<CheckReport> check(CheckOptions options) {
  assert(options.connections > 0);
  options.database.client.request_timeout = {};
  CheckReport report;
  report.after_import = options.after_import;
  report.snapshot_refusal =
      "YDB gives every transaction a snapshot of its own, so ranges of warehouses were read at "
      "different instants";
  auto body = [&](DatabaseAccess& access) -> Task<void> {
    co_await run_check(access, options, report);
  };
  co_await DatabaseAccess::use(options.database, body);
  co_return report;
}

}  // namespace drover::tpcc::ydb
