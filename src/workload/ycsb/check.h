// The check of a table, as far as it is the same on every database: each value must be one that a
// client of drover has written to its row and field. Several sessions read pieces of the table, in
// this process or, on several hosts, in others.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "coro/task.h"
#include "database/admin_session.h"
#include "workload/ycsb/database.h"
#include "workload/ycsb/keys.h"
#include "workload/ycsb/load_record.h"
#include "workload/ycsb/values.h"

namespace drover::ycsb {

// Only reads. Belongs to one worker.
class TableCheck {
 public:
  virtual ~TableCheck() = default;

 protected:
  // Throws PropertyError.
  TableCheck(CheckSettings settings, Table table);

  // Cuts a table of this size into pieces, numbered from 0. Returns their number.
  virtual std::uint64_t cut(std::uint64_t table_size) = 0;
  // Reads the pieces that next_piece() gives, by up to `sessions` sessions.
  virtual coro::Task<void> read_pieces(std::size_t sessions) = 0;

  // Throws UnfitSchema unless a load has recorded the table with the same properties.
  coro::Task<LoadRecord> require_record(database::AdminSession& session);

  // Checks the whole table, or has other processes check it.
  coro::Task<void> read_all(CheckPart all);
  // Checks the part's share of the pieces.
  coro::Task<void> read_share(CheckPart part);

  std::optional<std::uint64_t> next_piece() noexcept {
    return next_ < end_ ? std::optional(next_++) : std::nullopt;
  }

  // Returns the number of rows that have about a MiB; at least 1, at most 1000.
  std::uint64_t rows_per_fetch() const;

  // `text_of(field)` returns the text of a field by its number.
  template <class TextOf>
  void verify_row(std::string_view key, TextOf text_of) {
    ++report_.rows;
    const auto shown = number_shown_by(key);
    if (!shown) {
      ++report_.values_wrong;
      add_wrong(key, "", "the key is not a YCSB key");
      return;
    }
    for (std::uint32_t field = 0; field < settings_.properties.field_count; ++field) {
      verify_field(text_of(field), {.key = *shown, .field = field}, key);
    }
  }
  void tell_progress() const;

  const CheckSettings settings_;
  const Table table_;
  CheckReport report_;

 private:
  void verify_field(std::string_view text, FieldPlace place, std::string_view key);
  void add_wrong(std::string_view key, std::string field, std::string what);

  const FieldLengths lengths_;
  std::uint64_t next_ = 0;
  std::uint64_t end_ = 0;
  std::uint64_t to_read_ = 0;
};

}  // namespace drover::ycsb
