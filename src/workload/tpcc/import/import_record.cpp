#include "workload/tpcc/import/import_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <random>
#include <utility>

#include "coro/cancellation.h"
#include "coro/scope.h"
#include "coro/sleep.h"
#include "coro/worker.h"
#include "database/admin_session.h"
#include "database/error.h"
#include "workload/tpcc/sql_text.h"

namespace drover::tpcc {

using coro::Task;
using database::AdminRows;
using database::Error;
using database::ErrorClass;

namespace {

// Returns "1 warehouse is" or "4 warehouses are".
std::string warehouses_are(int32_t count) {
  return count == 1 ? "1 warehouse is" : fmt::format("{} warehouses are", count);
}

// Throws UnfitSchema unless this version of Drover wrote the record.
void require_format(int32_t version, std::string_view schema) {
  if (version == format_version) return;
  throw UnfitSchema(
      fmt::format("another version of drover created these tables (their format is {}, expected "
                  "{}). To start over, {}",
                  version, format_version, advice_to_make_anew(schema)));
}

// Throws UnfitSchema unless the request continues or extends the recorded import.
void require_same_request(const ImportRequest& request, const ImportRecord& record,
                          std::string_view schema) {
  if (request.seed && *request.seed != record.population->seed) {
    throw UnfitSchema(fmt::format(
        "--seed {}: the loaded warehouses have the seed {}. Continue without --seed, or {}",
        *request.seed, record.population->seed, advice_to_make_anew(schema)));
  }
  if (request.warehouses < record.warehouses) {
    throw UnfitSchema(fmt::format(
        "-w {}: this schema has an import of {} {}, which {}. To proceed, {}, or {}",
        request.warehouses, record.warehouses, record.warehouses == 1 ? "warehouse" : "warehouses",
        record.complete ? "was completed" : "is unfinished",
        record.complete ? "drop the tables with 'drover tpcc clean'"
                        : fmt::format("continue with -w {}", record.warehouses),
        advice_to_make_anew(schema)));
  }
}

// Throws UnfitSchema if a table has rows, of which no import has a record.
Task<void> require_empty_tables(AdminSession& session, const std::string& schema) {
  for (const Table table : all_tables) {
    const AdminRows found =
        co_await session.query(fmt::format("SELECT {} FROM {} LIMIT 1", column_names(table).front(),
                                           session.table(table_name(table))));
    if (found.size() == 0) continue;
    throw UnfitSchema(
        fmt::format("the table {} has rows that no import of drover has recorded, and an import "
                    "needs empty tables. To start over, {}",
                    table_name(table), advice_to_make_anew(schema)));
  }
}

void require_tables(const TablesPresent& present, std::string_view schema) {
  if (present.missing.empty()) return;
  const std::string argument = schema_argument(schema);
  throw UnfitSchema(
      fmt::format("the database lacks these TPC-C tables: {}. Create and load them with 'drover "
                  "tpcc init{}' and 'drover tpcc import{}'",
                  names_of(present.missing), argument, argument));
}

void require_complete(const ImportRecord& record, std::string_view schema) {
  if (!record.population || record.complete) return;
  throw UnfitSchema(
      fmt::format("the import is not complete. Continue it with 'drover tpcc import{} -w {}'",
                  schema_argument(schema), record.warehouses));
}

void require_any_warehouse(int32_t warehouses, std::string_view schema) {
  if (warehouses > 0) return;
  throw UnfitSchema(fmt::format("no warehouse is loaded. Load the data with 'drover tpcc import{}'",
                                schema_argument(schema)));
}

// Warehouses are numbered from 1 without a gap: a gap ends the count.
Task<std::int32_t> count_warehouses(AdminSession& session) {
  const AdminRows found = co_await session.query(fmt::format(
      "SELECT w_id FROM {} ORDER BY w_id", session.table(table_name(Table::Warehouse))));
  std::int32_t warehouses = 0;
  for (std::size_t row = 0; row < found.size(); ++row) {
    if (found.number<std::int64_t>(row, "w_id") == warehouses + 1) ++warehouses;
  }
  co_return warehouses;
}

constexpr coro::Duration look_interval = std::chrono::milliseconds(250);

std::string random_name() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}", random(), random());
}

}  // namespace

std::vector<std::string> TablesPresent::names() const {
  std::vector<std::string> names;
  for (const Table table : existing) names.emplace_back(table_name(table));
  if (settings_table) names.emplace_back(tpcc::settings_table);
  if (loaded_table) names.emplace_back(tpcc::loaded_table);
  return names;
}

Task<TablesPresent> read_tables(AdminSession& session) {
  std::vector<std::string> names;
  for (const Table table : all_tables) names.emplace_back(table_name(table));
  names.emplace_back(settings_table);
  names.emplace_back(loaded_table);
  const std::vector<bool> exist = co_await session.tables_exist(std::move(names));
  TablesPresent present;
  for (size_t i = 0; i < all_tables.size(); ++i) {
    (exist[i] ? present.existing : present.missing).push_back(all_tables[i]);
  }
  present.settings_table = exist[all_tables.size()];
  present.loaded_table = exist[all_tables.size() + 1];
  co_return present;
}

std::string names_of(const std::vector<Table>& tables) {
  std::vector<std::string_view> names;
  for (const Table table : tables) names.push_back(table_name(table));
  return fmt::format("{}", fmt::join(names, ", "));
}

Task<std::optional<ImportRecord>> read_record(AdminSession& session, std::string schema) {
  const AdminRows row =
      co_await session.query(fmt::format("SELECT * FROM {}", session.table(settings_table)));
  if (row.size() == 0) co_return std::nullopt;
  require_format(row.number<int32_t>(0, "format_version"), schema);
  ImportRecord record;
  record.foreign_keys = foreign_keys_of(row.text(0, "foreign_keys")).value_or(ForeignKeys::none);
  if (!row.is_null(0, "seed")) {
    record.population = {.seed = row.number<uint64_t>(0, "seed"),
                         .load_time_us = row.number<int64_t>(0, "load_time_us")};
    record.load_constants = {.c_last = row.number<int32_t>(0, "c_last"),
                             .c_id = row.number<int32_t>(0, "c_id"),
                             .ol_i_id = row.number<int32_t>(0, "ol_i_id")};
  }
  record.warehouses = row.number<int32_t>(0, "warehouses");
  record.complete = row.flag(0, "complete");
  for (size_t i = 0; i < index_build_columns.size(); ++i) {
    record.index_builds[i] = row.text(0, index_build_columns[i]);
  }
  co_return record;
}

Task<void> write_record(AdminSession& session, ImportRecord record,
                        std::optional<std::string> owner) {
  const PopulationSeed& population = record.population.value();
  const NurandConstants& constants = record.load_constants;
  std::vector<database::AdminParameter> values = {
      {"$seed", population.seed},      {"$load_time", population.load_time_us},
      {"$c_last", constants.c_last},   {"$c_id", constants.c_id},
      {"$ol_i_id", constants.ol_i_id}, {"$warehouses", record.warehouses},
      {"$complete", record.complete}};
  std::string text = fmt::format(
      "UPDATE {} SET seed = $seed, load_time_us = $load_time, c_last = $c_last, c_id = $c_id, "
      "ol_i_id = $ol_i_id, warehouses = $warehouses, complete = $complete",
      session.table(settings_table));
  if (owner) {
    text += " WHERE import_owner = $owner";
    values.push_back({"$owner", *owner});
  }
  const AdminRows written = co_await session.query(std::move(text), std::move(values));
  if (!owner) require_one_written(written, settings_table);
}

void require_one_written(const AdminRows& written, std::string_view table) {
  require_written(written.written().value_or(1), 1, table);
}

Task<std::vector<LoadedPart>> read_loaded(AdminSession& session) {
  const AdminRows rows = co_await session.query(
      fmt::format("SELECT * FROM {} ORDER BY w_id", session.table(loaded_table)));
  std::vector<LoadedPart> loaded;
  for (size_t row = 0; row < rows.size(); ++row) {
    loaded.push_back({.w_id = rows.number<int32_t>(row, "w_id"),
                      .stage = static_cast<LoadStage>(rows.number<int32_t>(row, "stage"))});
  }
  std::sort(loaded.begin(), loaded.end());
  co_return loaded;
}

std::vector<int32_t> missing_parts(const std::vector<LoadedPart>& loaded, int32_t warehouses) {
  const auto has = [&loaded](int32_t w_id, LoadStage stage) {
    return std::binary_search(loaded.begin(), loaded.end(), LoadedPart{w_id, stage});
  };
  std::vector<int32_t> missing;
  for (int32_t w_id = item_part; w_id <= warehouses; ++w_id) {
    const bool has_stages =
        has(w_id, LoadStage::rest) && (w_id == item_part || has(w_id, LoadStage::indexed));
    if (!has_stages && !has(w_id, LoadStage::whole)) missing.push_back(w_id);
  }
  return missing;
}

Task<BegunImport> plan_import(AdminSession& session, std::string schema, ImportRequest request,
                              bool has_pieces) {
  const std::optional<ImportRecord> recorded = co_await read_record(session, schema);
  if (!recorded) {
    throw UnfitSchema(fmt::format("the table {} is empty. To start over, {}", settings_table,
                                  advice_to_make_anew(schema)));
  }
  BegunImport begun;
  begun.loaded = co_await read_loaded(session);
  begun.recorded_warehouses = recorded->warehouses;
  ImportPlan& plan = begun.plan;
  plan.foreign_keys = recorded->foreign_keys;
  plan.warehouses = request.warehouses;
  plan.missing = missing_parts(begun.loaded, request.warehouses);
  plan.skipped = request.warehouses - plan.warehouses_missing();
  begun.continues = recorded->population && (has_pieces || !begun.loaded.empty());
  if (begun.continues) {
    require_same_request(request, *recorded, schema);
    plan.population = *recorded->population;
    begun.was_complete = recorded->complete && plan.missing.empty();
  } else {
    co_await require_empty_tables(session, schema);
    plan.population = request.fresh_population;
    if (request.seed) plan.population.seed = *request.seed;
  }
  begun.record = *recorded;
  begun.record.population = plan.population;
  begun.record.load_constants = load_constants(plan.population.seed);
  begun.record.warehouses = request.warehouses;
  begun.record.complete = false;
  co_return begun;
}

Task<LoadedDatabase> inspect_loaded(AdminSession& session, std::string schema) {
  const TablesPresent present = co_await read_tables(session);
  require_tables(present, schema);
  LoadedDatabase loaded;
  if (present.settings_table) {
    const std::optional<ImportRecord> record = co_await read_record(session, schema);
    loaded.has_record = record.has_value();
    if (record && record->population) {
      require_complete(*record, schema);
      loaded.load_constants = record->load_constants;
    }
  }
  loaded.warehouses = co_await count_warehouses(session);
  require_any_warehouse(loaded.warehouses, schema);
  co_return loaded;
}

Task<std::int32_t> count_warehouses_to_check(AdminSession& session) {
  const AdminRows found =
      co_await session.query(fmt::format("SELECT COUNT(*) AS present, MAX(w_id) AS newest FROM {}",
                                         session.table(table_name(Table::Warehouse))));
  const auto rows = found.number<std::int64_t>(0, "present");
  const auto newest = found.number<std::int64_t>(0, "newest");
  if (rows == 0) {
    throw Error(ErrorClass::statement, "",
                "the database has no warehouse. Run 'drover tpcc import -w N', or give the "
                "expected number with -w");
  }
  // A gap or two is an offence that condition 1 reports; this is no numbering at all.
  if (newest < 1 || newest > 2 * rows + 100) {
    throw Error(ErrorClass::statement, "",
                fmt::format("warehouses are numbered from 1, but the table has {} rows with w_id "
                            "up to {}. Give the expected number of warehouses with -w",
                            rows, newest));
  }
  co_return static_cast<std::int32_t>(newest);
}

Task<void> require_droppable(AdminSession& session, TablesPresent present, std::string schema) {
  for (const Table table : present.existing) {
    try {
      co_await session.query(fmt::format("SELECT {} FROM {} LIMIT 1", column_names(table).front(),
                                         session.table(table_name(table))));
    } catch (const Error& error) {
      if (!session.is_unknown_column(error)) throw;
      throw UnfitSchema(fmt::format(
          "the table {}{} has no column {}, so it is not a TPC-C table. Nothing was dropped. {} "
          "--schema",
          table_name(table), schema.empty() ? "" : fmt::format(" of {}", schema),
          column_names(table).front(),
          schema.empty() ? "Use another schema for TPC-C with" : "Name another schema with"));
    }
  }
}

std::string schema_argument(std::string_view schema) {
  if (schema.empty()) return "";
  const bool plain = std::all_of(schema.begin(), schema.end(), [](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9') || letter == '_';
  });
  const std::string_view quote = plain ? "" : "\"";
  return fmt::format(" --schema {0}{1}{0}", quote, schema);
}

std::string advice_to_make_anew(std::string_view schema) {
  return fmt::format("create the tables again with 'drover tpcc init --force{}'",
                     schema_argument(schema));
}

void require_no_tables(const TablesPresent& present, bool force, std::string_view place,
                       std::string_view schema) {
  if (present.existing.empty() || force) return;
  throw UnfitSchema(fmt::format(
      "the {} already has TPC-C tables ({}). Drop them with 'drover tpcc clean{}', or replace them "
      "with 'drover tpcc init --force{}'",
      place, names_of(present.existing), schema_argument(schema), schema_argument(schema)));
}

void require_initialised(const TablesPresent& present, std::string_view schema) {
  const bool ours = present.settings_table && present.loaded_table;
  if (ours && present.missing.empty()) return;
  if (present.existing.empty()) {
    throw UnfitSchema(
        fmt::format("the database has no TPC-C tables. Create them with 'drover tpcc init{}'",
                    schema_argument(schema)));
  }
  if (ours) {
    throw UnfitSchema(fmt::format("tables are missing ({}). To start over, {}",
                                  names_of(present.missing), advice_to_make_anew(schema)));
  }
  throw UnfitSchema(
      fmt::format("the existing tables ({}) were not all created by 'drover tpcc init', and an "
                  "import needs the records of this command. To start over, {}",
                  names_of(present.existing), advice_to_make_anew(schema)));
}

void refuse_to_load_again(const ImportRecord& record, std::string_view schema) {
  throw UnfitSchema(
      fmt::format("{} already loaded, so there is nothing to import. To add warehouses, use a "
                  "larger -w. To start over, {}",
                  warehouses_are(record.warehouses), advice_to_make_anew(schema)));
}

void require_warehouses(const LoadedDatabase& loaded, int32_t wanted, std::string_view schema) {
  if (wanted <= loaded.warehouses) return;
  throw UnfitSchema(fmt::format(
      "-w {}: {} loaded. Use -w {} or fewer, or load more with 'drover tpcc import{} -w {}'{}",
      wanted, warehouses_are(loaded.warehouses), loaded.warehouses, schema_argument(schema), wanted,
      loaded.load_constants
          ? ""
          : " (after 'drover tpcc init --force', because another tool loaded these)"));
}

void refuse_missing_tables(std::string_view missing, std::string_view sqlstate,
                           std::string_view place, std::string_view option) {
  throw Error(
      ErrorClass::statement, std::string(sqlstate),
      fmt::format("{} {} not found in {}. Run 'drover tpcc init' and 'drover tpcc import', "
                  "or name the {} with --schema",
                  missing.find(',') == missing.npos ? "table" : "tables", missing, place, option));
}

ImportClaim::ImportClaim(AdminSession& session, ClaimTimes times)
    : session_(session), times_(times), ours_{random_name(), 0} {}

void ImportClaim::require(bool is_ours) {
  if (is_ours) return;
  throw Error(
      ErrorClass::statement, "",
      "another import has taken over, because this import was silent for too long, or the tables "
      "were created again, because 'drover tpcc init --force' has run in the meantime");
}

Task<std::optional<ImportClaim::Holder>> ImportClaim::read() {
  const AdminRows row = co_await session_.query(fmt::format(
      "SELECT import_owner, import_beat FROM {} WHERE id = 1", session_.table(settings_table)));
  if (row.size() == 0) co_return std::nullopt;
  co_return Holder{std::string(row.text(0, "import_owner")),
                   row.number<std::int64_t>(0, "import_beat")};
}

// Writes `next` if the row is as it was seen, and returns what the row says then. Reads the row
// again, because servers of YDB before 2026 may answer RETURNING with rows that do not exist.
Task<std::optional<ImportClaim::Holder>> ImportClaim::exchange(Holder seen, Holder next) {
  co_await session_.query(
      fmt::format("UPDATE {} SET import_owner = $owner, import_beat = $beat WHERE id = 1 AND "
                  "COALESCE(import_owner, $none) = $seen AND COALESCE(import_beat, $zero) = "
                  "$seen_beat",
                  session_.table(settings_table)),
      {{"$owner", next.owner},
       {"$beat", next.beat},
       {"$none", std::string()},
       {"$seen", seen.owner},
       {"$zero", std::int64_t{0}},
       {"$seen_beat", seen.beat}});
  co_return co_await read();
}

// Returns true if the row names the owner of `next` after the update. Only the row tells whether
// the update succeeded, because its answer may be lost and the update repeated.
Task<bool> ImportClaim::replace(Holder seen, Holder next) {
  const std::optional<Holder> now = co_await exchange(std::move(seen), next);
  const bool done = now && now->owner == next.owner;
  if (done) ours_.beat = now->beat;
  co_return done;
}

Task<void> ImportClaim::take(std::string schema, std::function<void()> on_wait) {
  std::optional<Holder> seen = co_await read();
  const coro::Instant since = coro::Worker::current().now();
  while (seen) {
    const bool silent = coro::Worker::current().now() - since >= times_.watch;
    if (silent || seen->owner.empty()) {
      const bool taken = co_await replace(*seen, {ours_.owner, 0});
      if (taken) co_return;
    } else {
      if (on_wait) std::exchange(on_wait, {})();
      co_await coro::sleep_for(look_interval);
    }
    const std::optional<Holder> now = co_await read();
    if (now && now->owner == ours_.owner) co_return;
    if (now && now != seen && !now->owner.empty()) {
      throw UnfitSchema(
          fmt::format("another import is running on these tables. Wait for its end, then continue "
                      "with 'drover tpcc import{}' if data are missing",
                      schema_argument(schema)));
    }
    seen = now;
  }
}

Task<void> ImportClaim::hold(std::string schema, std::function<void()> on_wait,
                             std::function<Task<void>()> work) {
  auto body = [&](coro::Scope& scope) -> Task<void> {
    scope.start(keep());
    co_await work();
    scope.cancel();
  };
  std::exception_ptr end;
  try {
    co_await take(std::move(schema), std::move(on_wait));
    co_await coro::with_scope(body);
  } catch (...) {
    end = std::current_exception();
  }
  co_await release();
  if (end) std::rethrow_exception(end);
}

Task<void> ImportClaim::keep() {
  for (;;) {
    co_await coro::sleep_for(times_.beat);
    // Not cancelled when the work ends, because release() needs the session.
    coro::CancelSource own(coro::Worker::current());
    const bool kept = co_await replace(ours_, {ours_.owner, ours_.beat + 1}).under(own);
    require(kept);
  }
}

Task<void> ImportClaim::give_up() {
  const std::optional<Holder> now = co_await read();
  if (now && now->owner == ours_.owner) co_await exchange(*now, {{}, now->beat});
}

Task<void> ImportClaim::write(ImportRecord record) {
  co_await write_record(session_, std::move(record), ours_.owner);
  const std::optional<Holder> now = co_await read();
  require(now && now->owner == ours_.owner);
}

Task<void> ImportClaim::release() {
  return database::finish_in_time(give_up(), times_.release);
}

}  // namespace drover::tpcc
