#include "workload/ycsb/postgres/load.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "coro/sleep.h"
#include "coro/worker.h"
#include "database/error.h"
#include "database/postgres/admin_session.h"
#include "database/postgres/connection.h"
#include "database/postgres/dialect.h"
#include "database/postgres/session_setup.h"
#include "text/plain_text.h"
#include "workload/ycsb/keys.h"
#include "workload/ycsb/piecewise_load.h"
#include "workload/ycsb/postgres/load_record.h"
#include "workload/ycsb/postgres/table.h"
#include "workload/ycsb/properties/field_lengths.h"
#include "workload/ycsb/values.h"

namespace drover::ycsb::postgres {
namespace {

using coro::Task;
using database::Error;
using database::postgres::Connection;
using database::postgres::script_with_retries;
using database::postgres::traits_of;
using database::postgres::with_retries;

constexpr std::size_t chunk_bytes = 256 * 1024;  // that are handed to libpq at a time
constexpr std::string_view unique_violation_of_copy = "23505";

constexpr std::string_view lock_timed_out = "55P03";
constexpr std::string_view not_ours = "42501";

constexpr std::array<std::string_view, 2> load_settings = {
    // A crash of the server may lose the last commits, and then their rows in drover_ycsb_loaded
    // too: the load that goes
    // on sees it.
    "SET synchronous_commit = off",
    // No session of a client that was killed goes on (from PostgreSQL 14 on).
    "SET client_connection_check_interval = '1s'",
};

// Rows as COPY has them as text: no character of keys and values has a meaning there.
class RowText {
 public:
  RowText(const Properties& properties, const FieldLengths& lengths)
      : properties_(properties),
        lengths_(lengths),
        row_bytes_max_(KeyName::size_max + 1 +
                       static_cast<std::size_t>(properties.field_count) *
                           (lengths.length_max() + 1)),
        memory_(chunk_bytes + row_bytes_max_, '\0') {}

  bool is_full() const noexcept { return size_ >= chunk_bytes; }
  std::span<const char> bytes() const noexcept { return {memory_.data(), size_}; }
  void clear() noexcept { size_ = 0; }

  // Requires: !is_full().
  void add_row(std::uint64_t number) {
    const KeyName key(number, properties_.insert_order, properties_.zero_padding);
    const std::uint64_t shown = shown_number(number, properties_.insert_order);
    char* out = std::ranges::copy(key.view(), memory_.data() + size_).out;
    for (std::uint32_t field = 0; field < properties_.field_count; ++field) {
      const FieldPlace place = {.key = shown, .field = field};
      const std::size_t length = lengths_.length(place, load_stamp);
      *out++ = '\t';
      write_value({out, length}, place, {.version = 0, .stamp = load_stamp});
      out += length;
    }
    *out++ = '\n';
    size_ = static_cast<std::size_t>(out - memory_.data());
  }

 private:
  const Properties& properties_;
  const FieldLengths& lengths_;
  const std::size_t row_bytes_max_;
  std::string memory_;
  std::size_t size_ = 0;
};

struct Sent {
  std::uint64_t rows = 0;
  std::uint64_t bytes = 0;
};

class Load final : public PiecewiseLoad {
 public:
  Load(LoadOptions options, LoadObserver& observer)
      : PiecewiseLoad(options, options.rows_of_piece, observer),
        options_(std::move(options)),
        observer_(observer),
        table_(options_.properties) {}

  Task<LoadProgress> run();
  Error explained(const Error& error) const;

 private:
  Task<LoadRecord> read_record() override { return read_load_record(*first_, table_); }
  Task<void> load_pieces() override;
  Task<bool> try_piece(Connection& connection, RowRange piece);
  Task<void> load_piece(Connection& connection, RowRange piece);
  Task<std::map<int, std::string>> loaders_waited_for(Connection& connection) const;
  Task<void> end_silent_loaders(Connection& connection);
  Task<void> commit_piece(Connection& connection, Sent sent);
  Task<void> copy_piece(Connection& connection, RowRange piece, Sent& sent);
  Task<std::unique_ptr<Connection>> open() const;
  Task<void> open_anew();
  Task<void> finish();

  const LoadOptions options_;
  LoadObserver& observer_;
  const Table table_;
  std::unique_ptr<Connection> first_;
};

Task<std::unique_ptr<Connection>> Load::open() const {
  database::postgres::Access access = options_;
  access.dialect = first_->dialect();
  auto connection = co_await database::postgres::open_in_schema(access, first_->pooling());
  const std::string_view load_setting = traits_of(connection->dialect()).load_setting;
  if (!load_setting.empty()) {
    co_await database::postgres::set(*connection, std::string(load_setting));
  }
  for (const std::string_view setting : load_settings) {
    std::string sql(setting);
    co_await database::postgres::set_if_known(*connection, std::move(sql));
  }
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(options_.silence_max);
  co_await database::postgres::set_if_known(*connection,
                                            fmt::format("SET lock_timeout = {}", ms.count()));
  co_return connection;
}

Task<void> Load::copy_piece(Connection& connection, RowRange piece, Sent& sent) {
  co_await connection.copy_begin(
      fmt::format("COPY {} ({}, {}) FROM STDIN", table_.name(), key_column, table_.all_fields()));
  RowText text(properties(), lengths());
  for (std::uint64_t number = piece.begin; number < piece.end; ++number) {
    text.add_row(number);
    if (!text.is_full() && number + 1 < piece.end) continue;
    co_await connection.copy_send(text.bytes());
    const std::uint64_t rows = number + 1 - piece.begin - sent.rows;
    count_sent(rows, text.bytes().size());
    sent.rows += rows;
    sent.bytes += text.bytes().size();
    text.clear();
  }
  const std::int64_t taken = co_await connection.copy_end();
  if (static_cast<std::uint64_t>(taken) == piece.rows()) co_return;
  throw Error(
      database::ErrorClass::statement, "",
      fmt::format("the server stored {} of {} rows of {}. A trigger or a rule may reject rows",
                  taken, piece.rows(), table_.plain_name()));
}

Task<void> Load::load_piece(Connection& connection, RowRange piece) {
  co_await connection.script("BEGIN");
  const auto recorded = co_await connection.query(
      fmt::format("INSERT INTO {} (table_name, first_row, rows) "
                  "VALUES ($1::text, $2::int8, $3::int8) ON CONFLICT DO NOTHING",
                  loaded_table),
      table_.plain_name(), static_cast<std::int64_t>(piece.begin),
      static_cast<std::int64_t>(piece.rows()));
  if (recorded.affected() == 0) {  // somebody else has been quicker
    co_await connection.script("ROLLBACK");
    co_return;
  }
  Sent sent;
  std::optional<Error> duplicate;
  try {
    co_await copy_piece(connection, piece, sent);
  } catch (const Error& error) {
    count_left(sent.rows, sent.bytes);
    if (error.sqlstate() != unique_violation_of_copy) throw;
    duplicate = error;
  }
  if (!duplicate) {
    co_await commit_piece(connection, sent);
    co_return;
  }
  // A part that begins or ends within this piece has another record: its load may have been
  // quicker.
  co_await database::postgres::roll_back(connection);
  const LoadRecord record = co_await read_load_record(connection, table_);
  if (missing_ranges(piece, record.loaded) == std::vector{piece}) throw *duplicate;
}

Task<void> Load::commit_piece(Connection& connection, Sent sent) {
  try {
    co_await connection.script("COMMIT");
  } catch (const Error&) {
    count_left(sent.rows, sent.bytes);
    throw;
  }
}

Task<void> Load::load_pieces() {
  const std::unique_ptr<Connection> connection = co_await open();
  while (const auto piece = next_piece()) {
    for (;;) {
      const bool done = co_await try_piece(*connection, *piece);
      if (done) break;
      co_await end_silent_loaders(*connection);
    }
  }
}

// Or somebody else keeps it, or the table, for long.
Task<bool> Load::try_piece(Connection& connection, RowRange piece) {
  try {
    co_await with_retries(connection, [&] { return load_piece(connection, piece); });
  } catch (const Error& error) {
    if (error.sqlstate() != lock_timed_out) throw;
    co_return false;
  }
  co_return true;
}

// Those in the middle of a piece for whose client the server waits, by process, and what changes
// when something comes.
Task<std::map<int, std::string>> Load::loaders_waited_for(Connection& connection) const {
  const auto found = co_await connection.query(
      "SELECT a.pid, concat_ws(' ', a.backend_start, a.state_change, c.bytes_processed) "
      "FROM pg_locks l JOIN pg_stat_get_activity(NULL) a USING (pid) "
      "LEFT JOIN pg_stat_progress_copy c USING (pid) WHERE l.relation = to_regclass($1::text) "
      "AND l.mode = 'RowExclusiveLock' AND l.granted AND a.wait_event = 'ClientRead' "
      "AND EXISTS (SELECT FROM pg_locks r WHERE r.pid = a.pid AND r.granted AND "
      "r.relation = to_regclass($2::text))",
      table_.name(), loaded_table);
  std::map<int, std::string> loaders;
  for (int row = 0; row < found.rows(); ++row) {
    loaders[found.number<int>(row, 0)] = found.text(row, 1);
  }
  co_return loaders;
}

// pgpool-II takes the end of a session for that of the server.
Task<void> Load::end_silent_loaders(Connection& connection) {
  constexpr int copy_is_seen_since = 140000;
  if (connection.server_version() < copy_is_seen_since ||
      connection.pooling() == database::Pooling::pgpool) {
    co_return;
  }
  const auto before = co_await loaders_waited_for(connection);
  if (before.empty()) co_return;
  co_await coro::sleep_for(options_.silence_max);
  for (const auto& [process, mark] : co_await loaders_waited_for(connection)) {
    const auto seen = before.find(process);
    if (seen == before.end() || seen->second != mark) continue;
    try {
      co_await connection.script(fmt::format("SELECT pg_terminate_backend({})", process));
      observer_.on_step("ended a session of an earlier load that was no longer active");
    } catch (const Error& error) {
      if (error.sqlstate() != not_ours) throw;
    }
  }
}

// To commit where commits are waited for makes all earlier ones as durable as itself.
Task<void> Load::finish() {
  observer_.on_step(fmt::format("analyze {}", table_.plain_name()));
  first_->take_warnings();
  co_await script_with_retries(*first_, fmt::format("ANALYZE {}", table_.name()));
  for (const std::string& warning : first_->take_warnings()) {
    observer_.on_note(database::postgres::no_statistics_note(table_.plain_name(), warning));
  }
  auto touch = [&]() -> Task<void> {
    co_await first_->query(
        fmt::format("UPDATE {} SET layout = layout WHERE table_name = $1::text", record_table),
        table_.plain_name());
  };
  co_await with_retries(*first_, touch);
}

// Opens the first session again, because a pooler or a balancer may have ended it as idle while the
// others loaded.
Task<void> Load::open_anew() {
  database::postgres::Access access = options_;
  access.dialect = first_->dialect();
  const database::Pooling pooling = first_->pooling();
  first_.reset();
  first_ = co_await database::postgres::open_in_schema(std::move(access), pooling);
}

Task<LoadProgress> Load::run() {
  first_ = co_await database::postgres::open_in_schema(options_);
  const std::int32_t rows_most = traits_of(first_->dialect()).rows_a_transaction;
  if (rows_most > 0) limit_pieces(static_cast<std::uint64_t>(rows_most) - 1);  // and the record
  co_await begin_load(*first_, options_.schema, table_, options_.properties);
  co_await load_missing();
  if (!options_.share.is_whole()) co_return progress();
  const coro::Instant all_there = coro::Worker::current().now();
  co_await open_anew();
  co_await finish();
  LoadProgress loaded = progress();
  loaded.finishing = coro::Worker::current().now() - all_there;
  co_return loaded;
}

Error Load::explained(const Error& error) const {
  if (error.sqlstate() != unique_violation_of_copy) return PiecewiseLoad::explained(error);
  return {error.error_class(), error.sqlstate(),
          fmt::format("{} Rows of this part are already in the table {}, although no load has "
                      "recorded them, so a run has inserted them. Load another part (insertstart, "
                      "insertcount), or drop the table with 'drover ycsb clean'",
                      text::sentence(error.what()), table_.plain_name())};
}

}  // namespace

Task<LoadProgress> load(LoadOptions options, LoadObserver& observer) {
  Load work(std::move(options), observer);
  try {
    co_return co_await work.run();
  } catch (const Error& error) {
    throw work.explained(error);
  }
}

}  // namespace drover::ycsb::postgres
