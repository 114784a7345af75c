#include "database/postgres/identifier.h"

#include <fmt/format.h>

namespace drover::database::postgres {

std::string quote_identifier(std::string_view name) {
  std::string quoted = "\"";
  for (const char letter : name) {
    if (letter == '"') quoted += '"';
    quoted += letter;
  }
  return quoted + '"';
}

std::string qualified_name(std::string_view schema, std::string_view table) {
  if (schema.empty()) return quote_identifier(table);
  return fmt::format("{}.{}", quote_identifier(schema), quote_identifier(table));
}

}  // namespace drover::database::postgres
