#include "workload/ycsb/ydb/ydb_backend.h"

#include <exception>
#include <memory>
#include <optional>
#include <utility>

#include "database/error.h"
#include "database/ydb/ydb_error.h"
#include "workload/ycsb/clients/found_rows.h"
#include "workload/ycsb/values.h"
#include "workload/ycsb/ydb/resolve.h"
#include "workload/ycsb/ydb/table_rows.h"

namespace drover::ycsb::ydb {

using coro::Task;
using database::Error;
using database::ErrorClass;
using database::Resolution;
using database::ydb::Parameters;
using database::ydb::Primitive;
using database::ydb::ServerSession;
using database::ydb::SessionPool;
using database::ydb::TransactionMode;
using database::ydb::YdbError;

class YdbSession final : public Session, public database::ydb::SessionTurn {
 public:
  YdbSession(YdbBackend& backend, std::optional<SessionPool>& pool) noexcept
      : SessionTurn(pool), backend_(backend) {}

  Task<void> execute(const Operation& operation, Trace& trace, Outcome& outcome) override {
    ServerSession& session = *co_await usable_session();
    session.set_mode(mode_of(operation.type));
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
  const Properties& properties() const noexcept { return backend_.options_.properties; }
  KeyName key_of(const Operation& operation) const {
    return {operation.key, properties().insert_order, properties().zero_padding};
  }

  TransactionMode mode_of(OperationType type) const noexcept {
    if (type == OperationType::read || type == OperationType::scan) {
      return TransactionMode::snapshot_read_only;
    }
    return backend_.options_.isolation == database::Isolation::snapshot
               ? TransactionMode::snapshot_read_write
               : TransactionMode::serializable_read_write;
  }

  static std::exception_ptr explained(const YdbError& error, const Operation& operation,
                                      const Trace& trace) {
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

  Task<void> perform(ServerSession& session, const Operation& operation, Trace& trace,
                     Outcome& outcome) {
    switch (operation.type) {
      case OperationType::read:
        return read(session, operation, outcome);
      case OperationType::scan:
        return scan(session, operation, outcome);
      case OperationType::update:
        return update(session, operation, trace, outcome);
      case OperationType::insert:
        return insert(session, operation, trace);
      case OperationType::read_modify_write:
        break;
    }
    return read_modify_write(session, operation, trace, outcome);
  }

  void take_row(const ResultSetView& rows, const Operation& operation, const KeyName& key,
                Outcome& outcome) const {
    if (rows.rows() == 0) throw_not_found(key.view(), operation.key, properties(), outcome);
    ++outcome.rows_read;
    if (!backend_.verify_) return;
    verify(rows, 0, shown_number(operation.key, properties().insert_order), operation, outcome);
  }

  void verify(const ResultSetView& rows, std::size_t row, std::uint64_t shown,
              const Operation& operation, Outcome& outcome) const {
    const Table& table = backend_.table_;
    const auto fields = static_cast<std::uint32_t>(table.field_count());
    for (std::uint32_t field = 0; field < fields; ++field) {
      if (operation.read_field.value_or(field) != field) continue;
      const std::string_view text = text_of(rows.at(row, table.plain_field(field)));
      count_value(backend_.values_.lengths(), text, {.key = shown, .field = field}, outcome);
    }
  }

  Task<void> read(ServerSession& session, const Operation& operation, Outcome& outcome) {
    const KeyName key = key_of(operation);
    Parameters parameters;
    parameters.add("$key", Primitive::utf8, key.view());
    const QueryResult found = co_await session.execute_and_commit(
        backend_.statements_.read(operation.read_field), std::move(parameters));
    take_row(found.set(0), operation, key, outcome);
  }

  Task<void> scan(ServerSession& session, const Operation& operation, Outcome& outcome) {
    const KeyName key = key_of(operation);
    Parameters parameters;
    parameters.add("$key", Primitive::utf8, key.view());
    parameters.add("$rows", Primitive::uint64, operation.scan_length);
    const QueryResult found = co_await session.execute_and_commit(
        backend_.statements_.scan(operation.read_field), std::move(parameters));
    const ResultSetView rows = found.set(0);
    if (rows.rows() == 0) throw_not_found(key.view(), operation.key, properties(), outcome);
    outcome.rows_read += rows.rows();
    if (!backend_.verify_) co_return;
    for (std::size_t row = 0; row < rows.rows(); ++row) {
      const std::string_view found_key = rows.at(row, key_column).text();
      if (const auto shown = number_shown_by(found_key)) {
        verify(rows, row, *shown, operation, outcome);
      } else {
        count_foreign_key(found_key, outcome);
      }
    }
  }

  // All fields, or the one.
  Parameters written(const Operation& operation, const KeyName& key, const Trace& trace) {
    Parameters parameters;
    parameters.add("$key", Primitive::utf8, key.view());
    if (operation.written_field && operation.type != OperationType::insert) {
      parameters.add(value_parameter(0), Primitive::utf8,
                     backend_.values_.of_one(operation, trace));
      return parameters;
    }
    std::size_t number = 0;
    for (const std::string_view value : backend_.values_.of_all(operation, trace)) {
      parameters.add(value_parameter(number++), Primitive::utf8, value);
    }
    return parameters;
  }

  Task<void> insert(ServerSession& session, const Operation& operation, Trace& trace) {
    Parameters parameters = written(operation, key_of(operation), trace);
    trace.commit_sent = true;
    co_await session.execute_and_commit(backend_.statements_.insert(), std::move(parameters));
  }

  Task<void> update(ServerSession& session, const Operation& operation, Trace& trace,
                    Outcome& outcome) {
    const KeyName key = key_of(operation);
    Parameters parameters = written(operation, key, trace);
    trace.commit_sent = true;
    const QueryResult found = co_await session.execute_and_commit(
        backend_.statements_.update(operation.written_field), std::move(parameters));
    if (found.set(0).rows() == 0) {
      throw_not_found(key.view(), operation.key, properties(), outcome);
    }
  }

  Task<void> read_modify_write(ServerSession& session, const Operation& operation, Trace& trace,
                               Outcome& outcome) {
    const KeyName key = key_of(operation);
    Parameters parameters;
    parameters.add("$key", Primitive::utf8, key.view());
    const QueryResult found = co_await session.execute(
        backend_.statements_.read(operation.read_field), std::move(parameters));
    take_row(found.set(0), operation, key, outcome);
    co_await update(session, operation, trace, outcome);
  }

  YdbBackend& backend_;
};

YdbBackend::YdbBackend(YdbOptions options)
    : TurnBackend(options.database.client, options.statement_timeout,
                  {.size = options.connections,
                   .wait_for_server = options.wait_for_server,
                   .seed = options.seed},
                  [this](std::optional<SessionPool>& pool) {
                    return std::make_unique<YdbSession>(*this, pool);
                  }),
      options_(std::move(options)),
      table_(options_.properties),
      verify_(options_.verify && options_.values != ValueKind::foreign),
      statements_(options_.database, options_.properties, options_.values),
      values_(options_.properties, options_.values) {}

YdbBackend::~YdbBackend() = default;

Task<std::vector<Resolution>> YdbBackend::resolve(std::vector<Doubt> doubts) {
  if (doubts.empty()) co_return std::vector<Resolution>();
  // They are not needed any more, and what is under way in them must end.
  co_await close_sessions();
  co_return co_await resolve_doubts(options_.database, options_.properties, options_.values,
                                    std::move(doubts), options_.resolve_patience);
}

}  // namespace drover::ycsb::ydb
