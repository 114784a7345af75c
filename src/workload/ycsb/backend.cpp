#include "workload/ycsb/backend.h"

#include <fmt/format.h>

#include <utility>

#include "database/error.h"
#include "text/plain_text.h"

namespace drover::ycsb {

using database::Error;

OperationValues::OperationValues(const Properties& properties, ValueKind kind, bool verify)
    : properties_(properties),
      kind_(kind),
      verify_(verify && kind != ValueKind::foreign),
      lengths_(properties) {}

// Returns the size of the part that the server writes.
std::size_t OperationValues::version_part(const Operation& operation) const noexcept {
  const bool is_counted = kind_ == ValueKind::counted;
  return is_counted && operation.type != OperationType::insert ? version_size : 0;
}

std::string_view OperationValues::of_one(const Operation& operation, const WriteTrace& trace) {
  const FieldPlace place = {.key = shown_number(operation.key, properties_.insert_order),
                            .field = *operation.written_field};
  bytes_.resize(lengths_.length(place, trace.stamp));
  write_value(bytes_, place, {.version = 0, .stamp = trace.stamp});
  return std::string_view(bytes_).substr(version_part(operation));
}

std::span<const std::string_view> OperationValues::of_all(const Operation& operation,
                                                          const WriteTrace& trace) {
  const auto fields = static_cast<std::uint32_t>(properties_.field_count);
  const std::uint64_t shown = shown_number(operation.key, properties_.insert_order);
  bytes_.resize(fields * lengths_.length_max());
  values_.clear();
  std::span<char> room(bytes_);
  for (std::uint32_t field = 0; field < fields; ++field) {
    const FieldPlace place = {.key = shown, .field = field};
    const std::span<char> value = room.first(lengths_.length(place, trace.stamp));
    write_value(value, place, {.version = 0, .stamp = trace.stamp});
    values_.push_back(std::string_view(value.data(), value.size()).substr(version_part(operation)));
    room = room.subspan(value.size());
  }
  return values_;
}

void OperationValues::count_value(std::string_view text, FieldPlace place,
                                  OperationOutcome& outcome) const {
  std::optional<ValueMismatch> mismatch = lengths_.verify(text, place);
  ++outcome.values_verified;
  if (!mismatch) return;
  if (outcome.values_wrong++ == 0) outcome.first_wrong = std::move(mismatch->message);
}

void OperationValues::count_foreign_key(std::string_view key, OperationOutcome& outcome) {
  ++outcome.values_verified;
  if (outcome.values_wrong++ > 0) return;
  outcome.first_wrong = fmt::format("\"{}\" is not a YCSB key", database::one_line(key));
}

void OperationValues::throw_not_found(const Operation& operation, OperationOutcome& outcome) const {
  outcome.not_found = true;
  throw Error(
      database::ErrorClass::statement, "",
      fmt::format("the row {} ({}) of {} does not exist. Either its insert failed before, or the "
                  "table was not loaded with this recordcount, insertorder and zeropadding",
                  operation.key, key_of(operation).view(), properties_.table));
}

Error explained_duplicate(const Error& error, std::uint64_t number) {
  return {error.error_class(), error.sqlstate(),
          fmt::format("{} The row {} already exists. Another run may insert the same rows. Divide "
                      "the rows between simultaneous runs with --share",
                      text::sentence(error.what()), number)};
}

}  // namespace drover::ycsb
