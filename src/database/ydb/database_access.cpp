#include "database/ydb/database_access.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <random>
#include <utility>

#include "coro/cancellation.h"
#include "coro/deadline.h"
#include "coro/scope.h"
#include "coro/sleep.h"
#include "coro/worker.h"
#include "database/ydb/scheme.h"

namespace drover::database::ydb {

using coro::Task;

namespace {

constexpr coro::Duration pause_first = std::chrono::milliseconds(10);
constexpr int doublings_most = 5;
constexpr int attempts_most = 100;

}  // namespace

bool may_pass(const Error& error) noexcept {
  return error.error_class() != ErrorClass::denied && error.error_class() != ErrorClass::statement;
}

coro::Duration pause_before(int number, double random) noexcept {
  const coro::Duration longest = pause_first * (1 << std::clamp(number - 1, 0, doublings_most));
  return coro::Duration(static_cast<int64_t>(static_cast<double>(longest.count()) * random));
}

coro::Task<void> patiently(std::function<coro::Task<void>()> make_task) {
  std::minstd_rand random{std::random_device()()};
  std::uniform_real_distribution<double> half_to_one(0.5, 1.0);
  for (int attempt = 1;; ++attempt) {
    try {
      co_await make_task();
      co_return;
    } catch (const YdbError& error) {
      if (!may_pass(error) || attempt >= attempts_most) throw;
    }
    co_await coro::sleep_for(pause_before(attempt, half_to_one(random)));
  }
}

namespace {

constexpr coro::Duration pause_of_asking = std::chrono::milliseconds(100);

Task<void> ask_once(const YdbDatabase& database, const std::function<Task<void>(Session&)>& body) {
  Client client(database.client);
  co_await client.connect();
  const auto session = co_await Session::open(client);
  co_await body(*session);
}

Task<void> ask_until_answered(const YdbDatabase& database,
                              const std::function<Task<void>(Session&)>& body) {
  for (;;) {
    bool hopeless = false;
    try {
      co_await ask_once(database, body);
      co_return;
    } catch (const Error& error) {
      hopeless = !may_pass(error);
    }
    if (hopeless) co_return;
    co_await coro::sleep_for(pause_of_asking);
  }
}

}  // namespace

Task<void> ask_patiently(YdbDatabase database, coro::Duration patience,
                         std::function<Task<void>(Session&)> body) {
  const coro::Instant give_up = coro::Worker::current().now() + patience;
  database.client.request_timeout = patience;
  try {
    co_await coro::with_deadline(give_up, ask_until_answered(database, body));
  } catch (const coro::DeadlineExceeded&) {
    // Whoever asks has the answers that came.
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
    names = co_await ydb::list_tables(client_, folder_path(database_));
  };
  co_await patiently(list);
  co_return names;
}

Task<void> DatabaseAccess::make_folder() {
  const std::string& folder = database_.folder;
  for (size_t end = 0; end < folder.size(); ++end) {
    end = std::min(folder.find('/', end), folder.size());
    const std::string path = database_.client.target.database + "/" + folder.substr(0, end);
    auto make = [&]() -> Task<void> { co_await ydb::make_folder(client_, path); };
    co_await patiently(make);
  }
}

Task<QueryResult> DatabaseAccess::run(std::string text, MakeParameters make_parameters,
                                      Control control) {
  const std::string whole = folder_pragma(database_) + text;
  const auto lock = co_await statements_.lock();
  QueryResult result;
  auto attempt = [&]() -> Task<void> {
    if (session_ && !session_->usable()) session_.reset();
    if (!session_) session_ = co_await Session::open(client_);
    if (control == Control::alone) {
      result = co_await session_->execute_alone(whole);
    } else {
      Parameters parameters = make_parameters ? make_parameters() : Parameters();
      result = co_await session_->execute_and_commit(whole, std::move(parameters));
    }
  };
  co_await patiently(attempt);
  co_return result;
}

Task<QueryResult> DatabaseAccess::query(std::string text, MakeParameters make_parameters) {
  return run(std::move(text), std::move(make_parameters), Control::commit);
}

Task<void> DatabaseAccess::change_scheme(std::string text) {
  co_await run(std::move(text), {}, Control::alone);
}

Task<void> DatabaseAccess::bulk_upsert(std::string_view table, BulkRows rows) {
  const auto request = ydb::make_bulk_upsert(path_of(table), rows.encoded());
  rows = BulkRows(std::span<const Column>{});  // many calls may wait: its memory goes now
  auto attempt = [&]() -> Task<void> { co_await send(client_, request); };
  co_await patiently(attempt);
}

}  // namespace drover::database::ydb
