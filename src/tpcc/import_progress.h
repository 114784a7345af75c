// How far an import is: counters that the loading tasks write, and what an observer is told.
//
// Thread safety: all of it belongs to the worker that runs import_warehouses(). An observer must
// not throw.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string_view>

#include "coro/clock.h"
#include "tpcc/schema.h"

namespace drover::tpcc {

struct ImportPlan;

// Rows and bytes as they are handed to the server, warehouses when they are committed.
struct ImportCounters {
  int32_t warehouses = 0;
  std::array<int64_t, all_tables.size()> rows_by_table{};  // by Table
  int64_t bytes = 0;

  int64_t rows() const noexcept {
    return std::accumulate(rows_by_table.begin(), rows_by_table.end(), int64_t{0});
  }
};

struct TableProgress {
  int64_t rows = 0;
  int64_t rows_total = 0;  // of the lines of orders, which are random in number, an estimate
};

// Of this command; what an earlier one loaded is not in it.
struct ImportProgress {
  coro::Duration elapsed{};
  int32_t warehouses = 0;
  int32_t warehouses_total = 0;
  int64_t rows = 0;
  int64_t rows_total = 0;  // an estimate: the lines of orders are random in number
  int64_t bytes = 0;
  std::array<TableProgress, all_tables.size()> tables = {};  // by Table
};

class ImportObserver {
 public:
  virtual ~ImportObserver() = default;

  // Another import works on the schema, or its sessions are still ending; it is waited for.
  virtual void on_wait() {}
  // What is to be done, before anything is.
  virtual void on_plan(const ImportPlan&) {}
  // Every few seconds while warehouses are loaded, and once when they are.
  virtual void on_loading(const ImportProgress&) {}
  // After the load, when a step starts: "primary key order_line_pkey", "analyze stock", ...
  virtual void on_step(std::string_view /*name*/, size_t /*number*/, size_t /*total*/) {}
  // When it is done. Steps run side by side: they do not end in the order in which they start.
  virtual void on_step_done(std::string_view /*name*/, coro::Duration /*took*/) {}
};

}  // namespace drover::tpcc
