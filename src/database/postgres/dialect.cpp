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

constexpr std::array three_levels = {Isolation::read_committed, Isolation::repeatable_read,
                                     Isolation::serializable};
constexpr std::array strictest_first = {Isolation::serializable, Isolation::repeatable_read,
                                        Isolation::read_committed};
constexpr std::array only_snapshots = {Isolation::repeatable_read};
constexpr std::array serializable_or_snapshots = {Isolation::serializable,
                                                  Isolation::repeatable_read};

// Out of memory of a node, and a read that has to begin anew or a catalogue that has moved on.
constexpr std::array<std::string_view, 2> retryable_in_yugabyte = {"53200", "XX000"};

constexpr std::array<DialectTraits, 6> all_traits = {{
    {.dialect = Dialect::postgres,
     .name = "postgres",
     .title = "PostgreSQL",
     .isolations = three_levels},
    {.dialect = Dialect::cockroach,
     .name = "cockroach",
     .title = "CockroachDB",
     .isolations = strictest_first,
     .ddl_in_transactions = false,
     .keys_with_table = true,
     .advisory_locks = false,
     .shared_snapshots = false,
     .processes = false,
     .session_end = SessionEnd::cancel,
     .rows_a_transaction = 20'000},
    {.dialect = Dialect::yugabyte,
     .name = "yugabyte",
     .title = "YugabyteDB",
     .isolations = three_levels,
     .ddl_in_transactions = false,
     .keys_with_table = true,
     .advisory_locks = false,  // before 2025.1
     .rows_a_transaction = 20'000,
     .load_setting = "SET yb_default_copy_from_rows_per_transaction = 0",
     .retryable = retryable_in_yugabyte},
    {.dialect = Dialect::citus,
     .name = "citus",
     .title = "Citus",
     .isolations = three_levels,
     .ddl_in_transactions = false,
     .keys_with_table = true,
     .foreign_keys = false,
     .shared_snapshots = false},
    {.dialect = Dialect::dsql,
     .name = "dsql",
     .title = "Aurora DSQL",
     .isolations = only_snapshots,
     .sets_isolation = false,
     .ddl_in_transactions = false,
     .keys_with_table = true,
     .foreign_keys = false,
     .advisory_locks = false,
     .savepoints = false,
     .shared_snapshots = false,
     .processes = false,
     .session_end = SessionEnd::none,
     .rows_a_transaction = 3'000,
     .bytes_a_transaction = 8 << 20},  // of 10 MiB
    {.dialect = Dialect::spanner,
     .name = "spanner",
     .title = "Spanner (PGAdapter)",
     .isolations = serializable_or_snapshots,
     .ddl_in_transactions = false,
     .postgres_catalogue = false,
     .keys_with_table = true,
     .foreign_keys = false,
     .advisory_locks = false,
     .savepoints = false,
     .shared_snapshots = false,
     .analyze = false,
     .wide_integers = true,
     .processes = false,
     .session_end = SessionEnd::none,
     .rows_a_transaction = 2'000,
     .cells_a_transaction = 60'000},  // of 80,000 mutations, which indexes have, too
}};

// Returns true if the query returns a row. Returns false, too, if the server does not know the
// query or the role may not execute it.
Task<bool> has_row(Connection& connection, std::string sql) {
  try {
    const Result found = co_await connection.query(std::move(sql));
    co_return found.rows() > 0;
  } catch (const Error& error) {
    const bool no_answer =
        error.error_class() == ErrorClass::statement || error.error_class() == ErrorClass::denied;
    if (!no_answer || connection.broken()) throw;
  }
  co_return false;
}

}  // namespace

const DialectTraits& traits_of(Dialect dialect) noexcept {
  return all_traits[static_cast<std::size_t>(dialect)];
}

std::optional<Dialect> dialect_of(std::string_view name) noexcept {
  const auto found = std::ranges::find(all_traits, name, &DialectTraits::name);
  if (found == all_traits.end()) return std::nullopt;
  return found->dialect;
}

std::string dialect_names() {
  std::vector<std::string_view> names;
  for (const DialectTraits& traits : all_traits) names.push_back(traits.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

Task<Dialect> find_dialect(Connection& connection) {
  const Result version = co_await connection.query("SELECT version()");
  const std::string said(version.rows() == 1 ? version.text(0, 0) : "");
  if (said.find("CockroachDB") != said.npos) co_return Dialect::cockroach;
  if (said.find("-YB-") != said.npos) co_return Dialect::yugabyte;
  // What only they have. They say to be a PostgreSQL.
  const std::pair<Dialect, const char*> signs[] = {
      {Dialect::citus, "SELECT 1 FROM pg_extension WHERE extname = 'citus'"},
      {Dialect::dsql,
       "SELECT 1 FROM information_schema.tables WHERE table_schema = 'sys' AND table_name = "
       "'jobs'"},
      {Dialect::spanner, "SELECT 1 FROM pg_settings WHERE name = 'spanner.autocommit_dml_mode'"}};
  for (const auto& [dialect, sql] : signs) {
    const bool is_it = co_await has_row(connection, sql);
    if (is_it) co_return dialect;
  }
  co_return Dialect::postgres;
}

namespace {

bool is_retried_there(Dialect dialect, const Error& error) {
  const auto retryable = traits_of(dialect).retryable;
  return std::ranges::find(retryable, error.sqlstate()) != retryable.end();
}

}  // namespace

Error in_dialect(Dialect dialect, Error error) {
  if (error.error_class() != ErrorClass::statement || !is_retried_there(dialect, error)) {
    return error;
  }
  return {ErrorClass::retryable, error.sqlstate(), error.what(), error.backoff()};
}

Error of_a_commit(Dialect dialect, Error error) {
  if (error.error_class() != ErrorClass::retryable || !is_retried_there(dialect, error)) {
    return error;
  }
  return {ErrorClass::ambiguous_commit, error.sqlstate(), error.what()};
}

std::string dialect_note(Dialect dialect) {
  return fmt::format(
      "note: the server is {}: what Drover does otherwise there follows from its documentation "
      "and has not been tried against a server of it (docs/dialects.md)",
      traits_of(dialect).title);
}

Isolation choose_isolation(Dialect dialect, std::optional<Isolation> wanted) {
  const DialectTraits& traits = traits_of(dialect);
  if (!wanted) return traits.isolations.front();
  if (std::ranges::find(traits.isolations, *wanted) != traits.isolations.end()) return *wanted;
  std::vector<std::string_view> names;
  for (const Isolation one : traits.isolations) names.push_back(isolation_name(one));
  throw Error(ErrorClass::statement, "",
              fmt::format("--isolation: {} has no {}; it has {}", traits.title,
                          isolation_name(*wanted), fmt::join(names, ", ")));
}

}  // namespace drover::database::postgres
