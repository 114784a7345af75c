#include "workload/ycsb/clients/found_rows.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "database/error.h"
#include "text/plain_text.h"

namespace drover::ycsb {

using database::Error;

void count_value(const FieldLengths& lengths, std::string_view text, FieldPlace place,
                 Outcome& outcome) {
  std::optional<ValueMismatch> mismatch = lengths.verify(text, place);
  ++outcome.values_verified;
  if (!mismatch) return;
  if (outcome.values_wrong++ == 0) outcome.first_wrong = std::move(mismatch->message);
}

void count_foreign_key(std::string_view key, Outcome& outcome) {
  ++outcome.values_verified;
  if (outcome.values_wrong++ > 0) return;
  outcome.first_wrong = fmt::format("\"{}\" is not a YCSB key", database::one_line(key));
}

void throw_not_found(std::string_view key, std::uint64_t number, const Properties& properties,
                     Outcome& outcome) {
  outcome.not_found = true;
  throw Error(
      database::ErrorClass::statement, "",
      fmt::format("the row {} ({}) of {} does not exist. Either its insert failed before, or the "
                  "table was not loaded with this recordcount, insertorder and zeropadding",
                  number, key, properties.table));
}

Error explained_duplicate(const Error& error, std::uint64_t number) {
  return {error.error_class(), error.sqlstate(),
          fmt::format("{} The row {} already exists. Another run may insert the same rows. Divide "
                      "the rows between simultaneous runs with --share",
                      text::sentence(error.what()), number)};
}

}  // namespace drover::ycsb
