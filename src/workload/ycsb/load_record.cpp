#include "workload/ycsb/load_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "database/error.h"
#include "text/plain_text.h"

namespace drover::ycsb {

using database::UnfitSchema;

namespace {

// The name of the property that differs, with both of its values, of two layouts.
std::string difference_of(std::string_view recorded, std::string_view wanted) {
  for (;;) {
    const std::string_view one = recorded.substr(0, recorded.find(' '));
    const std::string_view other = wanted.substr(0, wanted.find(' '));
    if (one != other || one.size() == recorded.size() || other.size() == wanted.size()) {
      return fmt::format("{}, and not {}", one.empty() ? recorded : one,
                         other.empty() ? wanted : other);
    }
    recorded.remove_prefix(one.size() + 1);
    wanted.remove_prefix(other.size() + 1);
  }
}

constexpr std::uint64_t piece_rows_max = 100'000;

}  // namespace

RowRange part_of(const Properties& properties, const load::Share& share) noexcept {
  const auto begin = static_cast<std::uint64_t>(properties.insert_start);
  const auto rows = static_cast<std::uint64_t>(properties.insert_count);
  return {.begin = begin + share.begin(rows), .end = begin + share.end(rows)};
}

std::vector<RowRange> missing_ranges(RowRange wanted, const std::vector<RowRange>& loaded) {
  std::vector<RowRange> missing;
  std::uint64_t at = wanted.begin;
  for (const RowRange& range : loaded) {
    if (range.begin >= wanted.end) break;
    if (range.begin > at) missing.push_back({.begin = at, .end = range.begin});
    at = std::max(at, range.end);
  }
  if (at < wanted.end) missing.push_back({.begin = at, .end = wanted.end});
  return missing;
}

std::string layout_of(const Properties& properties) {
  constexpr std::array<std::string_view, 6> always = {
      "fieldcount",      "fieldlength", "fieldlengthdistribution",
      "fieldnameprefix", "insertorder", "zeropadding"};
  const auto is_of_it = [&](std::string_view name) {
    if (name == "minfieldlength") {
      return properties.field_length_distribution == FieldLengthDistribution::uniform ||
             properties.field_length_distribution == FieldLengthDistribution::zipfian;
    }
    if (name == "fieldlengthhistogram") {
      return properties.field_length_distribution == FieldLengthDistribution::histogram;
    }
    return std::ranges::find(always, name) != always.end();
  };
  std::string layout;
  for (const ShownProperty& property : shown_properties(properties)) {
    if (!is_of_it(property.name)) continue;
    layout += fmt::format("{}{}={}", layout.empty() ? "" : " ", property.name,
                          text::replaced(property.value, " ", "_"));
  }
  return layout;
}

std::uint64_t LoadRecord::rows_loaded() const noexcept {
  std::uint64_t rows = 0;
  std::uint64_t end = 0;
  for (const RowRange& range : loaded) {
    const std::uint64_t begin = std::max(range.begin, end);
    end = std::max(end, range.end);
    rows += end - begin;
  }
  return rows;
}

std::uint64_t Pieces::left() const noexcept {
  std::uint64_t pieces = 0;
  for (std::size_t i = range_; i < ranges_.size(); ++i) {
    pieces += (ranges_[i].end - 1) / rows_of_piece_ - ranges_[i].begin / rows_of_piece_ + 1;
  }
  return pieces;
}

std::optional<RowRange> Pieces::next() noexcept {
  if (range_ == ranges_.size()) return std::nullopt;
  RowRange& range = ranges_[range_];
  const std::uint64_t cut = (range.begin / rows_of_piece_ + 1) * rows_of_piece_;
  const RowRange piece = {.begin = range.begin, .end = std::min(cut, range.end)};
  range.begin = piece.end;
  if (range.rows() == 0) ++range_;
  return piece;
}

std::uint64_t rows_of_piece(const Properties& properties, const FieldLengths& lengths,
                            std::uint64_t bytes) {
  const std::uint64_t row =
      32 + static_cast<std::uint64_t>(properties.field_count) * (lengths.length_max() + 1);
  return std::clamp<std::uint64_t>(bytes / row, 1, piece_rows_max);
}

void require_format(std::int64_t format, std::string_view table) {
  if (format == record_format) return;
  throw UnfitSchema(
      fmt::format("another version of drover loaded the table {} (format {}, expected {}). Drop it "
                  "with 'drover ycsb clean', and load it again",
                  table, format, record_format));
}

void require_layout(const LoadRecord& record, const Properties& properties) {
  if (!record.layout) return;
  const std::string wanted = layout_of(properties);
  if (*record.layout == wanted) return;
  throw UnfitSchema(
      fmt::format("the rows of {} were loaded with {}. Give the same properties again, or drop the "
                  "table with 'drover ycsb clean'",
                  properties.table, difference_of(*record.layout, wanted)));
}

void require_record(const LoadRecord& record, std::string_view table) {
  if (record.has_table && record.layout) return;
  throw UnfitSchema(fmt::format(
      "{} {}. The check needs a table that 'drover ycsb load' has loaded",
      record.has_table ? "no load of drover has recorded the rows of" : "there is no table",
      table));
}

void refuse_unrecorded_rows(std::string_view table) {
  throw UnfitSchema(
      fmt::format("the table {} has rows that no load of drover has recorded, and a load does not "
                  "overwrite them. Name another table with --table. 'drover ycsb run' accepts "
                  "tables that another tool has loaded",
                  table));
}

void refuse_foreign_table(std::string_view table) {
  throw UnfitSchema(
      fmt::format("the table {} has no column ycsb_key, so it is not a YCSB table, and drover "
                  "neither loads nor drops it. Name another table with --table",
                  table));
}

}  // namespace drover::ycsb
