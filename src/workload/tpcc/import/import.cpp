#include "workload/tpcc/import/import.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "coro/scope.h"
#include "coro/sleep.h"
#include "coro/worker.h"
#include "text/plain_text.h"

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
          fmt::format("{} The import stopped with {} of {} warehouses loaded. To continue from "
                      "there, repeat the same command",
                      text::sentence(error.what()), outcome_.plan.skipped + progress_.warehouses,
                      outcome_.plan.warehouses)};
}

}  // namespace drover::tpcc
