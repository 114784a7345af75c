// The manual page drover(1), in the man macros of roff. A pure function: the text follows from the
// commands alone.
#pragma once

#include <string>
#include <string_view>

#include "cli/option/command.h"

namespace drover::cli {

// `version` such as "drover 0.1.0"; `date` as ISO 8601 has it.
std::string man_page(const Command& program, std::string_view version, std::string_view date);

}  // namespace drover::cli
