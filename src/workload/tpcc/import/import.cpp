#include "workload/tpcc/import/import.h"

#include <fmt/format.h>

#include <utility>

#include "coro/scope.h"
#include "coro/sleep.h"
#include "coro/worker.h"

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
          fmt::format("{}; the import stopped with {} of {} warehouses loaded; the same command "
                      "goes on from there",
                      error.what(), outcome_.plan.skipped + progress_.warehouses,
                      outcome_.plan.warehouses)};
}

}  // namespace drover::tpcc
