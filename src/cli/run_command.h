// From a command's callback into the runtime, for commands that Ctrl-C simply ends.
#pragma once

#include <string_view>

#include "coro/task.h"

namespace drover::cli {

// Runs `work` on a worker of the calling thread. SIGINT or SIGTERM cancels it, in an orderly way; a
// second one ends the process. Returns exit_success, or exit_interrupted if it was cancelled before
// it was through. Throws what `work` throws.
int run_command(coro::Task<void> work);

// A line for people that is no part of the command's output.
void note_to_stderr(std::string_view line);

}  // namespace drover::cli
