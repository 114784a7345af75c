// The messages by which hosts divide an import or a check among them, described as in
// settings/field.h. Constants only, for any thread.
#pragma once

#include <string_view>

#include "settings/field.h"
#include "workload/tpcc/check/check_work.h"
#include "workload/tpcc/import/import.h"

namespace drover::tpcc {

using settings::Of;

inline constexpr settings::Whole part_number{static_cast<std::uint64_t>(warehouses_max)};

void describe(auto& visit, Of<PopulationSeed> auto& population) {
  visit.field("seed", population.seed, settings::any_whole);
  visit.field("load_time_us", population.load_time_us, settings::amount);
}

void describe(auto& visit, Of<PartRange> auto& range) {
  visit.field("first", range.first, part_number);
  visit.field("last", range.last, part_number);
}

void describe(auto& visit, Of<ImportPart> auto& part) {
  visit.field("population", part.population);
  visit.field("ranges", part.ranges);
}

void describe(auto& visit, Of<TableProgress> auto& table) {
  visit.field("rows", table.rows, settings::amount);
  visit.field("rows_total", table.rows_total, settings::amount);
}

// Does not contain the time, which the observer measures.
void describe(auto& visit, Of<ImportProgress> auto& progress) {
  visit.field("warehouses", progress.warehouses, settings::amount);
  visit.field("warehouses_total", progress.warehouses_total, settings::amount);
  visit.field("rows", progress.rows, settings::amount);
  visit.field("rows_total", progress.rows_total, settings::amount);
  visit.field("bytes", progress.bytes, settings::amount);
  visit.within("tables", "", settings::Need::required, [&](auto& tables) {
    for (const Table table : all_tables) {
      tables.field(table_name(table).data(), progress.tables[static_cast<std::size_t>(table)]);
    }
  });
}

void describe(auto& visit, Of<CheckPart> auto& part) {
  visit.field("snapshot", part.snapshot, settings::name);
  visit.field("warehouses", part.warehouses, part_number);
  visit.field("after_import", part.after_import, settings::flag);
  visit.field("money", part.money, settings::only("exact|floating"));
  visit.field("sessions", part.sessions, settings::objects);
  visit.field("pieces", part.pieces, settings::count);
}

void describe(auto& visit, Of<Offender> auto& offender) {
  visit.field("key", offender.key, settings::sentence);
  visit.field("expected", offender.expected, settings::sentence);
  visit.field("found", offender.found, settings::sentence);
}

void describe(auto& visit, Of<PieceVerdict> auto& verdict) {
  visit.field("piece", verdict.piece, settings::count);
  visit.field("offenders", verdict.answer.offenders, settings::amount);
  visit.field("first", verdict.answer.first);
  visit.field("error", verdict.answer.error, settings::sentence);
  visit.field("took_us", verdict.took_us, settings::amount);
}

}  // namespace drover::tpcc
