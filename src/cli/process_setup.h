// What the process has to be before it does anything: called once, first in main().
//
// - Standard files that are closed are opened, so that no other file gets their number. What is
//   written to a closed standard output still fails.
// - A file that may not grow (SIGXFSZ, ulimit -f) is an error of the write, EFBIG, and no death.
//   SIGPIPE goes on to end the process, without a word, as whoever reads our output has left.
// - Memory that cannot be had ends the process with one line and exit code 1: a worker full of
//   tasks cannot be unwound without memory.
// - As many descriptors as the hard limit allows.
// - Threads have a stack that suffices, whatever ulimit -s says.
#pragma once

namespace drover::cli {

// Throws std::runtime_error if the main thread's stack is limited to less than it needs.
void set_up_process();

}  // namespace drover::cli
