// What the sessions of both sides waited for in the server, in a sentence. Pure; any thread.
#pragma once

#include <span>
#include <string>

#include "report/document/result.h"

namespace drover::report {

// "Time in the server by wait event, base to new: CPU 61% to 43%, IO:WALSync 20% to 41%, others 19% to 16%."; empty
// unless both sides have runs with --server-stats. A side is the mean of its runs.
std::string wait_events_note(std::span<const Result> base, std::span<const Result> new_runs);

}  // namespace drover::report
