#include "workload/sql/postgres/postgres_session.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "database/error.h"
#include "database/never_executed.h"
#include "database/postgres/dialect.h"
#include "database/postgres/round_trip.h"
#include "database/postgres/session_setup.h"
#include "text/utf8.h"

namespace drover::sql::postgres {

using coro::Task;
using database::ErrorClass;
using database::postgres::error_of;
using database::postgres::in_dialect;

namespace {

// Whether the session has no prepared statement any more.
bool gives_up_statements(const Result& result) {
  if (result.get() == nullptr) return false;
  const std::string_view tag = PQcmdStatus(result.get());
  return tag == "DISCARD ALL" || tag == "DEALLOCATE ALL";
}

// A COMMIT of a failed transaction has the tag ROLLBACK.
bool is_commit(const Result& result) {
  const std::string_view tag = PQcmdStatus(result.get());
  return tag.starts_with("COMMIT") || tag == "PREPARE TRANSACTION";
}

}  // namespace

// Everything is in one coroutine: another frame would be more memory that each statement of each
// client touches, and with many clients that memory has left the cache.
Task<void> PostgresSession::execute(const Statement& statement, Variables& variables) {
  send(statement, variables);
  if (in_pipeline_) {
    piped_.push_back(&statement);
    co_return;
  }
  Connection& link = connection();
  Answer answer;
  do {
    if (link.answer_is_here()) continue;
    const Connection::RoundTrip round_trip(link);
    if (!link.is_sent()) co_await link.send_rest();
    while (!link.answer_is_here()) {
      co_await link.readable();
      // Prefetches the memory that is used next, while the kernel copies the answer.
      __builtin_prefetch(this);
      __builtin_prefetch(&variables);
      link.read_input();
    }
  } while (take_result(statement, variables, answer));
  finish(statement, variables, answer);
}

Task<void> PostgresSession::prepare(const Statement& statement) {
  if (prepared_.size() <= statement.number) prepared_.resize(statement.number + 1);
  Preparation& preparation = prepared_[statement.number];
  if (std::exchange(preparation, Preparation::none) == Preparation::outdated) {
    co_await connection().script("DEALLOCATE " + statement.name);
  }
  const database::postgres::Statement named{statement.name.c_str(), statement.parameterised};
  co_await connection().prepare({&named, 1});
  prepared_[statement.number] = Preparation::done;
}

// Its next execution prepares it anew, where that may help.
void PostgresSession::note_failure(const Statement& statement, const Error& error) {
  if (!is_prepared(statement)) return;
  constexpr std::string_view plan_has_another_result =
      "0A000";  // of much else, too: it does no harm
  constexpr std::string_view no_such_statement = "26000";
  if (error.sqlstate() == plan_has_another_result) {
    prepared_[statement.number] = Preparation::outdated;
  } else if (error.sqlstate() == no_such_statement) {
    prepared_[statement.number] = Preparation::none;
  }
}

void PostgresSession::send(const Statement& statement, const Variables& variables) {
  const SqlText& sql = statement.command->sql;
  if (protocol_ == Protocol::simple) {
    scratch_.text.clear();
    sql.render(variables, scratch_.text);
    connection().ask(scratch_.text);
    return;
  }
  scratch_.parameters.clear();
  for (const Slot slot : sql.parameters()) {
    scratch_.parameters.add_text(
        [&variables, slot](std::string& out) { return append_parameter(variables, slot, out); });
  }
  if (protocol_ == Protocol::extended) {
    connection().ask(statement.parameterised, scratch_.parameters);
  } else {
    connection().ask_prepared(statement.name.c_str(), scratch_.parameters);
  }
}

// Takes the next result of the answer. Returns false after the last one. Stores an error in
// `answer` until then, because the session lives on.
bool PostgresSession::take_result(const Statement& statement, Variables& variables,
                                  Answer& answer) {
  Result result = connection().take_answer();
  if (result.get() == nullptr) return false;
  if (PQresultStatus(result.get()) == PGRES_FATAL_ERROR) {
    if (!answer.error) answer.error = in_dialect(connection().dialect(), error_of(result.get()));
    return true;
  }
  if (statement.effects.size() > 1 && is_commit(result)) answer.committed = true;
  try {
    if (statement.command->storing == Storing::aset && result.rows() > 0) {
      store_last_row(statement, result, variables);
    }
  } catch (const Error& unnamed) {
    if (!answer.error) answer.error = unnamed;
  }
  answer.last = std::move(result);
  return true;
}

void PostgresSession::finish(const Statement& statement, Variables& variables, Answer& answer) {
  if (answer.error && answer.committed && answer.error->error_class() == ErrorClass::retryable) {
    answer.error = not_retried(*answer.error);
  }
  if (answer.error) refuse(statement, *answer.error);
  if (gives_up_statements(answer.last)) prepared_.clear();
  if (statement.command->storing != Storing::gset) return;
  if (answer.last.rows() != 1) {
    throw Error(ErrorClass::statement, "",
                fmt::format("expected one row, got {}", answer.last.rows()));
  }
  store_last_row(statement, answer.last, variables);
}

void PostgresSession::refuse(const Statement& statement, const Error& error) {
  note_failure(statement, error);
  throw Error(noted(error));
}

// Returns true if the server reports that it takes writes. Servers since version 14 report each
// change of these parameters with their answers.
bool PostgresSession::reports_that_it_writes() noexcept {
  return writes_.are_reported && connection().parameter_status("in_hot_standby") == "off" &&
         connection().parameter_status("default_transaction_read_only") == "off";
}

// Gives up the session if the server is read-only. If the server takes writes, the script itself
// has begun a READ ONLY transaction, and the error is like any other.
Error PostgresSession::noted(const Error& error) {
  constexpr std::string_view read_only_transaction = "25006";
  if (error.sqlstate() == read_only_transaction) {
    if (reports_that_it_writes()) return {ErrorClass::statement, error.sqlstate(), error.what()};
    writes_.were_refused = true;
  }
  note_error(error);
  return error;
}

void PostgresSession::store_last_row(const Statement& statement, const Result& result,
                                     Variables& variables) {
  const int row = result.rows() - 1;
  const StoredColumns& columns = columns_of(statement, result, variables);
  for (int column = 0; column < result.columns(); ++column) {
    const std::optional<Slot> slot = columns.slots[static_cast<std::size_t>(column)];
    if (!slot) continue;
    if (result.is_null(row, column)) {
      variables.set(*slot, Value::null());
    } else {
      variables.set_text(*slot, result.text(row, column));
    }
  }
}

const PostgresSession::StoredColumns& PostgresSession::columns_of(const Statement& statement,
                                                                  const Result& result,
                                                                  const Variables& variables) {
  if (columns_.size() <= statement.number) columns_.resize(statement.number + 1);
  StoredColumns& stored = columns_[statement.number];
  const auto count = static_cast<std::size_t>(result.columns());
  bool same = stored.names.size() == count;
  for (std::size_t i = 0; same && i < count; ++i) {
    same = stored.names[i] == PQfname(result.get(), static_cast<int>(i));
  }
  if (same) return stored;
  std::vector<std::string_view> names;
  for (int i = 0; i < result.columns(); ++i) {
    const std::string_view name = names.emplace_back(PQfname(result.get(), i));
    if (is_variable_name(statement.command->prefix + std::string(name))) continue;
    throw Error(
        ErrorClass::statement, "",
        fmt::format("the column \"{}\" does not have the name of a variable. Rename it with AS",
                    text::shown(name)));
  }
  stored.slots = column_slots(variables.names(), statement.command->prefix, names);
  stored.names.assign(names.begin(), names.end());
  return stored;
}

Task<void> PostgresSession::open_pipeline(std::span<const Statement> statements,
                                          std::size_t& prepared) {
  if (protocol_ == Protocol::prepared) {
    for (prepared = 0; prepared < statements.size(); ++prepared) {
      if (!is_prepared(statements[prepared])) co_await prepare(statements[prepared]);
    }
  }
  connection().open_pipeline();
  in_pipeline_ = true;
  piped_.clear();
  syncs_ = 0;
}

void PostgresSession::sync_pipeline() {
  connection().sync_pipeline();
  ++syncs_;
}

Task<PipelineAnswer> PostgresSession::close_pipeline() {
  PipelineAnswer answer;
  try {
    sync_pipeline();
    int ends = 0;  // in a row: one after each statement, more only where there is nothing left
    for (std::size_t synced = 0; synced < syncs_;) {
      if (!connection().answer_is_here()) co_await connection().wait_for_answer();
      const Result result = connection().take_answer();
      ends = result.get() == nullptr ? ends + 1 : 0;
      if (ends == 1) continue;
      if (ends > 1) {
        throw Error(ErrorClass::connection_lost, "",
                    "the server has not answered all statements of the pipeline");
      }
      if (PQresultStatus(result.get()) == PGRES_PIPELINE_SYNC) ++synced;
      take_piped(result, answer);
    }
  } catch (const database::NeverExecuted& end) {
    answer.error = Error(end);
    co_return answer;
  }
  connection().close_pipeline();
  in_pipeline_ = false;
  if (answer.error) answer.error = noted(*answer.error);
  co_return answer;
}

void PostgresSession::take_piped(const Result& result, PipelineAnswer& answer) {
  switch (PQresultStatus(result.get())) {
    case PGRES_PIPELINE_SYNC:
      if (!answer.error) ++answer.synced;
      break;
    case PGRES_FATAL_ERROR:
      if (answer.error) break;
      answer.error = in_dialect(connection().dialect(), error_of(result.get()));
      if (answer.answered < piped_.size()) note_failure(*piped_[answer.answered], *answer.error);
      break;
    default:
      if (gives_up_statements(result)) prepared_.clear();
      if (!answer.error) ++answer.answered;
  }
}

// A pipeline that is left in the middle ends with a ROLLBACK, which takes what was sent before with it.
Task<void> PostgresSession::roll_back() {
  try {
    if (std::exchange(in_pipeline_, false) && connection().in_pipeline()) {
      scratch_.parameters.clear();
      connection().ask("ROLLBACK", scratch_.parameters);
      co_await close_pipeline();
    }
  } catch (const Error&) {
    // The session is gone, and with it the transaction.
  }
  co_await database::postgres::roll_back(connection());
}

}  // namespace drover::sql::postgres
