// The check of a database of YDB: the conditions of the catalogue, over ranges of warehouses in
// parallel sessions.
//
// It only reads, and needs no table of ours. Each statement is a transaction of mode
// snapshot_read_only: it sees the database as it was at one instant, whatever is written meanwhile,
// and disturbs no writer. YDB shares no snapshot between sessions, nor keeps one for as long as a
// check takes; so ranges and conditions speak of different instants, and the report says so. Each
// condition is sound beside a running load all the same, as what it compares comes from one
// statement.
//
// A statement whose session or node is lost is executed again. What the server refuses is an error
// of its condition; a server that stays away ends the check.
//
// Thread safety: none; a check belongs to the worker that runs it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "coro/task.h"
#include "database/ydb/session.h"
#include "workload/tpcc/check/check_work.h"
#include "workload/tpcc/database.h"
#include "workload/tpcc/ydb/check/conditions.h"

namespace drover::tpcc::ydb {

using database::ydb::YdbDatabase;

// A session of a check, which executes one condition over one range at a time. Belongs to the
// client's worker; the client must outlive it.
class CheckSession {
 public:
  CheckSession(database::ydb::Client& client, const YdbDatabase& database)
      : client_(client), texts_(check_texts(database)) {}

  // Opens the session if there is none, again and again where it was lost. Throws database::Error
  // if none is to be had.
  coro::Task<PieceAnswer> judge(const YqlCondition& condition, CheckPiece piece);

  coro::Task<void> close();

 private:
  coro::Task<void> make_usable();
  coro::Task<PieceAnswer> ask(const YqlCondition& condition, CheckPiece piece);

  database::ydb::Client& client_;
  StatementTexts texts_;
  std::unique_ptr<database::ydb::Session> session_;
};

// Throws database::Error: no session to be had or lost for good, a table missing, no warehouse.
// Requires: connections > 0. The database's request_timeout is for transactions: statements of a
// check take as long as they take.
coro::Task<CheckReport> check(YdbDatabase database, CheckSettings settings);

// See Database::check_pieces(). Each transaction has a snapshot of its own, whoever judges.
coro::Task<std::optional<std::string>> check_pieces(
    YdbDatabase database, CheckPart part, CheckSettings settings,
    std::function<void(const PieceVerdict&)> on_verdict);

}  // namespace drover::tpcc::ydb
