// The population of one table of one warehouse as rows of PostgreSQL's binary COPY, a piece at a
// time.
//
// The bytes depend on nothing but the table, the warehouse and the seed: in whatever pieces they
// are asked for, they are the same. Several parts may follow one another in one COPY: the stream's
// header and trailer are written apart.
//
// Thread safety: a TableCopy belongs to one thread; any number of them run side by side.
#pragma once

#include <cstddef>
#include <cstdint>

#include "workload/tpcc/import/population_rows.h"
#include "workload/tpcc/postgres/import/copy_binary.h"

namespace drover::tpcc::postgres {

class TableCopy {
 public:
  // `w_id` is of no meaning to Table::Item, which has no warehouse and is loaded once.
  TableCopy(Table table, int32_t w_id, const PopulationSeed& seed)
      : rows_(table, w_id, seed), size_(PopulationRows::size(table)) {}

  // Appends rows until at least `target_bytes` were added or the part is complete. The most that it
  // adds is target_bytes and the lines of an order (about 2 KB). Returns whether rows remain.
  bool fill(CopyBuffer& out, size_t target_bytes) {
    const size_t size_wanted = out.size() + target_bytes;
    while (next_ < size_ && out.size() < size_wanted) rows_written_ += rows_.write(out, next_++);
    return next_ < size_;
  }

  int64_t rows_written() const { return rows_written_; }

 private:
  PopulationRows rows_;
  int32_t next_ = 0;  // index of rows_
  int32_t size_;
  int64_t rows_written_ = 0;
};

}  // namespace drover::tpcc::postgres
