#include "tpcc/ydb/import.h"

#include <fmt/format.h>

#include <exception>
#include <string>
#include <utility>

#include "coro/event.h"
#include "coro/scope.h"
#include "coro/sleep.h"
#include "coro/worker.h"
#include "tpcc/ydb/database_access.h"
#include "tpcc/ydb/import_load.h"
#include "tpcc/ydb/import_plan.h"
#include "tpcc/ydb/index_build.h"

namespace drover::tpcc::ydb {
namespace {

using coro::Task;
using database::Error;

// The whole of one call.
class Import {
 public:
  Import(ImportOptions options, ImportObserver& observer)
      : options_(std::move(options)), observer_(observer) {}

  // Under a claim of its own.
  Task<void> run(DatabaseAccess& access);

  const ImportOutcome& outcome() const noexcept { return outcome_; }

  // For the message of an error: what is there when it ends early.
  std::string how_far() const;

 private:
  Task<void> run_claimed(DatabaseAccess& access, ImportClaim& claim);
  Task<void> drop_indexes(DatabaseAccess& access);
  Task<void> load(DatabaseAccess& access);
  Task<void> load_rows(DatabaseAccess& access);
  Task<void> build(DatabaseAccess& access, size_t number);
  Task<void> report_progress();
  ImportProgress progress() const;
  bool loads_indexed_tables() const;

  ImportOptions options_;
  ImportObserver& observer_;
  PartsPlan plan_;
  ImportCounters counters_;
  ImportOutcome outcome_;
  coro::Instant start_{};
  coro::Event indexed_loaded_;
  bool planned_ = false;
};

ImportProgress Import::progress() const {
  ImportProgress progress;
  progress.elapsed = coro::Worker::current().now() - start_;
  progress.warehouses = counters_.warehouses;
  progress.warehouses_total = plan_.plan.warehouses_missing();
  progress.rows = counters_.rows();
  progress.bytes = counters_.bytes;
  for (const Table table : all_tables) {
    const auto index = static_cast<size_t>(table);
    progress.tables[index].rows = counters_.rows_by_table[index];
  }
  for (const Part& part : plan_.parts) {
    for (const Table table : tables_of(part)) {
      const int64_t rows = rows_at_load(table, 1);
      progress.tables[static_cast<size_t>(table)].rows_total += rows;
      progress.rows_total += rows;
    }
  }
  return progress;
}

Task<void> Import::report_progress() {
  for (;;) {
    co_await coro::sleep_for(options_.progress_interval);
    observer_.on_loading(progress());
  }
}

Task<void> Import::build(DatabaseAccess& access, size_t number) {
  co_await indexed_loaded_.wait();
  const Index& index = secondary_indexes()[number];
  const std::string name = description(index);
  observer_.on_step(name, number + 1, secondary_indexes().size());
  const coro::Instant begun = coro::Worker::current().now();
  IndexBuild wanted{.index = index,
                    .operation = plan_.settings.builds[number],
                    .poll_interval = options_.index_poll_interval};
  co_await build_index(access, std::move(wanted));
  observer_.on_step_done(name, coro::Worker::current().now() - begun);
}

Task<void> Import::load_rows(DatabaseAccess& access) {
  const LoadOptions load_options{options_.connections, options_.threads};
  auto body = [&](coro::Scope& scope) -> Task<void> {
    scope.start(report_progress());
    co_await load_parts(access, load_options, plan_, counters_, indexed_loaded_);
    scope.cancel();
  };
  co_await coro::with_scope(body);
  outcome_.load_time = coro::Worker::current().now() - start_;
  observer_.on_loading(progress());
}

Task<void> Import::load(DatabaseAccess& access) {
  auto body = [&](coro::Scope& scope) -> Task<void> {
    for (size_t number = 0; number < secondary_indexes().size(); ++number) {
      scope.start(build(access, number));
    }
    if (plan_.parts.empty()) {
      indexed_loaded_.set();
    } else {
      co_await load_rows(access);
    }
  };
  co_await coro::with_scope(body);
}

bool Import::loads_indexed_tables() const {
  return !plan_.parts.empty() && plan_.parts.front().stage == Stage::indexed;
}

// They are in the way of rows, and so is one that is being built.
Task<void> Import::drop_indexes(DatabaseAccess& access) {
  for (size_t number = 0; number < secondary_indexes().size(); ++number) {
    const Index& index = secondary_indexes()[number];
    std::string& build = plan_.settings.builds[number];
    if (!build.empty()) {
      IndexBuild under_way{.index = index,
                           .operation = std::exchange(build, {}),
                           .poll_interval = options_.index_poll_interval};
      co_await build_index(access, std::move(under_way));
    }
    const bool exists = co_await index_exists(access, index);
    if (exists) co_await drop_index(access, index);
  }
}

Task<void> Import::run_claimed(DatabaseAccess& access, ImportClaim& claim) {
  plan_ = co_await begin_import(access, claim, options_.database.folder, options_.request);
  outcome_.plan = plan_.plan;
  planned_ = true;
  observer_.on_plan(plan_.plan);
  if (loads_indexed_tables()) co_await drop_indexes(access);

  start_ = coro::Worker::current().now();
  co_await load(access);
  Settings complete = plan_.settings;
  complete.complete = true;
  co_await claim.write(std::move(complete));
  outcome_.finish_time = coro::Worker::current().now() - start_ - outcome_.load_time;
  outcome_.rows = counters_.rows();
  outcome_.bytes = counters_.bytes;
}

Task<void> Import::run(DatabaseAccess& access) {
  co_await require_initialised(access, options_.database.folder);
  ImportClaim claim(access, options_.claim);
  auto body = [&](coro::Scope& scope) -> Task<void> {
    scope.start(claim.keep());
    co_await run_claimed(access, claim);
    scope.cancel();
  };
  std::exception_ptr end;
  try {
    co_await claim.take(options_.database.folder, [this] { observer_.on_wait(); });
    co_await coro::with_scope(body);
  } catch (...) {
    end = std::current_exception();  // one that is cancelled gives up its claim, too
  }
  co_await claim.release();
  if (end) std::rethrow_exception(end);
}

std::string Import::how_far() const {
  if (!planned_) return "";
  return fmt::format(
      "; the import stopped with {} of {} warehouses loaded; the same command goes on from there",
      plan_.plan.skipped + counters_.warehouses, plan_.plan.warehouses);
}

}  // namespace

Task<ImportOutcome> import_warehouses(ImportOptions options, ImportObserver& observer) {
  const YdbDatabase database = options.database;
  Import import(std::move(options), observer);
  auto body = [&import](DatabaseAccess& access) -> Task<void> { return import.run(access); };
  try {
    co_await DatabaseAccess::use(database, body);
  } catch (const Error& error) {
    throw Error(error.error_class(), error.sqlstate(), error.what() + import.how_far());
  }
  co_return import.outcome();
}

}  // namespace drover::tpcc::ydb
