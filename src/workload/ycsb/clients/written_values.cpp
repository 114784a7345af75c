#include "workload/ycsb/clients/written_values.h"

#include <cstdint>

#include "workload/ycsb/keys.h"
#include "workload/ycsb/values.h"

namespace drover::ycsb {

WrittenValues::WrittenValues(const Properties& properties, ValueKind values)
    : properties_(properties), kind_(values), lengths_(properties) {}

// The server has the version already, and counts it up.
std::size_t WrittenValues::version_part(const Operation& operation) const noexcept {
  const bool counted = kind_ == ValueKind::counted;
  return counted && operation.type != OperationType::insert ? version_size : 0;
}

std::string_view WrittenValues::of_one(const Operation& operation, const Trace& trace) {
  const FieldPlace place = {.key = shown_number(operation.key, properties_.insert_order),
                            .field = *operation.written_field};
  bytes_.resize(lengths_.length(place, trace.stamp));
  write_value(bytes_, place, {.version = 0, .stamp = trace.stamp});
  return std::string_view(bytes_).substr(version_part(operation));
}

std::span<const std::string_view> WrittenValues::of_all(const Operation& operation,
                                                        const Trace& trace) {
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

}  // namespace drover::ycsb
