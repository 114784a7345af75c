// What libpq says, as one line fit for a terminal (database/message.h): it hands out null pointers
// where it has nothing to say.
#pragma once

#include <string>

#include "database/message.h"

namespace drover::database::postgres {

// Empty for a null pointer.
inline std::string one_line(const char* text) {
  return database::one_line(text != nullptr ? text : "");
}

}  // namespace drover::database::postgres
