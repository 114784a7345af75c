// What libpq says, as one line fit for a terminal (database/message.h): it hands out null pointers
// where it has nothing to say, and gathers what it says of a lost session, so that the same
// sentence may come twice.
#pragma once

#include <string>

#include "database/message.h"

namespace drover::database::postgres {

// Empty for a null pointer. No line comes a second time.
std::string one_line(const char* text);

}  // namespace drover::database::postgres
