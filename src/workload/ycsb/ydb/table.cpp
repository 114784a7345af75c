#include "workload/ycsb/ydb/table.h"

#include <fmt/format.h>

#include <algorithm>

#include "database/ydb/database_access.h"
#include "workload/ycsb/keys.h"
#include "workload/ycsb/properties/property_file.h"

namespace drover::ycsb::ydb {
namespace {

using database::ydb::Column;
using database::ydb::partition_megabytes;
using database::ydb::partitions_least;
using database::ydb::Primitive;

constexpr std::uint64_t rows_of_partition_least = 100;
constexpr std::uint64_t samples_of_range = 64;

bool is_of_name(char letter) noexcept {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
         (letter >= '0' && letter <= '9') || letter == '_' || letter == '-' || letter == '.';
}

void require_name(std::string_view property, std::string_view name) {
  if (!name.empty() && name.front() != '.' && std::ranges::all_of(name, is_of_name)) return;
  throw PropertyError(
      fmt::format("{}={}: on YDB, the name consists of letters, digits, '_', '-' and '.', and does "
                  "not begin with '.'",
                  property, name));
}

std::string in_backticks(std::string_view name) {
  return fmt::format("`{}`", name);
}

}  // namespace

Table::Table(const Properties& properties)
    : plain_name_(properties.table), name_(in_backticks(plain_name_)) {
  require_name("table", plain_name_);
  require_name("fieldnameprefix", properties.field_name_prefix);
  for (std::int64_t number = 0; number < properties.field_count; ++number) {
    fields_.push_back(fmt::format("{}{}", properties.field_name_prefix, number));
    all_fields_ += (number == 0 ? "" : ", ") + in_backticks(fields_.back());
  }
}

std::string Table::field(std::size_t number) const {
  return in_backticks(fields_[number]);
}

std::vector<Column> Table::columns() const {
  std::vector<Column> columns = {{key_column, Primitive::utf8}};
  for (const std::string& field : fields_) columns.push_back({field, Primitive::utf8});
  return columns;
}

std::string Table::create_statement(const Properties& properties) const {
  std::string columns = fmt::format("{} Utf8 NOT NULL", key_column);
  for (const std::string& field : fields_) columns += fmt::format(", {} Utf8", in_backticks(field));
  const std::size_t partitions = partitions_wanted(properties);
  std::vector<std::string> keys;
  for (const std::string& key : split_keys(properties, partitions)) {
    keys.push_back(fmt::format("\"{}\"", key));
  }
  return fmt::format("CREATE TABLE IF NOT EXISTS {} ({}, PRIMARY KEY ({})){};", name_, columns,
                     key_column, database::ydb::partition_settings(partitions, keys));
}

std::vector<std::string> split_keys(const Properties& properties, std::size_t ranges) {
  const auto rows = static_cast<std::uint64_t>(properties.record_count);
  const std::uint64_t samples = std::min<std::uint64_t>(rows, ranges * samples_of_range);
  std::vector<std::string> sampled;
  for (std::uint64_t i = 0; i < samples; ++i) {
    // Without a product that overflows.
    const std::uint64_t number = i * (rows / samples) + i * (rows % samples) / samples;
    sampled.emplace_back(KeyName(number, properties.insert_order, properties.zero_padding).view());
  }
  std::ranges::sort(sampled);
  std::vector<std::string> keys;
  for (std::uint64_t range = 1; range < std::min<std::uint64_t>(ranges, samples); ++range) {
    keys.push_back(sampled[range * samples / ranges]);
  }
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

std::size_t partitions_wanted(const Properties& properties) {
  const auto rows = static_cast<std::uint64_t>(properties.record_count);
  const auto row_bytes =
      static_cast<std::uint64_t>(properties.field_count * properties.field_length);
  const std::uint64_t that_fit = std::max<std::uint64_t>(
      std::uint64_t{partition_megabytes} * 1'000'000 / std::max<std::uint64_t>(row_bytes, 1), 1);
  const std::uint64_t wanted = std::max<std::uint64_t>(partitions_least, rows / that_fit);
  // Below the limit of a server, which splits further.
  constexpr std::uint64_t most = 10'000;
  return std::clamp<std::uint64_t>(rows / rows_of_partition_least, 1, std::min(wanted, most));
}

}  // namespace drover::ycsb::ydb
