#include "tpcc/ydb/check_session.h"

#include <utility>

#include "tpcc/ydb/patience.h"

namespace drover::tpcc::ydb {

using coro::Task;
using database::Error;
using database::ErrorClass;
using database::ydb::QueryResult;
using database::ydb::ResultSetView;
using database::ydb::Session;
using database::ydb::TransactionMode;
using database::ydb::YdbError;

namespace {

ResultSetView whole_set(const QueryResult& result) {
  const ResultSetView set = result.set(0);
  if (set.truncated())
    throw Error(ErrorClass::statement, "", "the server has left out rows of the result");
  return set;
}

// Whether the server has judged the statement, rather than gone away.
bool refused(const Error& error) noexcept {
  return error.error_class() != ErrorClass::connection_lost &&
         error.error_class() != ErrorClass::unavailable;
}

}  // namespace

Task<void> CheckSession::make_usable() {
  if (session_ && !session_->usable()) session_.reset();
  if (session_) co_return;
  session_ = co_await Session::open(client_);
  session_->set_mode(TransactionMode::snapshot_read_only);
}

// How many offenders there are is a question only where there is one; the same snapshot answers.
Task<PieceAnswer> CheckSession::ask(const YqlCondition& condition, CheckPiece piece,
                                    std::int32_t offenders_kept) {
  PieceAnswer answer;
  const std::string text = offenders_text(condition, pragma_);
  const QueryResult found =
      co_await session_->execute(text, parameters_of(text, piece, offenders_kept));
  const ResultSetView rows = whole_set(found);
  if (rows.rows() > 0) {
    const std::string count = count_text(condition, pragma_);
    const QueryResult counted =
        co_await session_->execute(count, parameters_of(count, piece, offenders_kept));
    answer.offenders = whole_set(counted).at(0, "offenders").integer();
    answer.first = offenders_in(condition, rows, static_cast<std::size_t>(offenders_kept));
  }
  co_await session_->roll_back();
  co_return answer;
}

Task<PieceAnswer> CheckSession::judge(const YqlCondition& condition, CheckPiece piece,
                                      std::int32_t offenders_kept) {
  Patience patience;
  for (;;) {
    std::optional<YdbError> error;
    bool opened = false;
    try {
      co_await make_usable();
      opened = true;
      co_return co_await ask(condition, piece, offenders_kept);
    } catch (const YdbError& thrown) {
      error = thrown;
    } catch (const Error& unreadable) {
      if (!opened) throw;
      PieceAnswer answer;
      answer.error = unreadable.what();
      co_return answer;
    }
    // What took too long once would take as long again.
    const bool too_slow = error->error_class() == ErrorClass::timed_out;
    const bool again = !too_slow && co_await patience.again(*error);
    if (again) continue;
    if (!opened || !refused(*error)) throw YdbError(*error);
    PieceAnswer answer;
    answer.error = error->what();
    co_return answer;
  }
}

Task<void> CheckSession::close() {
  if (session_) co_await session_->close();
  session_.reset();
}

}  // namespace drover::tpcc::ydb
