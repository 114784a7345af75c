#include "workload/ycsb/ydb/ydb_backend.h"

#include <fmt/format.h>

#include <exception>
#include <memory>
#include <optional>
#include <utility>

#include "database/error.h"
#include "database/ydb/database_access.h"
#include "database/ydb/ydb_error.h"
#include "workload/ycsb/ydb/database_on_ydb.h"

namespace drover::ycsb::ydb {

using coro::Task;
using database::Error;
using database::ErrorClass;
using database::Resolution;
using database::ydb::Parameters;
using database::ydb::Primitive;
using database::ydb::QueryResult;
using database::ydb::ResultSetView;
using database::ydb::ServerSession;
using database::ydb::SessionPool;
using database::ydb::TransactionMode;
using database::ydb::YdbError;

namespace {

std::string value_parameter(std::size_t number) {
  return fmt::format("$value{}", number);
}

// Returns an expression for the version of the field plus 1. A digit 1 is put before the version
// and removed after the addition, so that the version keeps its leading zeros. Unwrap() makes the
// statement fail for a text without a version, which CAST would turn into NULL.
std::string next_version(const std::string& field) {
  return fmt::format(
      "Unicode::Substring(CAST(Unwrap(CAST(\"1\"u || Unicode::Substring({}, 0, {}) AS Uint64)) + "
      "1ul AS Utf8), 1)",
      field, version_size);
}

// Makes the complete texts of the operations. An update also reads the key of its row in the same
// request, because RETURNING of servers before 2026 may return rows that do not exist.
OperationStatements make_texts(const database::ydb::YdbDatabase& database, const Table& table,
                               const Properties& properties, ValueKind values) {
  OperationStatements texts = make_statements(table, properties, values,
                                              {.key = "$key",
                                               .rows = "$rows",
                                               .one_value = value_parameter(0),
                                               .value = value_parameter,
                                               .next_version = next_version});
  const std::string head = folder_pragma(database) + "DECLARE $key AS Utf8;\n";
  const auto declared = [](std::size_t count) {
    std::string text;
    for (std::size_t number = 0; number < count; ++number) {
      text += fmt::format("DECLARE {} AS Utf8;\n", value_parameter(number));
    }
    return text;
  };
  const std::size_t fields = table.fields.size();
  for (std::string& text : texts.read) text = fmt::format("{}{};", head, text);
  for (std::string& text : texts.scan) {
    text = fmt::format("{}DECLARE $rows AS Uint64;\n{};", head, text);
  }
  for (std::string& text : texts.update) {
    text = fmt::format("{0}{1}SELECT {2} FROM {3} WHERE {2} = $key;\n{4};", head,
                       declared(properties.write_all_fields ? fields : 1), key_column, table.name,
                       text);
  }
  texts.insert = fmt::format("{}{}{};", head, declared(fields), texts.insert);
  return texts;
}

Parameters with_key(const KeyName& key) {
  Parameters parameters;
  parameters.add("$key", Primitive::utf8, key.view());
  return parameters;
}

}  // namespace

class YdbSession final : public Session, public database::ydb::SessionTurn {
 public:
  YdbSession(YdbBackend& backend, std::optional<SessionPool>& pool) noexcept
      : SessionTurn(pool), backend_(backend) {}

  Task<void> execute(const Operation& operation, WriteTrace& trace,
                     OperationOutcome& outcome) override {
    ServerSession& session = *co_await usable_session();
    session.set_mode(mode_of(operation));
    std::exception_ptr error;
    try {
      co_await perform(session, operation, trace, outcome);
    } catch (const YdbError& thrown) {
      error = explained(thrown, operation, trace);
    } catch (const Error&) {
      error = std::current_exception();
    }
    if (!error) co_return;
    co_await roll_back();
    std::rethrow_exception(error);
  }

 private:
  TransactionMode mode_of(const Operation& operation) const noexcept {
    if (!operation.writes()) return TransactionMode::snapshot_read_only;
    return backend_.settings_.isolation == database::Isolation::snapshot
               ? TransactionMode::snapshot_read_write
               : TransactionMode::serializable_read_write;
  }

  static std::exception_ptr explained(const YdbError& error, const Operation& operation,
                                      const WriteTrace& trace) {
    const bool writes = trace.commit_sent;
    if (writes && operation.type == OperationType::insert &&
        error.status() == database::ydb::Status::precondition_failed) {
      return std::make_exception_ptr(explained_duplicate(error, operation.key));
    }
    const ErrorClass error_class =
        writes ? error.error_class() : database::ydb::class_without_commit(error);
    if (error_class == error.error_class()) return std::make_exception_ptr(error);
    return std::make_exception_ptr(Error(error_class, error.sqlstate(), error.what()));
  }

  Task<void> perform(ServerSession& session, const Operation& operation, WriteTrace& trace,
                     OperationOutcome& outcome) {
    const OperationStatements& statements = backend_.statements_;
    OperationValues& values = backend_.values_;
    const KeyName key = values.key_of(operation);
    if (operation.type == OperationType::scan) {
      Parameters parameters = with_key(key);
      parameters.add("$rows", Primitive::uint64, operation.scan_length);
      const QueryResult found = co_await session.execute_and_commit(
          statement_for(statements.scan, operation.read_field), std::move(parameters));
      count_read(operation, found.set(0), outcome);
      co_return;
    }
    if (operation.type == OperationType::read) {
      const QueryResult found = co_await session.execute_and_commit(
          statement_for(statements.read, operation.read_field), with_key(key));
      count_read(operation, found.set(0), outcome);
      co_return;
    }
    if (operation.type == OperationType::read_modify_write) {
      const QueryResult found = co_await session.execute(
          statement_for(statements.read, operation.read_field), with_key(key));
      count_read(operation, found.set(0), outcome);
    }
    Parameters parameters = with_key(key);
    add_values(parameters, operation, trace);
    trace.commit_sent = true;
    if (operation.type == OperationType::insert) {
      co_await session.execute_and_commit(statements.insert, std::move(parameters));
      co_return;
    }
    const QueryResult found = co_await session.execute_and_commit(
        statement_for(statements.update, operation.written_field), std::move(parameters));
    if (found.set(0).rows() == 0) values.throw_not_found(operation, outcome);
  }

  void count_read(const Operation& operation, const ResultSetView& rows,
                  OperationOutcome& outcome) const {
    const auto key_of = [&](std::size_t row) { return rows.at(row, key_column).text(); };
    const auto text_at = [&](std::size_t row, std::size_t field) {
      return text_of(rows.at(row, backend_.table_.plain_fields[field]));
    };
    backend_.values_.count_read(operation, rows.rows(), key_of, text_at, outcome);
  }

  void add_values(Parameters& parameters, const Operation& operation, const WriteTrace& trace) {
    if (operation.written_field && operation.type != OperationType::insert) {
      parameters.add(value_parameter(0), Primitive::utf8,
                     backend_.values_.of_one(operation, trace));
      return;
    }
    std::size_t number = 0;
    for (const std::string_view value : backend_.values_.of_all(operation, trace)) {
      parameters.add(value_parameter(number++), Primitive::utf8, value);
    }
  }

  YdbBackend& backend_;
};

YdbBackend::YdbBackend(database::ydb::YdbDatabase database, BackendSettings settings)
    : TurnBackend(database.client, settings.statement_timeout,
                  {.size = settings.connections,
                   .wait_for_server = settings.wait_for_server,
                   .seed = settings.seed},
                  [this](std::optional<SessionPool>& pool) {
                    return std::make_unique<YdbSession>(*this, pool);
                  }),
      database_(std::move(database)),
      settings_(std::move(settings)),
      table_(table_of(settings_.properties)),
      statements_(make_texts(database_, table_, settings_.properties, settings_.values)),
      values_(settings_.properties, settings_.values, settings_.verify) {}

YdbBackend::~YdbBackend() = default;

// Finds out whether `write` was committed. The transaction that reads the row also writes the row:
// it sets a field to the value that the field has, or deletes the row if an insert has left none. A
// transaction that only reads prevents no later commit (workload/tpcc/ydb/resolve.cpp), so that the
// server could still commit `write` after the look. After the look's own write, the data that
// `write` has read are out of date, so that a later commit of `write` is ABORTED.
Task<Resolution> YdbBackend::resolve_one(ServerSession& session, const UnknownCommit& write) const {
  const KeyName key = values_.key_of(write.operation);
  const std::string head = folder_pragma(database_) + "DECLARE $key AS Utf8;\n";
  const std::string find = fmt::format("{}SELECT {} FROM {} WHERE {} = $key;", head,
                                       table_.all_fields, table_.name, key_column);
  QueryResult found;
  if (write.operation.type == OperationType::insert) {
    found = co_await session.execute(find, with_key(key));
    if (found.set(0).rows() > 0) {
      co_await session.roll_back();
    } else {
      co_await session.execute_and_commit(
          fmt::format("{}DELETE FROM {} ON SELECT $key AS {};", head, table_.name, key_column),
          with_key(key));
    }
  } else {
    found = co_await session.execute_and_commit(
        fmt::format("{0}\nUPDATE {1} SET {2} = {2} WHERE {3} = $key;", find, table_.name,
                    table_.fields[0], key_column),
        with_key(key));
  }
  const ResultSetView row = found.set(0);
  const auto text_at = [&](std::uint32_t field) {
    return text_of(row.at(0, table_.plain_fields[field]));
  };
  co_return values_.resolution_of(write, row.rows() > 0, text_at);
}

Task<std::vector<Resolution>> YdbBackend::resolve(std::vector<UnknownCommit> writes) {
  if (writes.empty()) co_return std::vector<Resolution>();
  // Ends the writes that the server has not begun.
  co_await close_sessions();
  std::vector<Resolution> answers;
  // Each look may be repeated, even after an unknown commit, because it changes nothing.
  auto resolve_rest = [&](ServerSession& session) -> Task<void> {
    while (answers.size() < writes.size()) {
      const Resolution answer = co_await resolve_one(session, writes[answers.size()]);
      answers.push_back(answer);
    }
  };
  co_await database::ydb::ask_with_retries(database_, settings_.resolve_timeout, resolve_rest);
  answers.resize(writes.size(), Resolution::unknown);
  co_return answers;
}

}  // namespace drover::ycsb::ydb
