#include "workload/ycsb/ydb/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "coro/scope.h"
#include "database/ydb/database_access.h"
#include "database/ydb/session.h"
#include "workload/ycsb/table_values.h"
#include "workload/ycsb/ydb/load_record.h"
#include "workload/ycsb/ydb/table.h"
#include "workload/ycsb/ydb/table_rows.h"

namespace drover::ycsb::ydb {
namespace {

using coro::Task;
using database::ydb::Client;
using database::ydb::DatabaseAccess;
using database::ydb::Parameters;
using database::ydb::Primitive;
using database::ydb::ServerSession;
using database::ydb::YdbDatabase;

constexpr std::uint64_t request_bytes = 1 << 20;

class Check {
 public:
  Check(const YdbDatabase& database, CheckSettings settings)
      : settings_(std::move(settings)),
        table_(settings_.properties),
        pragma_(folder_pragma(database)),
        values_(settings_.properties, report_),
        rows_asked_(values_.rows_of(request_bytes)) {
    report_.server_version = "YDB";
    report_.snapshot_refusal =
        "in YDB, each transaction has its own snapshot, so ranges of keys were read at different "
        "times";
  }

  Task<void> run(DatabaseAccess& access);
  Task<void> run_part(DatabaseAccess& access, CheckPart part);
  CheckReport take_report() { return std::move(report_); }

 private:
  void cut(std::uint64_t rows, load::Share share);
  Task<void> take_all(Client& client);
  std::size_t ranges() const noexcept { return bounds_.size() + 1; }
  Task<void> take_ranges(Client& client);
  Task<void> read_range(Client& client, std::unique_ptr<ServerSession>& session, std::size_t range);
  Task<QueryResult> read_page(ServerSession& session, const std::string& after,
                              std::size_t range) const;
  void verify(const ResultSetView& rows);
  void tell_progress() const;

  const CheckSettings settings_;
  const Table table_;
  const std::string pragma_;
  CheckReport report_;
  TableValues values_;
  const std::uint64_t rows_asked_;
  std::vector<std::string> bounds_;  // the last keys of all ranges but the last
  std::size_t next_ = 0;
  std::size_t end_ = 1;  // of those that are read here
  std::size_t to_read_ = 1;
};

Task<QueryResult> Check::read_page(ServerSession& session, const std::string& after,
                                   std::size_t range) const {
  const bool is_last = range == bounds_.size();
  const std::string text = fmt::format(
      "{0}DECLARE $after AS Utf8;\n{1}DECLARE $rows AS Uint64;\n"
      "SELECT {2}, {3} FROM {4} WHERE {2} > $after{5} ORDER BY {2} LIMIT $rows;",
      pragma_, is_last ? "" : "DECLARE $last AS Utf8;\n", key_column, table_.all_fields(),
      table_.name(), is_last ? "" : fmt::format(" AND {} <= $last", key_column));
  Parameters parameters;
  parameters.add("$after", Primitive::utf8, after);
  if (!is_last) parameters.add("$last", Primitive::utf8, bounds_[range]);
  parameters.add("$rows", Primitive::uint64, rows_asked_);
  co_return co_await session.execute_and_commit(text, std::move(parameters));
}

Task<void> Check::read_range(Client& client, std::unique_ptr<ServerSession>& session,
                             std::size_t range) {
  std::string after = range == 0 ? std::string() : bounds_[range - 1];
  for (;;) {
    QueryResult page;
    auto attempt = [&]() -> Task<void> {
      if (session && !session->usable()) session.reset();
      if (!session) session = co_await ServerSession::open(client);
      session->set_mode(database::ydb::TransactionMode::snapshot_read_only);
      page = co_await read_page(*session, after, range);
    };
    co_await database::ydb::with_retries(attempt);
    const ResultSetView rows = page.set(0);
    if (rows.rows() == 0) break;
    verify(rows);
    after = rows.at(rows.rows() - 1, key_column).text();
    tell_progress();
  }
  ++report_.pieces;
}

Task<void> Check::take_ranges(Client& client) {
  std::unique_ptr<ServerSession> session;
  while (next_ < end_) {
    const std::size_t range = next_++;
    co_await read_range(client, session, range);
  }
  if (session) co_await session->close();
}

void Check::verify(const ResultSetView& rows) {
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    values_.verify_row(rows.at(row, key_column).text(), [&](std::size_t field) {
      return text_of(rows.at(row, table_.plain_field(field)));
    });
  }
}

void Check::tell_progress() const {
  if (!settings_.on_progress) return;
  settings_.on_progress({.rows = report_.rows,
                         .part = to_read_ == 0 ? 1.0
                                               : static_cast<double>(report_.pieces) /
                                                     static_cast<double>(to_read_)});
}

Task<void> Check::run(DatabaseAccess& access) {
  const LoadRecord record = co_await read_load_record(access, table_);
  require_record(record, table_.plain_name());
  require_layout(record, settings_.properties);
  report_.rows_loaded = record.rows_loaded();
  const auto rows = record.loaded.empty()
                        ? static_cast<std::uint64_t>(settings_.properties.record_count)
                        : record.loaded.back().end;
  cut(rows, {});
  if (settings_.check_elsewhere) {
    const CheckPart all{.snapshot = {}, .table_size = rows};
    co_await settings_.check_elsewhere(all, report_);
    require_all_read(report_, ranges());
  } else {
    co_await take_all(access.client());
  }
}

Task<void> Check::run_part(DatabaseAccess& access, CheckPart part) {
  cut(part.table_size, part.share);
  co_await take_all(access.client());
}

void Check::cut(std::uint64_t rows, load::Share share) {
  Properties all = settings_.properties;
  all.record_count = static_cast<std::int64_t>(rows);
  bounds_ = split_keys(all, partitions_wanted(all));
  next_ = share.begin(ranges());
  end_ = share.end(ranges());
  to_read_ = share.of(ranges());
}

Task<void> Check::take_all(Client& client) {
  auto body = [&](coro::Scope& scope) -> Task<void> {
    const std::size_t sessions = std::min(settings_.connections, to_read_);
    for (std::size_t i = 0; i < sessions; ++i) scope.start(take_ranges(client));
    co_return;
  };
  co_await coro::with_scope(body);
  tell_progress();
}

}  // namespace

Task<CheckReport> check(YdbDatabase database, CheckSettings settings) {
  Check work(database, std::move(settings));
  auto body = [&work](DatabaseAccess& access) -> Task<void> { co_await work.run(access); };
  co_await DatabaseAccess::use(std::move(database), body);
  co_return work.take_report();
}

Task<CheckReport> check_part(YdbDatabase database, CheckSettings settings, CheckPart part) {
  Check work(database, std::move(settings));
  auto body = [&](DatabaseAccess& access) -> Task<void> {
    co_await work.run_part(access, std::move(part));
  };
  co_await DatabaseAccess::use(std::move(database), body);
  co_return work.take_report();
}

}  // namespace drover::ycsb::ydb
