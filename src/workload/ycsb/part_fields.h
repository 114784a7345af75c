// The parts of a load and of a check that go from one host to another, what comes of them, and what one host has found
// out for all, described as
// settings/field.h says. Constants only, for any thread.
#pragma once

#include "settings/field.h"
#include "workload/ycsb/database.h"

namespace drover::ycsb {

using settings::Of;

// Without the times, which are the observer's own.
void describe(auto& visit, Of<LoadProgress> auto& progress) {
  visit.field("rows_there", progress.rows_there, settings::count);
  visit.field("rows", progress.rows, settings::count);
  visit.field("rows_total", progress.rows_total, settings::count);
  visit.field("bytes", progress.bytes, settings::count);
}

// Without the share, which each host has of the whole load.
void describe(auto& visit, Of<CheckPart> auto& part) {
  visit.field("snapshot", part.snapshot, settings::name);
  visit.field("table_size", part.table_size, settings::count);
}

void describe(auto& visit, Of<TableSums> auto& sums) {
  visit.field("rows", sums.rows, settings::count);
  visit.field("versions", sums.versions, settings::any_whole);
}

void describe(auto& visit, Of<TableContents> auto& contents) {
  visit.field("values", contents.values, settings::only("counted|stamped|foreign"));
  visit.field("sums", contents.sums);
}

void describe(auto& visit, Of<WrongValue> auto& wrong) {
  visit.field("key", wrong.key, settings::sentence);
  visit.field("field", wrong.field, settings::sentence);
  visit.field("what", wrong.what, settings::sentence);
}

void describe(auto& visit, Of<CheckReport> auto& report) {
  visit.field("rows", report.rows, settings::count);
  visit.field("values", report.values, settings::count);
  visit.field("values_wrong", report.values_wrong, settings::count);
  visit.field("first_wrong", report.first_wrong);
  visit.field("version_max", report.version_max, settings::count);
  visit.field("versions", report.versions, settings::count);
  visit.field("pieces", report.pieces, settings::count);
  visit.field("snapshot_refusal", report.snapshot_refusal, settings::sentence);
}

}  // namespace drover::ycsb
