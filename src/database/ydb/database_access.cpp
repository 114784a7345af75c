#include "database/ydb/database_access.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <google/protobuf/any.pb.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <random>
#include <ranges>
#include <string>
#include <utility>

#include "coro/cancellation.h"
#include "coro/deadline.h"
#include "coro/scope.h"
#include "coro/sleep.h"
#include "coro/worker.h"
#include "database/ydb/call/call.h"
#include "operation.pb.h"
#include "scheme.pb.h"
#include "table.pb.h"
#include "text/plain_text.h"

namespace drover::database::ydb {

using coro::Task;
using Ydb::Operations::Operation;

namespace {

bool is_of_path(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
         (letter >= '0' && letter <= '9') || letter == '_' || letter == '-' || letter == '.';
}

bool is_name(std::string_view part) {
  return !part.empty() && part.front() != '.' && std::ranges::all_of(part, is_of_path);
}

Task<std::vector<std::string>> list_tables(Client& client, std::string folder) {
  Ydb::Scheme::ListDirectoryRequest request;
  request.set_path(std::move(folder));
  std::vector<std::string> names;
  Operation operation;
  try {
    operation = co_await client.operate(Method::list_directory, request);
  } catch (const YdbError& error) {
    if (error.status() != Status::scheme_error && error.status() != Status::not_found) throw;
    co_return names;
  }
  const auto listed = result_of<Ydb::Scheme::ListDirectoryResult>(
      operation, Method::list_directory, client.options().target.authority(), Stage::working);
  for (const Ydb::Scheme::Entry& entry : listed.children()) {
    if (entry.type() == Ydb::Scheme::Entry::TABLE) names.push_back(entry.name());
  }
  co_return names;
}

// Returns true if the server has given up the build.
bool has_ended(const Operation& operation) {
  Ydb::Table::IndexBuildMetadata build;
  if (!operation.metadata().UnpackTo(&build)) return false;
  return build.state() == Ydb::Table::IndexBuildState::STATE_CANCELLED ||
         build.state() == Ydb::Table::IndexBuildState::STATE_REJECTED;
}

Ydb::Table::AlterTableRequest request_for(std::string table, std::string_view index,
                                          std::span<const std::string_view> columns) {
  Ydb::Table::AlterTableRequest request;
  request.set_path(std::move(table));
  request.mutable_operation_params()->set_operation_mode(Ydb::Operations::OperationParams::ASYNC);
  Ydb::Table::TableIndex& wanted = *request.add_add_indexes();
  wanted.set_name(std::string(index));
  for (const std::string_view column : columns) wanted.add_index_columns(std::string(column));
  wanted.mutable_global_index();
  return request;
}

Task<void> with_session(const YdbDatabase& database,
                        const std::function<Task<void>(ServerSession&)>& body) {
  Client client(database.client);
  co_await client.connect();
  const auto session = co_await ServerSession::open(client);
  co_await body(*session);
}

Task<void> ask_until_answered(const YdbDatabase& database,
                              const std::function<Task<void>(ServerSession&)>& body) {
  constexpr coro::Duration pause = std::chrono::milliseconds(100);
  for (;; co_await coro::sleep_for(pause)) {
    try {
      co_await with_session(database, body);
      co_return;
    } catch (const Error& error) {
      if (!is_temporary(error)) co_return;
    }
  }
}

// The types of the alternatives of AdminParameter::value.
constexpr Primitive admin_types[] = {Primitive::boolean, Primitive::int32, Primitive::int64,
                                     Primitive::uint64, Primitive::utf8};

Parameters parameters_of(const std::vector<AdminParameter>& parameters) {
  Parameters made;
  for (const AdminParameter& one : parameters) {
    const auto add = [&](const auto& value) {
      made.add(one.name, admin_types[one.value.index()], value);
    };
    std::visit(add, one.value);
  }
  return made;
}

AdminRows rows_of(const QueryResult& result) {
  if (result.sets() == 0) return {};
  const ResultSetView set = result.set(0);
  std::vector<std::string> columns;
  for (std::size_t column = 0; column < set.columns(); ++column) {
    columns.emplace_back(set.name(column));
  }
  std::vector<AdminRows::Cell> cells;
  for (std::size_t row = 0; row < set.rows(); ++row) {
    for (std::size_t column = 0; column < set.columns(); ++column) {
      AdminRows::Cell& cell = cells.emplace_back();
      const ValueView value = set.at(row, column);
      if (!value.is_null()) value.append_text(cell.emplace());
    }
  }
  return AdminRows(std::move(columns), std::move(cells));
}

}  // namespace

std::string parse_folder(std::string_view text) {
  std::string_view rest = text;
  while (!rest.empty() && rest.front() == '/') rest.remove_prefix(1);
  while (!rest.empty() && rest.back() == '/') rest.remove_suffix(1);
  for (const auto& part : std::views::split(rest, '/')) {
    if (is_name(std::string_view(part.begin(), part.end()))) continue;
    throw TargetError(
        fmt::format("--schema {}: on YDB, the schema is a folder below the database. Expected a "
                    "path of letters, digits, '_', '-' and '.', such as tpcc or bench/tpcc",
                    text));
  }
  return std::string(rest);
}

std::string folder_path(const YdbDatabase& database) {
  const std::string& root = database.client.target.database;
  return database.folder.empty() ? root : fmt::format("{}/{}", root, database.folder);
}

std::string folder_pragma(const YdbDatabase& database) {
  return fmt::format("PRAGMA TablePathPrefix(\"{}\");\n", folder_path(database));
}

// AlterTable needs a session of the Table service, whose calls go to one node.
Task<IndexOperation> begin_index(Client& client, std::string table, std::string_view index,
                                 std::span<const std::string_view> columns) {
  Ydb::Table::AlterTableRequest request = request_for(std::move(table), index, columns);
  const Client::NodeLease place = client.choose_node();
  Channel& channel = place.channel();
  const coro::Duration timeout = client.options().request_timeout;
  const Ydb::Table::CreateSessionRequest wanted;
  const Operation opened = co_await client.begin_operation(channel, Method::create_table_session,
                                                           wanted, timeout, Stage::working);
  require_success(opened, Method::create_table_session, Stage::working);
  const auto session = result_of<Ydb::Table::CreateSessionResult>(
      opened, Method::create_table_session, channel.authority(), Stage::working);
  request.set_session_id(session.session_id());
  const Operation operation = co_await client.begin_operation(channel, Method::alter_table, request,
                                                              timeout, Stage::working);
  Ydb::Table::DeleteSessionRequest closing;
  closing.set_session_id(session.session_id());
  Call close(channel, Method::delete_table_session, closing, client.metadata(),
             client.options().opening_timeout);
  co_await close;  // ignores a failure
  if (operation.ready()) require_success(operation, Method::alter_table, Stage::working);
  co_return IndexOperation{.id = operation.id(), .ready = operation.ready()};
}

Task<IndexOperation> ask_for_index(Client& client, std::string id) {
  Ydb::Operations::GetOperationRequest request;
  request.set_id(id);
  const Client::NodeLease place = client.choose_node();
  const Operation operation =
      co_await client.begin_operation(place.channel(), Method::get_operation, request,
                                      client.options().request_timeout, Stage::working);
  IndexOperation found{.id = std::move(id), .ready = operation.ready()};
  if (operation.ready() && operation.status() != Ydb::StatusIds::SUCCESS) {
    found.error =
        reply_error(operation.status(), operation.issues(), Method::alter_table, Stage::working);
    found.ended = has_ended(operation);
  }
  co_return found;
}

namespace {}  // namespace

coro::Duration pause_before(int number, double random) noexcept {
  constexpr coro::Duration pause_first = std::chrono::milliseconds(10);
  constexpr int doublings_most = 5;
  const coro::Duration longest = pause_first * (1 << std::clamp(number - 1, 0, doublings_most));
  return coro::Duration(static_cast<int64_t>(static_cast<double>(longest.count()) * random));
}

coro::Task<void> with_retries(std::function<coro::Task<void>()> make_task) {
  constexpr int attempts_most = 100;
  std::minstd_rand random{std::random_device()()};
  std::uniform_real_distribution<double> half_to_one(0.5, 1.0);
  for (int attempt = 1;; ++attempt) {
    try {
      co_await make_task();
      co_return;
    } catch (const YdbError& error) {
      if (!is_temporary(error) || attempt >= attempts_most) throw;
    }
    co_await coro::sleep_for(pause_before(attempt, half_to_one(random)));
  }
}

Task<void> ask_with_retries(YdbDatabase database, coro::Duration timeout,
                            std::function<Task<void>(ServerSession&)> body) {
  const coro::Instant give_up = coro::Worker::current().now() + timeout;
  database.client.request_timeout = timeout;
  try {
    co_await coro::with_deadline(give_up, ask_until_answered(database, body));
  } catch (const coro::DeadlineExceeded&) {
    // The caller keeps the answers so far.
  }
}

DatabaseAccess::DatabaseAccess(YdbDatabase database)
    : database_(std::move(database)), client_(database_.client) {}

Task<void> DatabaseAccess::use(YdbDatabase database,
                               std::function<Task<void>(DatabaseAccess&)> body) {
  DatabaseAccess access(std::move(database));
  co_await access.client_.connect();
  auto with_client = [&](coro::Scope& scope) -> Task<void> {
    scope.start(access.client_.keep_up());
    co_await body(access);
    if (access.session_) co_await access.session_->close();
    scope.cancel();
  };
  co_await coro::with_scope(with_client);
}

std::string DatabaseAccess::path_of(std::string_view table) const {
  return folder_path(database_).append("/").append(table);
}

Task<std::vector<std::string>> DatabaseAccess::table_names() {
  std::vector<std::string> names;
  auto list = [&]() -> Task<void> {
    names = co_await list_tables(client_, folder_path(database_));
  };
  co_await with_retries(list);
  co_return names;
}

Task<void> DatabaseAccess::make_folder() {
  const std::string& folder = database_.folder;
  for (size_t end = 0; end < folder.size(); ++end) {
    end = std::min(folder.find('/', end), folder.size());
    Ydb::Scheme::MakeDirectoryRequest request;
    request.set_path(database_.client.target.database + "/" + folder.substr(0, end));
    auto make = [&]() -> Task<void> { co_await client_.operate(Method::make_directory, request); };
    co_await with_retries(make);
  }
}

Task<QueryResult> DatabaseAccess::run(std::string text, MakeParameters make_parameters,
                                      Control control) {
  const std::string whole = folder_pragma(database_) + text;
  const auto lock = co_await statements_.lock();
  QueryResult result;
  auto attempt = [&]() -> Task<void> {
    if (session_ && !session_->usable()) session_.reset();
    if (!session_) session_ = co_await ServerSession::open(client_);
    if (control == Control::alone) {
      result = co_await session_->execute_alone(whole);
    } else {
      Parameters parameters = make_parameters ? make_parameters() : Parameters();
      result = co_await session_->execute_and_commit(whole, std::move(parameters));
    }
  };
  co_await with_retries(attempt);
  co_return result;
}

Task<void> DatabaseAccess::change_scheme(std::string text) {
  co_await run(std::move(text), {}, Control::alone);
}

// A BulkUpsertRequest has the table's path as its field 1 and the rows, a message, as its field 2.
// An Any has a text and bytes with these numbers, so its encoding is the same, and the rows need
// not be parsed.
Task<void> DatabaseAccess::bulk_upsert(std::string_view table, BulkRows rows) {
  google::protobuf::Any request;
  request.set_type_url(path_of(table));
  request.set_value(rows.encoded());
  rows = BulkRows(std::span<const Column>{});  // frees the memory, because many calls may wait
  auto attempt = [&]() -> Task<void> { co_await client_.operate(Method::bulk_upsert, request); };
  co_await with_retries(attempt);
}

Task<AdminRows> YdbAdminSession::query(std::string text, std::vector<AdminParameter> parameters) {
  std::string declared;
  for (const AdminParameter& one : parameters) {
    declared +=
        fmt::format("DECLARE {} AS {};\n", one.name, yql_name(admin_types[one.value.index()]));
  }
  const QueryResult result =
      co_await access_.query(declared + text, [&parameters] { return parameters_of(parameters); });
  co_return rows_of(result);
}

Task<std::vector<bool>> YdbAdminSession::tables_exist(std::vector<std::string> names) {
  const std::vector<std::string> there = co_await access_.table_names();
  std::vector<bool> exist;
  for (const std::string& name : names) {
    exist.push_back(std::ranges::find(there, name) != there.end());
  }
  co_return exist;
}

bool YdbAdminSession::is_unknown_column(const Error& error) const noexcept {
  const auto* ydb_error = dynamic_cast<const YdbError*>(&error);
  return ydb_error != nullptr && is_of_text(*ydb_error);
}

coro::Task<ServerFacts> read_server_facts(ClientOptions options) {
  Client client(std::move(options));
  co_await client.connect();
  ServerFacts facts;
  facts.settings["nodes"] = std::to_string(client.endpoints().size());
  facts.settings["discovery"] = client.options().discovery ? "on" : "off";
  facts.settings["tls"] = client.options().target.tls ? "on" : "off";
  co_return facts;
}

namespace {}  // namespace

Task<void> require_snapshot_writes(YdbDatabase database, std::string probe) {
  const std::string text = folder_pragma(database).append(probe);
  auto write_nothing = [&](ServerSession& session) -> Task<void> {
    session.set_mode(TransactionMode::snapshot_read_write);
    co_await session.execute(text);
    co_await session.roll_back();
  };
  auto attempt = [&]() -> Task<void> { co_await with_session(database, write_nothing); };
  try {
    co_await with_retries(attempt);
  } catch (const YdbError& error) {
    if (error.status() != Status::bad_request && error.status() != Status::unsupported) throw;
    throw Error(
        error.error_class(), error.sqlstate(),
        fmt::format("--tx-mode snapshot-rw: this server does not support snapshot isolation for "
                    "transactions that write: {} Use --tx-mode serializable-rw (the default), or "
                    "set enable_snapshot_isolation_rw in the server's table_service_config",
                    text::sentence(error.what())));
  }
}

std::string partition_settings(std::size_t partitions, const std::vector<std::string>& keys) {
  std::string with = fmt::format(
      " WITH (AUTO_PARTITIONING_BY_LOAD = DISABLED, AUTO_PARTITIONING_PARTITION_SIZE_MB = {}, "
      "AUTO_PARTITIONING_MIN_PARTITIONS_COUNT = {}, AUTO_PARTITIONING_MAX_PARTITIONS_COUNT = {}",
      partition_megabytes, partitions, 2 * std::max(partitions, partitions_least));
  if (!keys.empty()) with += fmt::format(", PARTITION_AT_KEYS = ({})", fmt::join(keys, ", "));
  return with + ")";
}

std::vector<std::string> keys_of_ranges(std::int64_t last) {
  constexpr auto ranges = static_cast<std::int64_t>(partitions_least);
  const std::int64_t step = (last + ranges - 1) / ranges;
  std::vector<std::string> keys;
  for (std::int64_t key = 1 + step; key <= last; key += step) keys.push_back(std::to_string(key));
  return keys;
}

}  // namespace drover::database::ydb
