// `drover pg start|stop|status|psql`: the private PostgreSQL server by hand.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace drover::cli {

// Adds the subcommand `pg`. Parsing it sets `chosen` to what does the work and returns the exit
// code: 0 done, 1 failed, 2 wrong use; of status 0 running and 3 stopped, as pg_ctl has it; of
// psql its own. What it throws is database::embedded::ServerError.
void add_pg(CLI::App& app, std::function<int()>& chosen);

}  // namespace drover::cli
