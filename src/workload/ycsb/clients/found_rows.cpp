#include "workload/ycsb/clients/found_rows.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "database/message.h"

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
  outcome.first_wrong = fmt::format("the key \"{}\" is none of YCSB's", database::one_line(key));
}

void throw_not_found(std::string_view key, std::uint64_t number, const Properties& properties,
                     Outcome& outcome) {
  outcome.not_found = true;
  throw Error(database::ErrorClass::statement, "",
              fmt::format("the row {} ({}) of {} is not there: is the table loaded as far as "
                          "recordcount says, with this insertorder and zeropadding, or did its "
                          "insert fail before?",
                          number, key, properties.table));
}

Error explained_duplicate(const Error& error, std::uint64_t number) {
  return {error.error_class(), error.sqlstate(),
          fmt::format("{}; the row {} is there already: does another client insert the same rows? "
                      "Runs at the same time are to be shares of one: --share",
                      error.what(), number)};
}

}  // namespace drover::ycsb
