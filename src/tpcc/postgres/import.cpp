#include "tpcc/postgres/import.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "coro/scope.h"
#include "coro/sleep.h"
#include "tpcc/postgres/import_finish.h"
#include "tpcc/postgres/import_load.h"
#include "tpcc/postgres/import_plan.h"
#include "tpcc/postgres/import_session.h"
#include "tpcc/unfit_schema.h"

namespace drover::tpcc::postgres {
namespace {

using coro::Task;
using database::Error;
using database::postgres::Connection;

constexpr coro::Duration lock_retry_interval = std::chrono::milliseconds(250);

Task<void> lock_import(Connection& connection, const ImportOptions& options,
                       ImportObserver& observer) {
  const coro::Instant give_up = coro::Worker::current().now() + options.lock_wait_max;
  for (bool first = true;; first = false) {
    const bool locked = co_await try_lock_import(connection, options.schema);
    if (locked) co_return;
    if (coro::Worker::current().now() >= give_up) {
      throw UnfitSchema(
          "another import works on this schema (it holds the advisory lock): wait for its end");
    }
    if (first) observer.on_wait();
    co_await coro::sleep_for(lock_retry_interval);
  }
}

// The whole of one call.
class Import {
 public:
  Import(ImportOptions options, ImportObserver& observer)
      : options_(std::move(options)), observer_(observer) {}

  Task<ImportOutcome> run();

  // For the message of an error: what is there when it ends early.
  std::string how_far() const;

 private:
  Task<void> load();
  Task<void> report_progress();
  ImportProgress progress() const;

  ImportOptions options_;
  ImportObserver& observer_;
  ImportCounters counters_;
  ImportOutcome outcome_;
  coro::Instant start_{};
  bool planned_ = false;
};

ImportProgress Import::progress() const {
  ImportProgress progress;
  progress.elapsed = coro::Worker::current().now() - start_;
  progress.warehouses = counters_.warehouses;
  progress.warehouses_total = outcome_.plan.warehouses_missing();
  progress.rows = counters_.rows();
  const bool with_item =
      !outcome_.plan.missing.empty() && outcome_.plan.missing.front() == item_part;
  for (const Table table : all_tables) {
    const auto index = static_cast<size_t>(table);
    TableProgress& one = progress.tables[index];
    one.rows = counters_.rows_by_table[index];
    const bool shared = table == Table::Item;  // by all warehouses
    if (!shared) one.rows_total = rows_at_load(table, 1) * progress.warehouses_total;
    if (shared && with_item) one.rows_total = rows_at_load(table, 1);
    progress.rows_total += one.rows_total;
  }
  progress.bytes = counters_.bytes;
  return progress;
}

Task<void> Import::report_progress() {
  for (;;) {
    co_await coro::sleep_for(options_.progress_interval);
    observer_.on_loading(progress());
  }
}

Task<void> Import::load() {
  const LoadOptions load_options{options_.conninfo, options_.schema, options_.connections,
                                 options_.threads};
  auto body = [&](coro::Scope& scope) -> Task<void> {
    scope.start(report_progress());
    co_await load_parts(load_options, outcome_.plan, counters_);
    scope.cancel();
  };
  co_await coro::with_scope(body);
  observer_.on_loading(progress());
}

Task<ImportOutcome> Import::run() {
  // Holds the lock as long as the import takes.
  const std::unique_ptr<Connection> connection = co_await Connection::open(options_.conninfo);
  co_await require_initialised(*connection, options_.schema);
  co_await lock_import(*connection, options_, observer_);
  outcome_.plan = co_await begin_import(*connection, options_.schema, options_.request);
  planned_ = true;
  observer_.on_plan(outcome_.plan);

  start_ = coro::Worker::current().now();
  if (!outcome_.plan.missing.empty()) co_await load();
  const coro::Instant loaded = coro::Worker::current().now();
  outcome_.load_time = loaded - start_;

  const FinishOptions finish_options{options_.conninfo, options_.schema, outcome_.plan.foreign_keys,
                                     options_.connections};
  co_await finish_import(finish_options, observer_);
  co_await complete_import(*connection, options_.schema);
  outcome_.finish_time = coro::Worker::current().now() - loaded;
  outcome_.rows = counters_.rows();
  outcome_.bytes = counters_.bytes;
  co_return outcome_;
}

std::string Import::how_far() const {
  if (!planned_) return "";
  return fmt::format(
      "; the import stopped with {} of {} warehouses loaded; the same command goes on from there",
      outcome_.plan.skipped + counters_.warehouses, outcome_.plan.warehouses);
}

}  // namespace

Task<ImportOutcome> import_warehouses(ImportOptions options, ImportObserver& observer) {
  Import import(std::move(options), observer);
  try {
    co_return co_await import.run();
  } catch (const Error& error) {
    throw Error(error.error_class(), error.sqlstate(), error.what() + import.how_far());
  }
}

}  // namespace drover::tpcc::postgres
