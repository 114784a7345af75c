#include "workload/ycsb/table_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "database/error.h"

namespace drover::ycsb {

TableValues::TableValues(const Properties& properties, CheckReport& report)
    : properties_(properties), report_(report), lengths_(properties) {}

std::uint64_t TableValues::rows_of(std::uint64_t bytes) const {
  const auto fields = static_cast<std::uint64_t>(properties_.field_count);
  return std::clamp<std::uint64_t>(bytes / (fields * (lengths_.length_max() + 1)), 1, 1000);
}

void TableValues::verify_field(std::string_view text, FieldPlace place, std::string_view key) {
  ++report_.values;
  if (const auto mismatch = lengths_.verify(text, place)) {
    ++report_.values_wrong;
    add_wrong(key, fmt::format("{}{}", properties_.field_name_prefix, place.field),
              mismatch->message);
    return;
  }
  const auto head = value_head(text, place);
  if (!head) return;
  report_.versions += head->version;
  report_.version_max = std::max(report_.version_max, head->version);
}

void TableValues::add_wrong(std::string_view key, std::string field, std::string what) {
  if (report_.first_wrong.size() == wrong_values_kept) return;
  report_.first_wrong.push_back(
      {.key = database::one_line(key), .field = std::move(field), .what = std::move(what)});
}

}  // namespace drover::ycsb
