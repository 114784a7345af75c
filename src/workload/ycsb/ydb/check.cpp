// The check reads ranges of keys, some rows at a time, in parallel sessions. Each request has a
// snapshot of its own.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "coro/scope.h"
#include "database/ydb/session.h"
#include "workload/ycsb/check.h"
#include "workload/ycsb/ydb/database_on_ydb.h"

namespace drover::ycsb::ydb {
namespace {

using coro::Task;
using database::ydb::Client;
using database::ydb::DatabaseAccess;
using database::ydb::Parameters;
using database::ydb::Primitive;
using database::ydb::QueryResult;
using database::ydb::ResultSetView;
using database::ydb::ServerSession;
using database::ydb::YdbDatabase;

class YdbCheck final : public TableCheck {
 public:
  YdbCheck(YdbDatabase database, const CheckSettings& settings)
      : TableCheck(settings, table_of(settings.properties)),
        database_(std::move(database)),
        pragma_(folder_pragma(database_)),
        rows_asked_(rows_per_fetch()) {
    report_.server_version = "YDB";
    report_.snapshot_refusal =
        "in YDB, each transaction has its own snapshot, so ranges of keys were read at different "
        "times";
  }

  Task<CheckReport> run();

 private:
  std::uint64_t cut(std::uint64_t rows) override;
  Task<void> read_pieces(std::size_t sessions) override;
  Task<void> read_ranges();
  Task<void> read_range(std::unique_ptr<ServerSession>& session, std::size_t range);
  Task<QueryResult> read_page(ServerSession& session, const std::string& after,
                              std::size_t range) const;

  const YdbDatabase database_;
  const std::string pragma_;
  const std::uint64_t rows_asked_;
  Client* client_ = nullptr;
  std::vector<std::string> bounds_;  // the last key of each range except the last range
};

Task<QueryResult> YdbCheck::read_page(ServerSession& session, const std::string& after,
                                      std::size_t range) const {
  const bool is_last = range == bounds_.size();
  const std::string text = fmt::format(
      "{0}DECLARE $after AS Utf8;\n{1}DECLARE $rows AS Uint64;\n"
      "SELECT {2}, {3} FROM {4} WHERE {2} > $after{5} ORDER BY {2} LIMIT $rows;",
      pragma_, is_last ? "" : "DECLARE $last AS Utf8;\n", key_column, table_.all_fields,
      table_.name, is_last ? "" : fmt::format(" AND {} <= $last", key_column));
  Parameters parameters;
  parameters.add("$after", Primitive::utf8, after);
  if (!is_last) parameters.add("$last", Primitive::utf8, bounds_[range]);
  parameters.add("$rows", Primitive::uint64, rows_asked_);
  co_return co_await session.execute_and_commit(text, std::move(parameters));
}

Task<void> YdbCheck::read_range(std::unique_ptr<ServerSession>& session, std::size_t range) {
  std::string after = range == 0 ? std::string() : bounds_[range - 1];
  for (;;) {
    QueryResult page;
    auto attempt = [&]() -> Task<void> {
      if (session && !session->usable()) session.reset();
      if (!session) session = co_await ServerSession::open(*client_);
      session->set_mode(database::ydb::TransactionMode::snapshot_read_only);
      page = co_await read_page(*session, after, range);
    };
    co_await database::ydb::with_retries(attempt);
    const ResultSetView rows = page.set(0);
    if (rows.rows() == 0) break;
    for (std::size_t row = 0; row < rows.rows(); ++row) {
      verify_row(rows.at(row, key_column).text(), [&](std::size_t field) {
        return text_of(rows.at(row, table_.plain_fields[field]));
      });
    }
    after = rows.at(rows.rows() - 1, key_column).text();
    tell_progress();
  }
  ++report_.pieces;
}

Task<void> YdbCheck::read_ranges() {
  std::unique_ptr<ServerSession> session;
  while (const auto range = next_piece()) co_await read_range(session, *range);
  if (session) co_await session->close();
}

std::uint64_t YdbCheck::cut(std::uint64_t rows) {
  Properties all = settings_.properties;
  all.record_count = static_cast<std::int64_t>(rows);
  bounds_ = split_keys(all, partitions_wanted(all));
  return bounds_.size() + 1;
}

Task<void> YdbCheck::read_pieces(std::size_t sessions) {
  auto body = [&](coro::Scope& scope) -> Task<void> {
    for (std::size_t i = 0; i < sessions; ++i) scope.start(read_ranges());
    co_return;
  };
  co_await coro::with_scope(body);
}

Task<CheckReport> YdbCheck::run() {
  auto body = [&](DatabaseAccess& access) -> Task<void> {
    client_ = &access.client();
    if (settings_.part) {
      co_await read_share(*settings_.part);
      co_return;
    }
    database::ydb::YdbAdminSession session(access);
    const LoadRecord record = co_await require_record(session);
    const auto rows = record.loaded.empty()
                          ? static_cast<std::uint64_t>(settings_.properties.record_count)
                          : record.loaded.back().end;
    co_await read_all({.snapshot = {}, .table_size = rows});
  };
  co_await DatabaseAccess::use(database_, body);
  co_return std::move(report_);
}

}  // namespace

Task<CheckReport> check(YdbDatabase database, CheckSettings settings) {
  YdbCheck work(std::move(database), settings);
  co_return co_await work.run();
}

}  // namespace drover::ycsb::ydb
