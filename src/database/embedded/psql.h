// Runs psql for a person at the terminal.
#pragma once

#include <string>
#include <vector>

#include "database/embedded/installation.h"

namespace drover::database::embedded {

// Runs psql with our terminal, environment and standard files, waits for its end and returns its
// exit code, 128 + number after a signal. Ctrl-C meanwhile is psql's alone. To be called from a
// process without other threads. Throws ServerError when psql cannot be started.
int run_psql(const Installation& installation, const std::string& conninfo,
             const std::vector<std::string>& arguments);

}  // namespace drover::database::embedded
