#include "workload/tpcc/import/import.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "coro/scope.h"
#include "coro/sleep.h"
#include "coro/worker.h"
#include "text/sentence.h"

namespace drover::tpcc {

using coro::Task;

std::string_view foreign_keys_name(ForeignKeys foreign_keys) noexcept {
  return foreign_keys == ForeignKeys::none ? "none" : "after-load";
}

std::optional<ForeignKeys> foreign_keys_of(std::string_view name) noexcept {
  for (const ForeignKeys foreign_keys : {ForeignKeys::none, ForeignKeys::after_load}) {
    if (name == foreign_keys_name(foreign_keys)) return foreign_keys;
  }
  return std::nullopt;
}

int32_t ImportPlan::warehouses_missing() const noexcept {
  const bool item = !missing.empty() && missing.front() == item_part;
  return static_cast<int32_t>(missing.size()) - (item ? 1 : 0);
}

ImportPart part_of(const ImportPlan& plan, size_t begin, size_t end) {
  ImportPart part{.population = plan.population, .ranges = {}};
  for (size_t place = begin; place < end; ++place) {
    const auto next = static_cast<uint32_t>(plan.missing[place]);
    if (part.ranges.empty() || part.ranges.back().last + 1 != next) {
      part.ranges.push_back({next, next});
    } else {
      part.ranges.back().last = next;
    }
  }
  return part;
}

ImportPlan plan_of(const ImportPart& part) {
  ImportPlan plan;
  plan.population = part.population;
  for (const PartRange& range : part.ranges) {
    for (uint32_t next = range.first; next <= range.last; ++next) {
      plan.missing.push_back(static_cast<int32_t>(next));
    }
  }
  plan.warehouses = plan.warehouses_missing();
  return plan;
}

void ImportProgress::add(const ImportProgress& other) noexcept {
  warehouses += other.warehouses;
  warehouses_total += other.warehouses_total;
  rows += other.rows;
  rows_total += other.rows_total;
  bytes += other.bytes;
  for (size_t table = 0; table < tables.size(); ++table) {
    tables[table].rows += other.tables[table].rows;
    tables[table].rows_total += other.tables[table].rows_total;
  }
}

void require_none_left(size_t left, size_t of) {
  if (left == 0) return;
  throw database::Error(
      database::ErrorClass::statement, "",
      fmt::format("{} of {} parts of the data are not loaded, although all hosts have ended", left,
                  of));
}

void ImportWork::begin(ImportPlan plan) {
  outcome_.plan = std::move(plan);
  planned_ = true;
  progress_.warehouses_total = outcome_.plan.warehouses_missing();
  observer_.on_plan(outcome_.plan);
}

void ImportWork::start() noexcept {
  start_ = coro::Worker::current().now();
}

void ImportWork::expect(Table table) noexcept {
  const int64_t rows = rows_at_load(table, 1);
  progress_.tables[static_cast<size_t>(table)].rows_total += rows;
  progress_.rows_total += rows;
}

void ImportWork::count(Table table, int64_t rows, int64_t bytes) noexcept {
  progress_.tables[static_cast<size_t>(table)].rows += rows;
  progress_.rows += rows;
  progress_.bytes += bytes;
}

void ImportWork::show(const ImportProgress& all) noexcept {
  const int32_t warehouses_total = progress_.warehouses_total;
  progress_ = all;
  progress_.warehouses_total = warehouses_total;
}

Task<void> ImportWork::load(Task<void> loading) {
  auto body = [&](coro::Scope& scope) -> Task<void> {
    scope.start(report_progress());
    co_await std::move(loading);
    scope.cancel();
  };
  co_await coro::with_scope(body);
  outcome_.load_time = coro::Worker::current().now() - start_;
  tell_progress();
}

Task<void> ImportWork::report_progress() {
  for (;;) {
    co_await coro::sleep_for(progress_interval_);
    tell_progress();
  }
}

void ImportWork::tell_progress() {
  progress_.elapsed = coro::Worker::current().now() - start_;
  observer_.on_loading(progress_);
}

ImportOutcome ImportWork::end() {
  outcome_.finish_time = coro::Worker::current().now() - start_ - outcome_.load_time;
  outcome_.rows = progress_.rows;
  outcome_.bytes = progress_.bytes;
  return outcome_;
}

database::Error ImportWork::explained(const database::Error& error) const {
  if (!planned_) return error;
  return {error.error_class(), error.sqlstate(),
          fmt::format("{} The import stopped with {} of {} warehouses loaded. Repeat the same "
                      "command to continue from there",
                      text::sentence(error.what()), outcome_.plan.skipped + progress_.warehouses,
                      outcome_.plan.warehouses)};
}

namespace {

// For messages: "1 warehouse is", "4 warehouses are".
std::string warehouses_are(int32_t count) {
  return count == 1 ? "1 warehouse is" : fmt::format("{} warehouses are", count);
}

}  // namespace

size_t TablesPresent::table_count() const noexcept {
  return static_cast<size_t>(std::count(tables.begin(), tables.end(), true));
}

std::string TablesPresent::tables_that_exist(bool exist) const {
  std::string names;
  for (size_t index = 0; index < tables.size(); ++index) {
    if (tables[index] != exist) continue;
    if (!names.empty()) names += ", ";
    names += table_name(all_tables[index]);
  }
  return names;
}

std::vector<std::string> TablesPresent::names() const {
  std::vector<std::string> names;
  for (size_t index = 0; index < tables.size(); ++index) {
    if (tables[index]) names.emplace_back(table_name(all_tables[index]));
  }
  if (settings_table) names.emplace_back(tpcc::settings_table);
  if (loaded_table) names.emplace_back(tpcc::loaded_table);
  return names;
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

void require_format(int32_t version, std::string_view schema) {
  if (version == format_version) return;
  throw UnfitSchema(
      fmt::format("another version of drover created these tables (their format is {}, expected "
                  "{}). To start over, {}",
                  version, format_version, advice_to_make_anew(schema)));
}

void require_initialised(const TablesPresent& present, std::string_view schema) {
  const bool ours = present.settings_table && present.loaded_table;
  if (ours && present.table_count() == all_tables.size()) return;
  if (present.table_count() == 0) {
    throw UnfitSchema(
        fmt::format("the database has no TPC-C tables. Create them with 'drover tpcc init{}'",
                    schema_argument(schema)));
  }
  if (ours) {
    throw UnfitSchema(fmt::format("tables are missing ({}). To start over, {}",
                                  present.tables_that_exist(false), advice_to_make_anew(schema)));
  }
  throw UnfitSchema(
      fmt::format("the existing tables ({}) were not all created by 'drover tpcc init', and an "
                  "import needs its records. To start over, {}",
                  present.tables_that_exist(true), advice_to_make_anew(schema)));
}

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
        record.complete ? "drop them with 'drover tpcc clean'"
                        : fmt::format("continue with -w {}", record.warehouses),
        advice_to_make_anew(schema)));
  }
}

void refuse_foreign_table(Table table, std::string_view schema) {
  throw UnfitSchema(fmt::format(
      "the table {}{} has no column {}, so it is not a TPC-C table. Nothing was dropped. {} "
      "--schema",
      table_name(table), schema.empty() ? "" : fmt::format(" of {}", schema),
      column_names(table).front(),
      schema.empty() ? "Use another schema for TPC-C with" : "Name another schema with"));
}

void refuse_unrecorded_rows(Table table, std::string_view schema) {
  throw UnfitSchema(
      fmt::format("the table {} has rows that no import of drover has recorded, and an import "
                  "needs empty tables. To start over, {}",
                  table_name(table), advice_to_make_anew(schema)));
}

void refuse_to_load_again(const ImportRecord& record, std::string_view schema) {
  throw UnfitSchema(
      fmt::format("{} already loaded, so there is nothing to import. To add warehouses, use a "
                  "larger -w. To start over, {}",
                  warehouses_are(record.warehouses), advice_to_make_anew(schema)));
}

void require_tables(const TablesPresent& present, std::string_view schema) {
  if (present.table_count() == all_tables.size()) return;
  const std::string argument = schema_argument(schema);
  throw UnfitSchema(
      fmt::format("the database lacks these TPC-C tables: {}. Create and load them with 'drover "
                  "tpcc init{}' and 'drover tpcc import{}'",
                  present.tables_that_exist(false), argument, argument));
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

void require_warehouses(const LoadedDatabase& loaded, int32_t wanted, std::string_view schema) {
  if (wanted <= loaded.warehouses) return;
  throw UnfitSchema(fmt::format(
      "-w {}: {} loaded. Use -w {} or fewer, or load more with 'drover tpcc import{} -w {}'{}",
      wanted, warehouses_are(loaded.warehouses), loaded.warehouses, schema_argument(schema), wanted,
      loaded.load_constants
          ? ""
          : " (after 'drover tpcc init --force', because another tool loaded these)"));
}

}  // namespace drover::tpcc
