// CheckSession: a session of a check, which executes one condition over one range at a time.
//
// Belongs to the client's worker; the client must outlive it. Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "coro/task.h"
#include "database/ydb/client.h"
#include "database/ydb/session.h"
#include "tpcc/check_plan.h"
#include "tpcc/check_work.h"
#include "tpcc/ydb/check_statement.h"

namespace drover::tpcc::ydb {

class CheckSession {
 public:
  // `pragma`: that of the folder.
  CheckSession(database::ydb::Client& client, std::string pragma)
      : client_(client), pragma_(std::move(pragma)) {}

  // Opens the session if there is none, again and again where it was lost. Throws database::Error
  // if none is to be had.
  coro::Task<PieceAnswer> judge(const YqlCondition& condition, CheckPiece piece,
                                std::int32_t offenders_kept);

  coro::Task<void> close();

 private:
  coro::Task<void> make_usable();
  coro::Task<PieceAnswer> ask(const YqlCondition& condition, CheckPiece piece,
                              std::int32_t offenders_kept);

  database::ydb::Client& client_;
  std::string pragma_;
  std::unique_ptr<database::ydb::Session> session_;
};

}  // namespace drover::tpcc::ydb
