#include "tpcc/ydb/import_load.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "coro/scope.h"
#include "coro/stealing_pool.h"
#include "tpcc/ydb/population_rows.h"

namespace drover::tpcc::ydb {
namespace {

using coro::Task;

struct Batch {
  size_t part;  // its place in the plan
  Table table;
  int32_t number;
};

// A part that is being loaded.
struct PartProgress {
  int32_t batches_left = 0;
  int64_t rows = 0;
};

int32_t batches_of(Part part) {
  int32_t batches = 0;
  for (const Table table : tables_of(part)) batches += batch_count(table);
  return batches;
}

// What all calls share.
class Load {
 public:
  Load(DatabaseAccess& access, const PartsPlan& plan, ImportCounters& counters,
       coro::Event& indexed_loaded, coro::StealingPool& pool);

  // Loads batches until none is left, one at a time.
  Task<void> run_calls();

 private:
  std::optional<Batch> next_batch();
  Task<void> load_batch(Batch batch);
  Task<void> note_loaded(size_t part);

  DatabaseAccess& access_;
  const PartsPlan& plan_;
  ImportCounters& counters_;
  coro::Event& indexed_loaded_;
  coro::StealingPool& pool_;

  // Where next_batch() is.
  size_t part_ = 0;
  size_t table_ = 0;  // of the part
  int32_t number_ = 0;

  std::vector<PartProgress> parts_;           // by place in the plan
  std::map<int32_t, int32_t> parts_left_of_;  // of a warehouse
  size_t indexed_parts_left_ = 0;
};

Load::Load(DatabaseAccess& access, const PartsPlan& plan, ImportCounters& counters,
           coro::Event& indexed_loaded, coro::StealingPool& pool)
    : access_(access),
      plan_(plan),
      counters_(counters),
      indexed_loaded_(indexed_loaded),
      pool_(pool) {
  for (const Part& part : plan.parts) {
    parts_.push_back({.batches_left = batches_of(part), .rows = 0});
    ++parts_left_of_[part.w_id];
    if (part.stage == Stage::indexed) ++indexed_parts_left_;
  }
  if (indexed_parts_left_ == 0) indexed_loaded_.set();
}

std::optional<Batch> Load::next_batch() {
  if (part_ == plan_.parts.size()) return std::nullopt;
  const auto tables = tables_of(plan_.parts[part_]);
  const Batch batch{.part = part_, .table = tables[table_], .number = number_};
  if (++number_ == batch_count(batch.table)) {
    number_ = 0;
    if (++table_ == tables.size()) {
      table_ = 0;
      ++part_;
    }
  }
  return batch;
}

Task<void> Load::load_batch(Batch batch) {
  const int32_t w_id = plan_.parts[batch.part].w_id;
  auto make = [&] { return make_batch(batch.table, w_id, batch.number, plan_.plan.population); };
  BulkRows rows = co_await pool_.run(make);
  const int64_t count = rows.rows();
  const int64_t bytes = rows.bytes();
  co_await access_.bulk_upsert(table_name(batch.table), std::move(rows));
  counters_.rows_by_table[static_cast<size_t>(batch.table)] += count;
  counters_.bytes += bytes;
  PartProgress& progress = parts_[batch.part];
  progress.rows += count;
  if (--progress.batches_left == 0) co_await note_loaded(batch.part);
}

Task<void> Load::note_loaded(size_t place) {
  const Part part = plan_.parts[place];
  co_await write_loaded(access_, part, parts_[place].rows);
  if (--parts_left_of_[part.w_id] == 0 && part.w_id != item_part) ++counters_.warehouses;
  if (part.stage == Stage::indexed && --indexed_parts_left_ == 0) indexed_loaded_.set();
}

Task<void> Load::run_calls() {
  while (const std::optional<Batch> batch = next_batch()) co_await load_batch(*batch);
}

}  // namespace

Task<void> load_parts(DatabaseAccess& access, LoadOptions options, const PartsPlan& plan,
                      ImportCounters& counters, coro::Event& indexed_loaded) {
  coro::StealingPool pool({.workers = std::max<size_t>(options.threads, 1)});
  Load load(access, plan, counters, indexed_loaded, pool);
  auto body = [&](coro::Scope& scope) -> Task<void> {
    for (size_t index = 0; index < options.connections; ++index) scope.start(load.run_calls());
    co_return;
  };
  co_await coro::with_scope(body);
}

}  // namespace drover::tpcc::ydb
