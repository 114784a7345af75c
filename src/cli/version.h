// What this build is.
#pragma once

#include <string>

#include "report/document/result.h"

namespace drover::cli {

// The commit has "-dirty" behind it if the sources were changed since.
report::Tool tool();

// The day of the commit, as ISO 8601 has it.
std::string commit_date();

// For --version: also the libraries, as they were when the program was built; libpq as it is, too.
std::string version_text();

}  // namespace drover::cli
