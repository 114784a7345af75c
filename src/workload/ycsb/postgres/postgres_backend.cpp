#include "workload/ycsb/postgres/postgres_backend.h"

#include <fmt/format.h>

#include <exception>
#include <utility>

#include "database/error.h"
#include "workload/ycsb/postgres/database_on_postgres.h"

namespace drover::ycsb::postgres {

using coro::Task;
using database::Error;
using database::ErrorClass;
using database::Resolution;
using database::postgres::Commits;
using database::postgres::Connection;
using database::postgres::Result;
using database::postgres::Results;

Statements::Statements(const Table& table, const Properties& properties, ValueKind values,
                       database::Isolation isolation) {
  const OperationTokens tokens = {
      .key = "$1::text",
      .rows = "$2::int8",
      .one_value = "$2::text",
      .value = [](std::size_t number) { return fmt::format("($2::text[])[{}]", number + 1); },
      .next_version =
          [](const std::string& field) {
            return fmt::format("lpad((left({0}, {1})::int8 + 1)::text, {1}, '0')", field,
                               version_size);
          }};
  const OperationStatements texts = make_statements(table, properties, values, tokens);
  if (properties.read_proportion > 0) read = named("read", texts.read);
  if (properties.read_modify_write_proportion > 0) {
    const bool locks = isolation == database::Isolation::read_committed;
    read_to_write = named("read_to_write", texts.read, locks ? " FOR UPDATE" : "");
  }
  scan = named("scan", texts.scan);
  update = named("update", texts.update);
  insert.sql = texts.insert;
}

std::vector<Statements::Statement> Statements::named(const std::string& name,
                                                     const std::vector<std::string>& texts,
                                                     std::string_view suffix) {
  std::vector<Statement> made;
  for (const std::string& text : texts) {
    names_.push_back(texts.size() == 1 ? name : fmt::format("{}_{}", name, made.size()));
    made.push_back({names_.back().c_str(), fmt::format("{}{}", text, suffix)});
  }
  return made;
}

std::vector<Statements::Statement> Statements::all() const {
  std::vector<Statement> all = {begin, commit, insert};
  for (const auto* set : {&read, &scan, &read_to_write, &update}) {
    all.insert(all.end(), set->begin(), set->end());
  }
  return all;
}

std::vector<std::string> session_settings(database::Dialect dialect) {
  // Scans read by the key and need no sort.
  std::vector<std::string> settings = {"SET enable_sort = off",
                                       "SET max_parallel_workers_per_gather = 0"};
  // By default, Citus opens up to 16 connections to each worker for one scan, and keeps one of
  // them.
  if (dialect == database::Dialect::citus) {
    settings.emplace_back("SET citus.max_adaptive_executor_pool_size = 1");
  }
  return settings;
}

class PostgresBackend::PostgresSession final : public Pooled {
 public:
  PostgresSession(PostgresBackend& backend, database::postgres::OpenedSession opened) noexcept
      : Pooled(std::move(opened)), backend_(backend) {}

  Task<void> execute(const Operation& operation, WriteTrace& trace,
                     OperationOutcome& outcome) override {
    return operation.writes() ? write(operation, trace, outcome) : read(operation, outcome);
  }

 private:
  OperationValues& values() const noexcept { return backend_.values_; }
  const Statements& statements() const noexcept { return backend_.statements_; }

  // Verifies the values in libpq's memory.
  void count_read(const Operation& operation, const Result& rows, OperationOutcome& outcome) const {
    const std::size_t first = operation.type == OperationType::scan ? 1 : 0;
    const auto key_of = [&](std::size_t row) { return rows.text(static_cast<int>(row), 0); };
    const auto text_of = [&](std::size_t row, std::size_t field) {
      const std::size_t column = first + (operation.read_field ? 0 : field);
      return rows.text(static_cast<int>(row), static_cast<int>(column));
    };
    values().count_read(operation, static_cast<std::size_t>(rows.rows()), key_of, text_of, outcome);
  }

  Task<void> read(const Operation& operation, OperationOutcome& outcome) {
    const KeyName key = values().key_of(operation);
    if (operation.type == OperationType::scan) {
      connection().send(statement_for(statements().scan, operation.read_field), key.view(),
                        std::int64_t{operation.scan_length});
    } else {
      connection().send(statement_for(statements().read, operation.read_field), key.view());
    }
    const Results results = co_await connection().run();
    count_read(operation, results.front(), outcome);
  }

  Task<void> write(const Operation& operation, WriteTrace& trace, OperationOutcome& outcome) {
    constexpr std::string_view unique_violation = "23505";
    std::exception_ptr error;
    try {
      if (operation.type == OperationType::insert) {
        co_await insert(operation, trace);
      } else {
        co_await update(operation, trace, outcome);
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

  Task<void> insert(const Operation& operation, WriteTrace& trace) {
    const KeyName key = values().key_of(operation);
    connection().send(statements().insert, key.view(), values().of_all(operation, trace));
    trace.commit_sent = true;
    const Results results = co_await connection().run(Commits::yes);
    if (results.front().affected() == 1) co_return;
    throw Error(
        ErrorClass::statement, "",
        fmt::format(
            "the row {} of {} was not inserted. A trigger or a rule of the database may reject it",
            operation.key, backend_.settings_.properties.table));
  }

  // Updates a row, for a read-modify-write after reading it.
  Task<void> update(const Operation& operation, WriteTrace& trace, OperationOutcome& outcome) {
    const KeyName key = values().key_of(operation);
    const bool reads = operation.type == OperationType::read_modify_write;
    if (reads) {
      connection().send(statements().begin);
      connection().send(statement_for(statements().read_to_write, operation.read_field),
                        key.view());
      const Results before = co_await connection().run();
      count_read(operation, before[1], outcome);
    }
    const auto& statement = statement_for(statements().update, operation.written_field);
    if (operation.written_field) {
      connection().send(statement, key.view(), values().of_one(operation, trace));
    } else {
      connection().send(statement, key.view(), values().of_all(operation, trace));
    }
    if (reads) connection().send(statements().commit);
    trace.commit_sent = true;
    const Results results = co_await connection().run(Commits::yes);
    if (results.front().affected() == 0) values().throw_not_found(operation, outcome);
  }

  PostgresBackend& backend_;
};

PostgresBackend::PostgresBackend(database::postgres::Access access, BackendSettings settings)
    : PooledBackend({.connections = settings.connections,
                     .wait_for_server = settings.wait_for_server,
                     .seed = settings.seed,
                     .upkeep = settings.upkeep}),
      settings_(std::move(settings)),
      table_(table_of(settings_.properties)),
      session_settings_{.access = std::move(access),
                        .pooling = settings_.pooling,
                        .isolation = settings_.isolation,
                        .statement_timeout = settings_.statement_timeout,
                        .settings_if_known = session_settings(settings_.server_dialect)},
      values_(settings_.properties, settings_.values, settings_.verify),
      statements_(table_, settings_.properties, settings_.values, settings_.isolation),
      prepared_(statements_.all()) {}

PostgresBackend::~PostgresBackend() = default;

Task<std::unique_ptr<PostgresBackend::Pooled>> PostgresBackend::connect(
    std::optional<std::size_t> first_host) {
  database::postgres::SessionSettings settings = session_settings_.at(first_host);
  if (settings_.properties.writes()) {
    settings.access.role = database::postgres::ServerRole::writable;
  }
  settings.access.role_timeout = role_timeout();
  co_return std::make_unique<PostgresSession>(
      *this, co_await database::postgres::open_session(settings, prepared_));
}

Task<std::vector<Resolution>> PostgresBackend::resolve(std::vector<UnknownCommit> writes) {
  std::vector<Resolution> answers;
  auto ask = [&](Connection& connection) -> Task<void> {
    answers.clear();
    const std::string sql = fmt::format("SELECT {} FROM {} WHERE {} = $1::text", table_.all_fields,
                                        table_.name, key_column);
    for (const UnknownCommit& write : writes) {
      const Result row = co_await connection.query(sql, values_.key_of(write.operation).view());
      const auto text_of = [&row](std::size_t field) {
        return row.text(0, static_cast<int>(field));
      };
      answers.push_back(values_.resolution_of(write, row.rows() > 0, text_of));
    }
  };
  const coro::Duration timeout = settings_.resolve_timeout;
  co_await ask_after_run(session_settings_, {timeout, timeout}, ask);
  answers.resize(writes.size(), Resolution::unknown);
  co_return answers;
}

}  // namespace drover::ycsb::postgres
