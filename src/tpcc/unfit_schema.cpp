#include "tpcc/unfit_schema.h"

#include <fmt/format.h>

#include <algorithm>

namespace drover::tpcc {

std::string schema_argument(std::string_view schema) {
  if (schema.empty()) return "";
  const bool plain = std::all_of(schema.begin(), schema.end(), [](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9') || letter == '_';
  });
  const std::string_view quote = plain ? "" : "\"";
  return fmt::format(" --schema {0}{1}{0}", quote, schema);
}

}  // namespace drover::tpcc
