// Whether a write happened whose answer never came: by what it would have left in the data.
//
//   insert   its row is there: nobody else inserts this one
//   others   a field of its row still has its stamp, or none that it would have written has ever been counted up
//
// Where somebody has written over all of its fields, only the sum of versions knows. Pure functions; any thread.
#pragma once

#include <cstdint>
#include <optional>

#include "database/backend.h"
#include "workload/ycsb/backend.h"
#include "workload/ycsb/values.h"

namespace drover::ycsb {

// What became of a doubt that is no insert, and whose row is there. `text_of` gives a field's text, by its number.
template <class TextOf>
database::Resolution resolution_of(const Doubt& doubt, std::uint64_t shown, ValueKind values,
                                   std::uint32_t fields, TextOf text_of) {
  bool untouched = values == ValueKind::counted;
  for (std::uint32_t field = 0; field < fields; ++field) {
    if (doubt.operation.written_field.value_or(field) != field) continue;
    const std::optional<ValueHead> head =
        value_head(text_of(field), {.key = shown, .field = field});
    if (head && head->stamp == doubt.trace.stamp) return database::Resolution::committed;
    if (!head || head->version > 0) untouched = false;
  }
  return untouched ? database::Resolution::not_committed : database::Resolution::unknown;
}

}  // namespace drover::ycsb
