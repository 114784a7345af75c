#include "workload/ycsb/postgres/postgres_backend.h"

#include <fmt/format.h>

#include <exception>
#include <utility>

#include "database/error.h"
#include "workload/ycsb/clients/found_rows.h"
#include "workload/ycsb/postgres/preparation.h"
#include "workload/ycsb/postgres/resolve.h"

namespace drover::ycsb::postgres {

using coro::Task;
using database::Error;
using database::ErrorClass;
using database::Resolution;
using database::postgres::Commits;
using database::postgres::Connection;
using database::postgres::Result;
using database::postgres::Results;

namespace {

constexpr std::string_view unique_violation = "23505";

}  // namespace

class PostgresBackend::PostgresSession final : public Pooled {
 public:
  PostgresSession(PostgresBackend& backend, database::postgres::OpenedSession opened) noexcept
      : Pooled(std::move(opened)), backend_(backend) {}

  Task<void> execute(const Operation& operation, Trace& trace, Outcome& outcome) override {
    switch (operation.type) {
      case OperationType::read:
        return read(operation, outcome);
      case OperationType::scan:
        return scan(operation, outcome);
      case OperationType::update:
      case OperationType::insert:
      case OperationType::read_modify_write:
        break;
    }
    return write(operation, trace, outcome);
  }

 private:
  const Properties& properties() const noexcept { return backend_.options_.properties; }

  // Values are looked at where libpq has them.
  void verify(const Result& result, int row, int first_column, std::uint64_t shown,
              const Operation& operation, Outcome& outcome) const {
    for (int column = first_column; column < result.columns(); ++column) {
      const auto number = static_cast<std::uint32_t>(column - first_column);
      const FieldPlace place = {.key = shown, .field = operation.read_field.value_or(number)};
      count_value(backend_.values_.lengths(), result.text(row, column), place, outcome);
    }
  }

  void take_row(const Result& result, const Operation& operation, const KeyName& key,
                Outcome& outcome) const {
    if (result.rows() == 0) throw_not_found(key, operation.key, properties(), outcome);
    ++outcome.rows_read;
    if (!backend_.verify_) return;
    const std::uint64_t shown = shown_number(operation.key, properties().insert_order);
    verify(result, 0, 0, shown, operation, outcome);
  }

  Task<void> read(const Operation& operation, Outcome& outcome) {
    const KeyName key = backend_.key_of(operation);
    connection().send(backend_.statements_.read(operation.read_field), key.view());
    const Results results = co_await connection().run();
    take_row(results.front(), operation, key, outcome);
  }

  Task<void> scan(const Operation& operation, Outcome& outcome) {
    const KeyName key = backend_.key_of(operation);
    connection().send(backend_.statements_.scan(operation.read_field), key.view(),
                      std::int64_t{operation.scan_length});
    const Results results = co_await connection().run();
    const Result& rows = results.front();
    if (rows.rows() == 0) throw_not_found(key, operation.key, properties(), outcome);
    outcome.rows_read += static_cast<std::uint64_t>(rows.rows());
    if (!backend_.verify_) co_return;
    for (int row = 0; row < rows.rows(); ++row) verify_scanned(rows, row, operation, outcome);
  }

  void verify_scanned(const Result& rows, int row, const Operation& operation,
                      Outcome& outcome) const {
    if (const auto shown = number_shown_by(rows.text(row, 0))) {
      verify(rows, row, 1, *shown, operation, outcome);
      return;
    }
    count_foreign_key(rows.text(row, 0), outcome);
  }

  Task<void> write(const Operation& operation, Trace& trace, Outcome& outcome) {
    std::exception_ptr error;
    try {
      if (operation.type == OperationType::insert) co_await insert(operation, trace);
      if (operation.type == OperationType::update) co_await update(operation, trace, outcome);
      if (operation.type == OperationType::read_modify_write) {
        co_await read_modify_write(operation, trace, outcome);
      }
    } catch (const Error& thrown) {
      error = std::current_exception();
      if (operation.type == OperationType::insert && thrown.sqlstate() == unique_violation) {
        error = std::make_exception_ptr(explained_duplicate(thrown, operation.key));
      }
      note_error(thrown);
    }
    if (!error) co_return;
    co_await end_transaction();
    std::rethrow_exception(error);
  }

  Task<void> insert(const Operation& operation, Trace& trace) {
    const KeyName key = backend_.key_of(operation);
    connection().send(backend_.statements_.insert(), key.view(),
                      backend_.values_.of_all(operation, trace));
    trace.commit_sent = true;
    const Results results = co_await connection().run(Commits::yes);
    if (results.front().affected() == 1) co_return;
    throw Error(
        ErrorClass::statement, "",
        fmt::format(
            "the row {} of {} was not inserted. A trigger or a rule of the database may reject it",
            operation.key, properties().table));
  }

  Task<void> update(const Operation& operation, Trace& trace, Outcome& outcome) {
    const KeyName key = backend_.key_of(operation);
    send_update(operation, key, trace);
    trace.commit_sent = true;
    const Results results = co_await connection().run(Commits::yes);
    if (results.front().affected() == 0) {
      throw_not_found(key, operation.key, properties(), outcome);
    }
  }

  void send_update(const Operation& operation, const KeyName& key, const Trace& trace) {
    const database::postgres::Statement& statement =
        backend_.statements_.update(operation.written_field);
    if (operation.written_field) {
      connection().send(statement, key.view(), backend_.values_.of_one(operation, trace));
    } else {
      connection().send(statement, key.view(), backend_.values_.of_all(operation, trace));
    }
  }

  Task<void> read_modify_write(const Operation& operation, Trace& trace, Outcome& outcome) {
    const KeyName key = backend_.key_of(operation);
    connection().send(backend_.statements_.begin());
    connection().send(backend_.statements_.read_to_write(operation.read_field), key.view());
    const Results before = co_await connection().run();
    take_row(before[1], operation, key, outcome);
    send_update(operation, key, trace);
    connection().send(backend_.statements_.commit());
    trace.commit_sent = true;
    const Results results = co_await connection().run(Commits::yes);
    if (results.front().affected() == 0) {
      throw_not_found(key, operation.key, properties(), outcome);
    }
  }

  PostgresBackend& backend_;
};

PostgresBackend::PostgresBackend(PostgresOptions options)
    : PooledBackend({.connections = options.connections,
                     .wait_for_server = options.wait_for_server,
                     .seed = options.seed,
                     .upkeep = options.upkeep}),
      options_(std::move(options)),
      session_settings_{.access = options_,
                        .pooling = options_.pooling,
                        .isolation = options_.isolation,
                        .statement_timeout = options_.statement_timeout,
                        .settings_if_known = session_settings(options_.dialect)},
      values_(options_.properties, options_.values),
      verify_(options_.verify && options_.values != ValueKind::foreign),
      statements_(options_.properties, options_.values, options_.isolation),
      prepared_(statements_.all()) {}

PostgresBackend::~PostgresBackend() = default;

Task<std::unique_ptr<PostgresBackend::Pooled>> PostgresBackend::connect(
    std::optional<std::size_t> first_host) {
  database::postgres::SessionSettings settings = session_settings_.at(first_host);
  if (writes(options_.properties)) {
    settings.access.role = database::postgres::ServerRole::writable;
  }
  settings.access.role_timeout = role_timeout();
  co_return std::make_unique<PostgresSession>(
      *this, co_await database::postgres::open_session(settings, prepared_));
}

Task<std::vector<Resolution>> PostgresBackend::resolve(std::vector<Doubt> doubts) {
  std::vector<Resolution> answers;
  auto ask = [&](Connection& connection) -> Task<void> {
    answers = co_await resolve_doubts(connection, options_.properties, options_.values, doubts);
  };
  const coro::Duration patience = options_.resolve_patience;
  co_await ask_after_run(session_settings_, {patience, patience}, ask);
  answers.resize(doubts.size(), Resolution::unknown);
  co_return answers;
}

}  // namespace drover::ycsb::postgres
