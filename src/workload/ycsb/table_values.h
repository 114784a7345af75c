// The rows of a table as a check reads them: each value must be one that a client of drover has written to its row and
// field.
//
// Belongs to one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "workload/ycsb/database.h"
#include "workload/ycsb/keys.h"
#include "workload/ycsb/properties/field_lengths.h"
#include "workload/ycsb/values.h"

namespace drover::ycsb {

class TableValues {
 public:
  // Adds to the report. Both must outlive it. Throws PropertyError.
  TableValues(const Properties& properties, CheckReport& report);

  // So many have these bytes; at least one, at most a thousand.
  [[nodiscard]] std::uint64_t rows_of(std::uint64_t bytes) const;

  // `text_of`: of a field, by its number.
  template <class TextOf>
  void verify_row(std::string_view key, TextOf text_of) {
    ++report_.rows;
    const auto shown = number_shown_by(key);
    if (!shown) {
      ++report_.values_wrong;
      add_wrong(key, "", "the key is not a YCSB key");
      return;
    }
    for (std::uint32_t field = 0; field < properties_.field_count; ++field) {
      verify_field(text_of(field), {.key = *shown, .field = field}, key);
    }
  }

 private:
  void verify_field(std::string_view text, FieldPlace place, std::string_view key);
  void add_wrong(std::string_view key, std::string field, std::string what);

  const Properties& properties_;
  CheckReport& report_;
  const FieldLengths lengths_;
};

}  // namespace drover::ycsb
