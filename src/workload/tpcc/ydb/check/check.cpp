#include "workload/tpcc/ydb/check/check.h"

#include <fmt/format.h>

#include <cassert>
#include <string>
#include <vector>

#include "coro/scope.h"
#include "database/ydb/database_access.h"
#include "workload/tpcc/check/catalogue.h"
#include "workload/tpcc/schema.h"
#include "workload/tpcc/ydb/import/import.h"

namespace drover::tpcc::ydb {

using database::ydb::with_retries;

namespace {

using coro::Task;
using database::Error;
using database::ErrorClass;
using database::ydb::QueryResult;
using database::ydb::ResultSetView;
using database::ydb::ServerSession;
using database::ydb::TransactionMode;
using database::ydb::ValueView;
using database::ydb::YdbError;

ResultSetView whole_set(const QueryResult& result) {
  const ResultSetView set = result.set(0);
  if (set.truncated()) throw Error(ErrorClass::statement, "", "the server truncated the result");
  return set;
}

// Returns true if the server has refused the statement, and false if it was unreachable.
bool refused(const Error& error) noexcept {
  return error.error_class() != ErrorClass::connection_lost &&
         error.error_class() != ErrorClass::unavailable;
}

Task<void> require_tables(AdminSession& session, const YdbDatabase& database) {
  const TablesPresent present = co_await read_tables(session);
  if (present.missing.empty()) co_return;
  refuse_missing_tables(names_of(present.missing), "SCHEME_ERROR", folder_path(database), "folder");
}

Task<void> run_sessions(DatabaseAccess& access, const YdbDatabase& database,
                        const std::vector<YqlCondition>& asked, CheckWork& work) {
  auto work_in_session = [&]() -> Task<void> {
    CheckSession session(access.client(), database);
    co_await work.run(
        [&](const CheckPiece& piece) { return session.judge(asked[piece.condition], piece); });
    co_await session.close();
  };
  auto work_all = [&](coro::Scope& scope) -> Task<void> {
    for (std::size_t i = 1; i < work.sessions(); ++i) scope.start(work_in_session());
    co_await work_in_session();
  };
  co_await coro::with_scope(work_all);
}

Task<void> run_check(DatabaseAccess& access, const YdbDatabase& database,
                     const CheckSettings& settings, CheckReport& report) {
  YdbAdminSession session(access);
  co_await require_tables(session, database);
  report.warehouses =
      settings.warehouses ? *settings.warehouses : co_await count_warehouses_to_check(session);
  std::vector<YqlCondition> asked = conditions();
  if (!settings.after_import) report.left_out = leave_out_fresh_only(asked);
  report.not_asked = ruled_out();
  CheckWork work(rules_of(asked), report.warehouses, settings);
  if (settings.judge_elsewhere) {
    const CheckPart all = work.part();
    co_await settings.judge_elsewhere(all, work);
    work.require_all();
  } else {
    co_await run_sessions(access, database, asked, work);
  }
  report.verdicts = work.verdicts();
}

}  // namespace

Task<void> CheckSession::make_usable() {
  if (session_ && !session_->usable()) session_.reset();
  if (session_) co_return;
  session_ = co_await ServerSession::open(client_);
  session_->set_mode(TransactionMode::snapshot_read_only);
}

// Counts all offenders only if there is one, in the same snapshot.
Task<PieceAnswer> CheckSession::ask(const YqlCondition& condition, CheckPiece piece) {
  PieceAnswer answer;
  const Statement text = offenders_text(condition, texts_);
  const QueryResult found =
      co_await session_->execute(text.text, parameters_of(text, piece, offenders_kept));
  const ResultSetView rows = whole_set(found);
  if (rows.rows() > 0) {
    const Statement count = count_text(condition, texts_);
    const QueryResult counted =
        co_await session_->execute(count.text, parameters_of(count, piece, offenders_kept));
    answer.offenders = whole_set(counted).at(0, "offenders").integer();
    answer.first = offenders_in(condition, rows, static_cast<std::size_t>(offenders_kept));
  }
  co_await session_->roll_back();
  co_return answer;
}

Task<PieceAnswer> CheckSession::judge(const YqlCondition& condition, CheckPiece piece) {
  PieceAnswer answer;
  bool opened = false;
  auto attempt = [&]() -> Task<void> {
    opened = false;
    co_await make_usable();
    opened = true;
    try {
      answer = co_await ask(condition, piece);
    } catch (const YdbError& error) {
      // A statement that timed out would time out again.
      if (error.error_class() != ErrorClass::timed_out) throw;
      answer.error = error.what();
    } catch (const Error& unreadable) {
      answer.error = unreadable.what();
    }
  };
  try {
    co_await with_retries(attempt);
  } catch (const YdbError& error) {
    if (!opened || !refused(error)) throw;
    answer.error = error.what();
  }
  co_return answer;
}

Task<void> CheckSession::close() {
  if (session_) co_await session_->close();
  session_.reset();
}

coro::Task<CheckReport> check(YdbDatabase database, CheckSettings settings) {
  assert(settings.connections > 0);
  database.client.request_timeout = {};
  CheckReport report;
  report.after_import = settings.after_import;
  report.snapshot_refusal =
      "in YDB, each transaction has its own snapshot, so ranges of warehouses were read at "
      "different times";
  auto body = [&](DatabaseAccess& access) -> Task<void> {
    co_await run_check(access, database, settings, report);
  };
  co_await DatabaseAccess::use(database, body);
  co_return report;
}

coro::Task<std::optional<std::string>> check_pieces(
    YdbDatabase database, CheckPart part, CheckSettings settings,
    std::function<void(const PieceVerdict&)> on_verdict) {
  database.client.request_timeout = {};
  std::vector<YqlCondition> asked = conditions();
  if (!part.after_import) leave_out_fresh_only(asked);
  CheckWork work(rules_of(asked), part, settings, std::move(on_verdict));
  auto body = [&](DatabaseAccess& access) -> Task<void> {
    return run_sessions(access, database, asked, work);
  };
  co_await DatabaseAccess::use(database, body);
  co_return std::nullopt;
}

}  // namespace drover::tpcc::ydb
