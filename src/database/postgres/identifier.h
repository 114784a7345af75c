// Names in SQL. Pure functions; any thread.
#pragma once

#include <string>
#include <string_view>

namespace drover::database::postgres {

// A name in double quotes, so that any name is taken as it is.
std::string quote_identifier(std::string_view name);

// "schema"."table", or "table" for an empty schema.
std::string qualified_name(std::string_view schema, std::string_view table);

}  // namespace drover::database::postgres
