// The population of one table of one warehouse as rows of PostgreSQL's binary COPY, a piece at a
// time.
//
// The bytes depend on nothing but the table, the warehouse and the seed: in whatever pieces they
// are asked for, they are the same. Several parts may follow one another in one COPY: the stream's
// header and trailer are written apart (append_copy_header, append_copy_trailer).
//
// Thread safety: a TableCopy belongs to one thread; any number of them run side by side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "tpcc/population.h"
#include "tpcc/postgres/copy_binary.h"

namespace drover::tpcc::postgres {

void append_copy_header(CopyBuffer& out);
void append_copy_trailer(CopyBuffer& out);

class TableCopy {
 public:
  // `w_id` is of no meaning to Table::Item, which has no warehouse and is loaded once.
  TableCopy(Table table, int32_t w_id, const PopulationSeed& seed);
  TableCopy(TableCopy&&) noexcept;
  TableCopy& operator=(TableCopy&&) noexcept;
  ~TableCopy();

  // Appends rows until at least `target_bytes` were added or the part is complete. The most that it
  // adds is target_bytes and the lines of an order (about 2 KB). Returns whether rows remain.
  bool fill(CopyBuffer& out, size_t target_bytes);

  [[nodiscard]] int64_t rows_written() const;

 private:
  struct State;

  std::unique_ptr<State> state_;
};

}  // namespace drover::tpcc::postgres
