#include "workload/ycsb/preparation.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "coro/block_on.h"
#include "coro/worker.h"
#include "database/error.h"

namespace drover::ycsb {
namespace {

using coro::Task;

// A table for which loads have recorded some rows.
class RecordedTable final : public TableReader {
 public:
  RecordedTable(std::set<std::uint64_t> rows, std::vector<RowRange> loaded)
      : rows_(std::move(rows)) {
    record_.has_table = true;
    record_.layout = layout_of({});
    record_.loaded = std::move(loaded);
  }

  std::string_view table_name() const noexcept override { return "usertable"; }
  Task<database::ServerFacts> read_server_facts() override { co_return database::ServerFacts(); }
  Task<LoadRecord> read_record() override { co_return record_; }
  Task<void> require_columns() override { co_return; }
  Task<bool> has_our_values(const FieldLengths&) override { co_return true; }
  Task<std::vector<std::uint64_t>> rows_there(std::uint64_t begin, std::uint64_t rows) override {
    looked_up += rows;
    co_return std::vector(rows_.lower_bound(begin), rows_.lower_bound(begin + rows));
  }
  Task<bool> has_row_security() override { co_return row_security; }
  Task<std::optional<TableSums>> add_up(ValueKind) override {
    co_return TableSums{.rows = rows_.size() + other_rows, .versions = 0};
  }

  RunPreparation prepare() {
    coro::Worker worker;
    looked_up = 0;
    return coro::block_on(worker, prepare_run(*this, {}, std::nullopt));
  }

  std::uint64_t looked_up = 0;
  std::uint64_t other_rows = 0;  // whose keys are none of YCSB's
  bool row_security = false;

 private:
  std::set<std::uint64_t> rows_;
  LoadRecord record_;
};

using Ranges = std::vector<RowRange>;

TEST(RunPreparation, KnowsAPartThatWasNeverLoadedWithoutLookingItUp) {
  RecordedTable table({0, 1, 1'000'000'000}, {{0, 2}, {1'000'000'000, 1'000'000'001}});
  const RunPreparation prepared = table.prepare();
  EXPECT_EQ(prepared.next_row, 1'000'000'001U);
  EXPECT_EQ(prepared.missing_rows, (Ranges{{2, 1'000'000'000}}));
  EXPECT_LT(table.looked_up, 10'000U);
}

TEST(RunPreparation, LooksForTheRowsOfRunsFromTheLastOneBack) {
  RecordedTable table({0, 1, 900'000'000, 900'000'003, 900'000'004, 900'001'500},
                      {{0, 2}, {900'000'000, 900'000'001}});
  const RunPreparation prepared = table.prepare();
  EXPECT_EQ(prepared.next_row, 900'001'501U);
  EXPECT_EQ(prepared.missing_rows,
            (Ranges{{2, 900'000'000}, {900'000'001, 900'000'003}, {900'000'005, 900'001'500}}));
  EXPECT_LT(table.looked_up, 20'000U);
}

TEST(RunPreparation, SaysThatItDoesNotKnowWhereTooManyRowsWouldHaveToBeLookedUp) {
  RecordedTable table({0, 9'000'000}, {{0, 1}, {9'000'000, 9'000'001}});
  table.other_rows = 1;
  EXPECT_EQ(table.prepare().missing_rows, std::nullopt);
  RecordedTable few({0, 9'000}, {{0, 1}, {9'000, 9'001}});
  few.other_rows = 1;
  EXPECT_EQ(few.prepare().missing_rows, (Ranges{{1, 9'000}}));
}

TEST(RunPreparation, RefusesATableOfWhichRowSecurityHidesRows) {
  RecordedTable table({0, 1, 2}, {{0, 5}});
  EXPECT_EQ(table.prepare().before.rows, 3U) << "rows are lost, and a run says so";
  table.row_security = true;
  EXPECT_THROW(table.prepare(), database::UnfitSchema);
}

}  // namespace
}  // namespace drover::ycsb
