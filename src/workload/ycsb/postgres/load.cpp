// The load by COPY, in pieces, over several connections. Each piece is one transaction, which
// begins with the piece's row in drover_ycsb_loaded, so that a piece is both loaded and recorded,
// or neither. If another load has inserted the row but not committed, this load waits for it and
// then leaves the piece to it. If the other session shows no activity, it is ended. A part with
// other bounds cuts other pieces: rows that are already there end the COPY, and the missing rows
// are loaded later.
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
#include "database/error.h"
#include "database/postgres/admin_session.h"
#include "database/postgres/dialect.h"
#include "database/postgres/session_setup.h"
#include "text/plain_text.h"
#include "workload/ycsb/keys.h"
#include "workload/ycsb/load.h"
#include "workload/ycsb/postgres/database_on_postgres.h"
#include "workload/ycsb/values.h"

namespace drover::ycsb::postgres {
namespace {

using coro::Task;
using database::Error;
using database::postgres::Access;
using database::postgres::Connection;
using database::postgres::script_with_retries;
using database::postgres::traits_of;
using database::postgres::with_retries;

constexpr std::size_t chunk_bytes = 256 * 1024;  // passed to libpq at a time
constexpr std::string_view duplicate_row = "23505";
constexpr std::string_view lock_timed_out = "55P03";
constexpr std::string_view no_right = "42501";

constexpr std::array<const char*, 2> load_settings = {
    // A crash of the server may lose the last commits, together with their rows in
    // drover_ycsb_loaded. The next load then loads these pieces again.
    "SET synchronous_commit = off",
    // Ends the session of a killed client (PostgreSQL 14 and later).
    "SET client_connection_check_interval = '1s'",
};

// Rows in COPY's text format. Keys and values have no characters that the format escapes.
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
    const KeyName key(number, properties_);
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

class PostgresLoad final : public PiecewiseLoad {
 public:
  PostgresLoad(Access access, LoadSettings settings)
      : PiecewiseLoad(std::move(settings)),
        access_(std::move(access)),
        table_(table_of(settings_.properties)) {}

 private:
  Task<void> load_table() override;
  Task<LoadRecord> read_record() override { return read_record_on(*first_); }
  Task<void> load_pieces() override;
  Error explained(const Error& error) const override;
  Task<LoadRecord> read_record_on(Connection& connection) const;
  Task<bool> try_piece(Connection& connection, RowRange piece);
  Task<void> load_piece(Connection& connection, RowRange piece);
  Task<void> copy_piece(Connection& connection, RowRange piece, Sent& sent);
  Task<std::map<int, std::string>> waiting_loaders(Connection& connection) const;
  Task<void> end_silent_loaders(Connection& connection);
  Task<std::unique_ptr<Connection>> open() const;
  Task<void> finish();
  void tell_step(std::string_view name) const {
    if (settings_.on_step) settings_.on_step(name);
  }

  Access access_;
  const Table table_;
  std::unique_ptr<Connection> first_;
  database::Pooling pooling_ = database::Pooling::none;
};

Task<LoadRecord> PostgresLoad::read_record_on(Connection& connection) const {
  database::postgres::PostgresAdminSession session(connection, "");
  co_return co_await read_load_record(session, table_);
}

Task<std::unique_ptr<Connection>> PostgresLoad::open() const {
  auto connection = co_await database::postgres::open_in_schema(access_, pooling_);
  const std::string_view dialect_setting = traits_of(connection->dialect()).load_setting;
  if (!dialect_setting.empty()) {
    co_await database::postgres::set(*connection, std::string(dialect_setting));
  }
  for (const char* setting : load_settings) {
    co_await database::postgres::set_if_known(*connection, setting);
  }
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(settings_.silence_max);
  co_await database::postgres::set_if_known(*connection,
                                            fmt::format("SET lock_timeout = {}", ms.count()));
  co_return connection;
}

Task<void> PostgresLoad::copy_piece(Connection& connection, RowRange piece, Sent& sent) {
  co_await connection.copy_begin(
      fmt::format("COPY {} ({}, {}) FROM STDIN", table_.name, key_column, table_.all_fields));
  RowText text(settings_.properties, lengths_);
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
                  taken, piece.rows(), table_.plain_name));
}

Task<void> PostgresLoad::load_piece(Connection& connection, RowRange piece) {
  co_await connection.script("BEGIN");
  const auto recorded = co_await connection.query(
      fmt::format("INSERT INTO {} (table_name, first_row, rows) "
                  "VALUES ($1::text, $2::int8, $3::int8) ON CONFLICT DO NOTHING",
                  loaded_table),
      table_.plain_name, static_cast<std::int64_t>(piece.begin),
      static_cast<std::int64_t>(piece.rows()));
  if (recorded.affected() == 0) {  // another load has loaded the piece
    co_await connection.script("ROLLBACK");
    co_return;
  }
  Sent sent;
  std::optional<Error> duplicate;
  try {
    co_await copy_piece(connection, piece, sent);
    co_await connection.script("COMMIT");
    co_return;
  } catch (const Error& error) {
    uncount_sent(sent.rows, sent.bytes);
    if (error.sqlstate() != duplicate_row) throw;
    duplicate = error;
  }
  // The load of a part that begins or ends within this piece may have loaded the row.
  co_await database::postgres::roll_back(connection);
  const LoadRecord record = co_await read_record_on(connection);
  if (missing_ranges(piece, record.loaded) == std::vector{piece}) throw *duplicate;
}

Task<void> PostgresLoad::load_pieces() {
  const std::unique_ptr<Connection> connection = co_await open();
  while (const auto piece = next_piece()) {
    for (;;) {
      const bool done = co_await try_piece(*connection, *piece);
      if (done) break;
      co_await end_silent_loaders(*connection);
    }
  }
}

// Returns false if another session keeps the piece or the table locked for long.
Task<bool> PostgresLoad::try_piece(Connection& connection, RowRange piece) {
  try {
    co_await with_retries(connection, [&] { return load_piece(connection, piece); });
  } catch (const Error& error) {
    if (error.sqlstate() != lock_timed_out) throw;
    co_return false;
  }
  co_return true;
}

// Returns the processes of sessions that are within a piece and wait for their client, each with a
// text that changes when the client sends data.
Task<std::map<int, std::string>> PostgresLoad::waiting_loaders(Connection& connection) const {
  const auto found = co_await connection.query(
      "SELECT a.pid, concat_ws(' ', a.backend_start, a.state_change, c.bytes_processed) "
      "FROM pg_locks l JOIN pg_stat_get_activity(NULL) a USING (pid) "
      "LEFT JOIN pg_stat_progress_copy c USING (pid) WHERE l.relation = to_regclass($1::text) "
      "AND l.mode = 'RowExclusiveLock' AND l.granted AND a.wait_event = 'ClientRead' "
      "AND EXISTS (SELECT FROM pg_locks r WHERE r.pid = a.pid AND r.granted AND "
      "r.relation = to_regclass($2::text))",
      table_.name, loaded_table);
  std::map<int, std::string> loaders;
  for (int row = 0; row < found.rows(); ++row) {
    loaders[found.number<int>(row, 0)] = found.text(row, 1);
  }
  co_return loaders;
}

// Does nothing behind pgpool-II, which takes the end of a session for that of the server.
Task<void> PostgresLoad::end_silent_loaders(Connection& connection) {
  constexpr int copy_is_seen_since = 140000;
  if (connection.server_version() < copy_is_seen_since ||
      connection.pooling() == database::Pooling::pgpool) {
    co_return;
  }
  const auto before = co_await waiting_loaders(connection);
  if (before.empty()) co_return;
  co_await coro::sleep_for(settings_.silence_max);
  for (const auto& [process, mark] : co_await waiting_loaders(connection)) {
    const auto seen = before.find(process);
    if (seen == before.end() || seen->second != mark) continue;
    try {
      co_await connection.script(fmt::format("SELECT pg_terminate_backend({})", process));
      tell_step("ended a session of an earlier load that was no longer active");
    } catch (const Error& error) {
      if (error.sqlstate() != no_right) throw;
    }
  }
}

Task<void> PostgresLoad::finish() {
  tell_step(fmt::format("analyze {}", table_.plain_name));
  first_->take_warnings();
  co_await script_with_retries(*first_, fmt::format("ANALYZE {}", table_.name));
  for (const std::string& warning : first_->take_warnings()) {
    if (!settings_.on_note) break;
    settings_.on_note(database::postgres::no_statistics_note(table_.plain_name, warning));
  }
  // A synchronous commit makes all earlier commits durable.
  auto touch = [&]() -> Task<void> {
    co_await first_->query(
        fmt::format("UPDATE {} SET layout = layout WHERE table_name = $1::text", record_table),
        table_.plain_name);
  };
  co_await with_retries(*first_, touch);
}

Task<void> PostgresLoad::load_table() {
  first_ = co_await database::postgres::open_in_schema(access_);
  access_.dialect = first_->dialect();
  pooling_ = first_->pooling();
  const std::int32_t rows_most = traits_of(first_->dialect()).rows_a_transaction;
  if (rows_most > 0) limit_pieces(static_cast<std::uint64_t>(rows_most) - 1);  // and the record
  co_await begin_load(*first_, access_.schema, table_, settings_.properties);
  co_await load_missing();
  if (!settings_.share.is_whole()) co_return;
  const coro::Duration loaded_after = elapsed();
  // A pooler or a balancer may have ended the first session as idle while the others loaded.
  first_.reset();
  first_ = co_await database::postgres::open_in_schema(access_, pooling_);
  co_await finish();
  progress_.finishing = elapsed() - loaded_after;
}

Error PostgresLoad::explained(const Error& error) const {
  if (error.sqlstate() != duplicate_row) return PiecewiseLoad::explained(error);
  return {error.error_class(), error.sqlstate(),
          fmt::format("{} Rows of this part are already in the table {}, although no load has "
                      "recorded them, so a run has inserted them. Load another part (insertstart, "
                      "insertcount), or drop the table with 'drover ycsb clean'",
                      text::sentence(error.what()), table_.plain_name)};
}

}  // namespace

Task<LoadProgress> load(Access access, LoadSettings settings) {
  PostgresLoad work(std::move(access), std::move(settings));
  co_return co_await work.load();
}

}  // namespace drover::ycsb::postgres
