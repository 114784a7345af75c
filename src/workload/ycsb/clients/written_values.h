// WrittenValues: what the fields of an operation that writes get. Belongs to one thread.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "workload/ycsb/backend.h"
#include "workload/ycsb/properties/field_lengths.h"
#include "workload/ycsb/properties/properties.h"

namespace drover::ycsb {

class WrittenValues {
 public:
  // The properties must outlive it. Throws PropertyError.
  WrittenValues(const Properties& properties, ValueKind values);

  const FieldLengths& lengths() const noexcept { return lengths_; }

  // Both are good until the next call. Of an update of counted values, which the server counts up, what follows the
  // version.
  std::string_view of_one(const Operation& operation, const Trace& trace);
  std::span<const std::string_view> of_all(const Operation& operation, const Trace& trace);

 private:
  std::size_t version_part(const Operation& operation) const noexcept;

  const Properties& properties_;
  ValueKind kind_;
  FieldLengths lengths_;
  std::string bytes_;
  std::vector<std::string_view> values_;
};

}  // namespace drover::ycsb
