#include "database/postgres/dialect.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <vector>

#include "database/postgres/connection.h"

namespace drover::database::postgres {

using coro::Task;

namespace {

// A node is out of memory; a read must be restarted, or the catalogue version has changed.
constexpr std::array<std::string_view, 2> retryable_in_yugabyte = {"53200", "XX000"};

constexpr std::array<DialectTraits, 4> all_traits = {
    {{.dialect = Dialect::postgres, .name = "postgres", .title = "PostgreSQL"},
     {.dialect = Dialect::cockroach,
      .name = "cockroach",
      .title = "CockroachDB",
      .default_isolation = Isolation::serializable,
      .ddl_in_transactions = false,
      .keys_with_table = true,
      .advisory_locks = false,
      .shared_snapshots = false,
      .processes = false,
      .rows_a_transaction = 20'000,
      .tried = not_tried},
     {.dialect = Dialect::yugabyte,
      .name = "yugabyte",
      .title = "YugabyteDB",
      .ddl_in_transactions = false,
      .keys_with_table = true,
      .advisory_locks = false,  // before 2025.1
      .rows_a_transaction = 20'000,
      .load_setting = "SET yb_default_copy_from_rows_per_transaction = 0",
      .retryable = retryable_in_yugabyte,
      .tried = not_tried},
     {.dialect = Dialect::citus,
      .name = "citus",
      .title = "Citus",
      .ddl_in_transactions = false,
      .keys_with_table = true,
      .foreign_keys = false,
      .shared_snapshots = false,
      .generic_plans = false,
      .tried = "tried on Citus 13.2.2 with PostgreSQL 15"}}};

// Returns true if the server has the extension citus. Returns false, too, if the role may not read
// the list of extensions, or if the server has none.
Task<bool> has_citus(Connection& connection) {
  const auto found =
      co_await query_if_allowed(connection, "SELECT 1 FROM pg_extension WHERE extname = 'citus'");
  co_return found && found->rows() > 0;
}

// Returns true if PostgreSQL itself does not report this SQLSTATE of a COMMIT in normal operation.
// A relative that says to be PostgreSQL does when it loses a node, and so does PostgreSQL when it
// has committed on the server of a foreign table.
bool is_of_several_nodes(std::string_view sqlstate) noexcept {
  constexpr std::array<std::string_view, 4> states = {"XX000", "53000", "58000", "58030"};
  // A connection that was never established has committed nothing.
  if (sqlstate.starts_with("08")) return sqlstate != "08001" && sqlstate != "08004";
  return std::ranges::find(states, sqlstate) != states.end();
}

// Returns true if a node of Citus could not connect to another one, and so has sent it nothing.
// Citus has one SQLSTATE for this and for a lost connection. The words are libpq's; in another
// language the outcome is unknown.
bool has_not_connected(const Error& error) noexcept {
  return error.sqlstate() == "08006" &&
         std::string_view(error.what()).find("Is the server running ") != std::string_view::npos;
}

}  // namespace

const DialectTraits& traits_of(Dialect dialect) noexcept {
  return all_traits[static_cast<std::size_t>(dialect)];
}

std::span<const DialectTraits> all_dialects() noexcept {
  return all_traits;
}

Task<Dialect> find_dialect(Connection& connection) {
  std::string said;
  try {
    const Result version = co_await connection.query("SELECT version()");
    if (version.rows() == 1) said = version.text(0, 0);
  } catch (const Error& error) {
    // The function may have been revoked from this role.
    if (error.error_class() != ErrorClass::denied || connection.broken()) throw;
    said = connection.parameter_status("server_version");
  }
  if (said.find("CockroachDB") != said.npos) co_return Dialect::cockroach;
  if (said.find("-YB-") != said.npos) co_return Dialect::yugabyte;
  const bool is_citus = co_await has_citus(connection);
  co_return is_citus ? Dialect::citus : Dialect::postgres;
}

Error in_dialect(Dialect dialect, Error error) {
  const auto retryable = traits_of(dialect).retryable;
  const bool is_retryable = std::ranges::find(retryable, error.sqlstate()) != retryable.end();
  if (error.error_class() != ErrorClass::statement || !is_retryable) return error;
  return {ErrorClass::retryable, error.sqlstate(), error.what(), error.backoff()};
}

// Lists serialization failures, deadlocks, errors of the execution of a statement or of a deferred
// trigger, and errors before the execution.
bool refuses_to_commit(std::string_view sqlstate) noexcept {
  constexpr std::array<std::string_view, 9> classes = {"0A", "21", "22", "23", "42",
                                                       "44", "55", "P0", "2F"};
  constexpr std::array<std::string_view, 5> states = {"40001", "40002", "40P01", "25P02", "25006"};
  return std::ranges::find(classes, sqlstate.substr(0, 2)) != classes.end() ||
         std::ranges::find(states, sqlstate) != states.end();
}

Error of_a_commit(Dialect dialect, Error error, std::string_view warned) {
  const std::string& sqlstate = error.sqlstate();
  const bool is_certain =
      dialect == Dialect::postgres ? !is_of_several_nodes(sqlstate) : refuses_to_commit(sqlstate);
  if (sqlstate.empty() || is_certain || error.error_class() == ErrorClass::connection_lost) {
    return error;
  }
  if (dialect == Dialect::citus && has_not_connected(error)) return error;
  if (dialect == Dialect::citus && sqlstate == "XX000" && refuses_to_commit(warned)) {
    return {classify_sqlstate(warned), std::string(warned),
            fmt::format("{}: a worker refused to commit [SQLSTATE {}]", error.what(), warned)};
  }
  return {ErrorClass::ambiguous_commit, sqlstate, error.what()};
}

std::optional<std::string> old_server_note(int number, std::string_view version) {
  constexpr int oldest_tested = 140000;
  if (number >= oldest_tested) return std::nullopt;
  return fmt::format(
      "note: PostgreSQL {} is older than 14, the oldest version that Drover is tested with "
      "(docs/dialects.md)",
      version);
}

std::vector<std::string> support_notes(const Connection& connection) {
  std::vector<std::string> notes;
  const DialectTraits& traits = traits_of(connection.dialect());
  if (traits.is_experimental()) {
    notes.push_back(
        fmt::format("note: support for {} is {} (docs/dialects.md)", traits.title, traits.tried));
    return notes;  // its versions are not PostgreSQL's
  }
  const std::string_view version = connection.parameter_status("server_version");
  if (auto note = old_server_note(connection.server_version(), version)) {
    notes.push_back(*std::move(note));
  }
  return notes;
}

}  // namespace drover::database::postgres
