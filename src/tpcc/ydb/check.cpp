#include "tpcc/ydb/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "coro/scope.h"
#include "tpcc/check_plan.h"
#include "tpcc/check_work.h"
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
  const ValueView newest = set.at(0, "newest");
  co_return warehouses_to_check(set.at(0, "present").integer(),
                                newest.is_null() ? 0 : newest.integer());
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

Task<void> run_check(DatabaseAccess& access, const CheckOptions& options, CheckReport& report) {
  co_await require_tables(access, options.database);
  report.warehouses = co_await count_warehouses(access, options.warehouses);
  const std::vector<YqlCondition> conditions = catalogue_of(options, report.left_out);
  CheckWork work(rules_of(conditions), {report.warehouses, options.connections,
                                        options.offenders_kept, options.on_progress});
  const std::string pragma = folder_pragma(options.database);
  auto work_in_session = [&]() -> Task<void> {
    CheckSession session(access.client(), pragma);
    co_await work.run([&](const CheckPiece& piece) {
      return session.judge(conditions[piece.condition], piece, options.offenders_kept);
    });
    co_await session.close();
  };
  auto work_all = [&](coro::Scope& scope) -> Task<void> {
    for (std::size_t i = 1; i < work.sessions(); ++i) scope.start(work_in_session());
    co_await work_in_session();
  };
  co_await coro::with_scope(work_all);
  report.verdicts = work.verdicts();
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
