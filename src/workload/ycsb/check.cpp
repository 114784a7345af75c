#include "workload/ycsb/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "database/error.h"

namespace drover::ycsb {

using coro::Task;

void CheckReport::add(const CheckReport& other) {
  rows += other.rows;
  values += other.values;
  values_wrong += other.values_wrong;
  for (const WrongValue& wrong : other.first_wrong) {
    if (first_wrong.size() < wrong_values_kept) first_wrong.push_back(wrong);
  }
  version_max = std::max(version_max, other.version_max);
  versions += other.versions;
  pieces += other.pieces;
  if (!snapshot_refusal) snapshot_refusal = other.snapshot_refusal;
}

TableCheck::TableCheck(CheckSettings settings, Table table)
    : settings_(std::move(settings)), table_(std::move(table)), lengths_(settings_.properties) {}

Task<LoadRecord> TableCheck::require_record(database::AdminSession& session) {
  LoadRecord record = co_await read_load_record(session, table_);
  if (!record.has_table || !record.layout) {
    throw database::UnfitSchema(fmt::format(
        "{} {}. The check needs a table that 'drover ycsb load' has loaded",
        record.has_table ? "no load of drover has recorded the rows of" : "there is no table",
        table_.plain_name));
  }
  require_layout(record, settings_.properties);
  report_.rows_loaded = record.rows_loaded();
  co_return record;
}

Task<void> TableCheck::read_all(CheckPart all) {
  if (!settings_.check_elsewhere) {
    co_await read_share(std::move(all));
    co_return;
  }
  const std::uint64_t pieces = cut(all.table_size);
  co_await settings_.check_elsewhere(all, report_);
  if (report_.pieces == pieces) co_return;
  throw database::Error(database::ErrorClass::statement, "",
                        fmt::format("only {} of {} pieces of the table were read, although all "
                                    "hosts have ended. The check gives no verdict on the data",
                                    report_.pieces, pieces));
}

Task<void> TableCheck::read_share(CheckPart part) {
  const std::uint64_t pieces = cut(part.table_size);
  next_ = part.share.begin(pieces);
  end_ = part.share.end(pieces);
  to_read_ = end_ - next_;
  co_await read_pieces(std::min<std::uint64_t>(settings_.connections, to_read_));
  tell_progress();
}

std::uint64_t TableCheck::rows_per_fetch() const {
  constexpr std::uint64_t fetched_bytes = 1 << 20;
  const auto fields = static_cast<std::uint64_t>(settings_.properties.field_count);
  return std::clamp<std::uint64_t>(fetched_bytes / (fields * (lengths_.length_max() + 1)), 1, 1000);
}

void TableCheck::verify_field(std::string_view text, FieldPlace place, std::string_view key) {
  ++report_.values;
  if (const auto mismatch = lengths_.verify(text, place)) {
    ++report_.values_wrong;
    add_wrong(key, fmt::format("{}{}", settings_.properties.field_name_prefix, place.field),
              mismatch->message);
    return;
  }
  const auto head = value_head(text, place);
  if (!head) return;
  report_.versions += head->version;
  report_.version_max = std::max(report_.version_max, head->version);
}

void TableCheck::add_wrong(std::string_view key, std::string field, std::string what) {
  if (report_.first_wrong.size() == wrong_values_kept) return;
  report_.first_wrong.push_back(
      {.key = database::one_line(key), .field = std::move(field), .what = std::move(what)});
}

void TableCheck::tell_progress() const {
  if (!settings_.on_progress) return;
  settings_.on_progress({.rows = report_.rows,
                         .part = to_read_ == 0 ? 1.0
                                               : static_cast<double>(report_.pieces) /
                                                     static_cast<double>(to_read_)});
}

}  // namespace drover::ycsb
