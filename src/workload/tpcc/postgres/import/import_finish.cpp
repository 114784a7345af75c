#include "workload/tpcc/postgres/import/import.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "coro/scope.h"
#include "coro/worker.h"
#include "database/postgres/admin_session.h"
#include "database/postgres/dialect.h"

namespace drover::tpcc::postgres {
namespace {

using coro::Task;
using database::postgres::Connection;
using database::postgres::script_with_retries;
using database::postgres::traits_of;
using Connections = std::vector<std::unique_ptr<Connection>>;

struct Step {
  std::string name;
  Table table;
  std::string sql;
  // The expected duration relative to other steps, in thousands of rows sorted by numbers.
  int64_t weight;
  bool is_analyze = false;
};

// Returns the rows of a warehouse in thousands.
int64_t thousand_rows(Table table) {
  return std::max<int64_t>(1, rows_at_load(table, 1) / 1000);
}

std::vector<SchemaObject> references_of(const std::string& schema) {
  std::vector<SchemaObject> objects = schema_objects(schema);
  std::erase_if(objects, [](const SchemaObject& object) {
    return object.kind != SchemaObject::Kind::foreign_key;
  });
  return objects;
}

std::vector<Step> index_steps(const std::string& schema, const Catalog& catalog, Layout layout) {
  std::vector<Step> steps;
  for (SchemaObject& object : schema_objects(schema, layout)) {
    if (object.kind == SchemaObject::Kind::foreign_key || catalog.has(object.name)) continue;
    const bool is_key = object.kind == SchemaObject::Kind::primary_key;
    // Names are compared as texts, by the rules of a language, which takes longer.
    const int64_t cost = !is_key && object.table == Table::Customer ? 10 : 2;
    steps.push_back({fmt::format("{} {}", is_key ? "primary key" : "index", object.name),
                     object.table, std::move(object.sql), cost * thousand_rows(object.table)});
  }
  return steps;
}

// ANALYZE reads a sample of a fixed size. These short steps come last and fill gaps.
constexpr int64_t after_all_others = 1'000'000;

std::vector<Step> analyze_steps(const std::string& schema) {
  std::vector<Step> steps;
  for (const Table table : all_tables) {
    steps.push_back({fmt::format("analyze {}", table_name(table)), table,
                     fmt::format("ANALYZE {}", qualified_name(schema, table_name(table))),
                     thousand_rows(table) - after_all_others, true});
  }
  return steps;
}

// A reference is first created without validation. Its validation then locks only the referring
// table, so that other tables can be validated at the same time.
Task<void> declare_references(Connection& connection, const std::string& schema,
                              const Catalog& catalog) {
  const bool is_one_transaction = traits_of(connection.dialect()).ddl_in_transactions;
  std::string sql;
  for (const SchemaObject& reference : references_of(schema)) {
    if (catalog.has(reference.name) || catalog.is_unvalidated(reference.name)) continue;
    sql += reference.sql + " NOT VALID;\n";
    if (!is_one_transaction) co_await script_with_retries(connection, std::exchange(sql, {}));
  }
  if (!sql.empty()) co_await connection.script(std::move(sql));
}

std::vector<Step> reference_steps(const std::string& schema, const Catalog& catalog) {
  std::vector<Step> steps;
  for (const SchemaObject& reference : references_of(schema)) {
    if (catalog.has(reference.name)) continue;
    steps.push_back({fmt::format("foreign key {}", reference.name), reference.table,
                     fmt::format("ALTER TABLE {} VALIDATE CONSTRAINT {}",
                                 qualified_name(schema, table_name(reference.table)),
                                 quote_identifier(reference.name)),
                     thousand_rows(reference.table)});
  }
  return steps;
}

// Creates references one after the other with their validation, which locks both tables.
Task<void> add_references(Connection& connection, const std::string& schema, const Catalog& catalog,
                          ImportObserver& observer) {
  std::vector<SchemaObject> missing = references_of(schema);
  std::erase_if(missing,
                [&](const SchemaObject& reference) { return catalog.has(reference.name); });
  size_t number = 0;
  for (const SchemaObject& reference : missing) {
    const std::string name = fmt::format("foreign key {}", reference.name);
    observer.on_step(name, ++number, missing.size());
    const coro::Instant begin = coro::Worker::current().now();
    co_await connection.script(reference.sql);
    observer.on_step_done(name, coro::Worker::current().now() - begin);
  }
}

// The waiting steps, the longest first.
class StepQueue {
 public:
  StepQueue(std::vector<Step> steps, ImportObserver& observer, ImportWork& work)
      : waiting_(std::move(steps)), total_(waiting_.size()), observer_(observer), work_(work) {
    std::sort(waiting_.begin(), waiting_.end(),
              [](const Step& a, const Step& b) { return a.weight > b.weight; });
  }

  // Runs steps until none can start. The tables of the remaining steps are in use by other
  // connections, which look for steps again when they are done, so that no step is forgotten.
  Task<void> run(Connection& connection) {
    for (std::optional<Step> step = next(); step; step = next()) {
      observer_.on_step(step->name, ++started_, total_);
      const coro::Instant begin = coro::Worker::current().now();
      connection.take_warnings();
      co_await script_with_retries(connection, step->sql);
      for (const std::string& warning : connection.take_warnings()) {
        if (step->is_analyze) {
          leave_out(table_name(step->table), warning);
        } else {
          work_.note(fmt::format("note: {}: {}", step->name, warning));
        }
      }
      busy_.erase(step->table);
      observer_.on_step_done(step->name, coro::Worker::current().now() - begin);
    }
  }

  // Adds a note about tables without statistics. To be called when all steps are done.
  void tell_what_was_left_out() {
    if (without_statistics_.empty()) return;
    work_.note(database::postgres::no_statistics_note(without_statistics_, first_warning_));
  }

 private:
  std::optional<Step> next() {
    const auto found = std::find_if(waiting_.begin(), waiting_.end(),
                                    [&](const Step& step) { return !busy_.contains(step.table); });
    if (found == waiting_.end()) return std::nullopt;
    std::optional<Step> step = std::move(*found);
    waiting_.erase(found);
    busy_.insert(step->table);
    return step;
  }

  void leave_out(std::string_view table, const std::string& warning) {
    if (without_statistics_.empty()) first_warning_ = warning;
    without_statistics_ += fmt::format("{}{}", without_statistics_.empty() ? "" : ", ", table);
  }

  std::vector<Step> waiting_;
  std::set<Table> busy_;
  std::string without_statistics_;  // tables
  std::string first_warning_;       // why
  size_t started_ = 0;
  size_t total_;
  ImportObserver& observer_;
  ImportWork& work_;
};

Task<void> run_steps(const Connections& connections, std::vector<Step> steps,
                     ImportObserver& observer, ImportWork& work) {
  StepQueue queue(std::move(steps), observer, work);
  auto body = [&](coro::Scope& scope) -> Task<void> {
    for (const auto& connection : connections) scope.start(queue.run(*connection));
    co_return;
  };
  co_await coro::with_scope(body);
  queue.tell_what_was_left_out();
}

}  // namespace

Task<void> finish_import(const PostgresImportOptions& options, ForeignKeys references,
                         ImportObserver& observer, ImportWork& work) {
  Connections connections;
  const size_t wanted = std::clamp<size_t>(options.connections, 1, all_tables.size());
  while (connections.size() < wanted) {
    connections.push_back(co_await open_import_session(options));
  }
  Connection& first = *connections.front();
  const Catalog catalog = co_await read_catalog(first, options.schema);
  for (const std::string& index : catalog.invalid_indexes) {
    co_await script_with_retries(
        first, fmt::format("DROP INDEX IF EXISTS {}", qualified_name(options.schema, index)));
  }
  std::vector<Step> steps = index_steps(options.schema, catalog, {first.dialect()});
  for (Step& step : analyze_steps(options.schema)) steps.push_back(std::move(step));
  co_await run_steps(connections, std::move(steps), observer, work);

  if (references == ForeignKeys::none) co_return;
  // Before PostgreSQL 18, references of partitioned tables cannot be NOT VALID.
  const std::int32_t partitions = co_await count_partitions(first, options.schema);
  if (partitions > 0) {
    co_await add_references(first, options.schema, catalog, observer);
    co_return;
  }
  co_await declare_references(first, options.schema, catalog);
  co_await run_steps(connections, reference_steps(options.schema, catalog), observer, work);
}

}  // namespace drover::tpcc::postgres
