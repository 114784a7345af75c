#include "tpcc/import_record.h"

#include <fmt/format.h>

#include <algorithm>

#include "tpcc/unfit_schema.h"

namespace drover::tpcc {

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

std::string advice_to_make_anew(std::string_view schema) {
  return fmt::format("make the tables anew with 'drover tpcc init --force{}'",
                     schema_argument(schema));
}

void require_format(int32_t version, std::string_view schema) {
  if (version == format_version) return;
  throw UnfitSchema(
      fmt::format("the tables were made by another version of drover (their format is {}, expected "
                  "{}): {}",
                  version, format_version, advice_to_make_anew(schema)));
}

void require_initialised(const TablesPresent& present, std::string_view schema) {
  const bool ours = present.settings_table && present.loaded_table;
  if (ours && present.table_count() == all_tables.size()) return;
  if (present.table_count() == 0) {
    throw UnfitSchema(
        fmt::format("not initialised: there are no tables of TPC-C here; run 'drover tpcc init{}'",
                    schema_argument(schema)));
  }
  if (ours) {
    throw UnfitSchema(fmt::format("tables are missing ({}): {}", present.tables_that_exist(false),
                                  advice_to_make_anew(schema)));
  }
  throw UnfitSchema(
      fmt::format("the tables that there are ({}) were not made by 'drover tpcc init', or not all "
                  "of them, and an import needs its records: {}",
                  present.tables_that_exist(true), advice_to_make_anew(schema)));
}

void require_same_request(const ImportRequest& request, const ImportRecord& record,
                          std::string_view schema) {
  if (request.seed && *request.seed != record.population->seed) {
    throw UnfitSchema(fmt::format(
        "--seed {}: the warehouses that are loaded come from seed {}; go on without --seed, or {}",
        *request.seed, record.population->seed, advice_to_make_anew(schema)));
  }
  if (request.warehouses < record.warehouses) {
    throw UnfitSchema(
        fmt::format("-w {}: an import of {} {} {} here; {}, or {}", request.warehouses,
                    record.warehouses, record.warehouses == 1 ? "warehouse" : "warehouses",
                    record.complete ? "was done" : "was begun",
                    record.complete ? "clear them with 'drover tpcc clean'"
                                    : fmt::format("go on with -w {}", record.warehouses),
                    advice_to_make_anew(schema)));
  }
}

void refuse_unrecorded_rows(Table table, std::string_view schema) {
  throw UnfitSchema(
      fmt::format("table {} holds rows that no import of drover has recorded; an import needs "
                  "empty tables: {}",
                  table_name(table), advice_to_make_anew(schema)));
}

void refuse_to_load_again(const ImportRecord& record, std::string_view schema) {
  throw UnfitSchema(
      fmt::format("{} loaded already, there is nothing to import: a larger -w adds "
                  "warehouses, or {}",
                  record.warehouses == 1 ? "1 warehouse is"
                                         : fmt::format("{} warehouses are", record.warehouses),
                  advice_to_make_anew(schema)));
}

void require_tables(const TablesPresent& present, std::string_view schema) {
  if (present.table_count() == all_tables.size()) return;
  const std::string argument = schema_argument(schema);
  throw UnfitSchema(
      fmt::format("the database is not initialised: no table {}; see drover tpcc init{} and drover "
                  "tpcc import{}",
                  present.tables_that_exist(false), argument, argument));
}

void require_complete(const ImportRecord& record, std::string_view schema) {
  if (!record.population || record.complete) return;
  throw UnfitSchema(
      fmt::format("the import is not complete; go on with it: drover tpcc import{} -w {}",
                  schema_argument(schema), record.warehouses));
}

void require_any_warehouse(int32_t warehouses, std::string_view schema) {
  if (warehouses > 0) return;
  throw UnfitSchema(
      fmt::format("no warehouse is loaded; see drover tpcc import{}", schema_argument(schema)));
}

}  // namespace drover::tpcc
