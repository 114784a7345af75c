// --password-command: a command of the user's that prints the password, asked at each connect, for a token that expires.
//
// /bin/sh -c executes it, in a process group of its own, with nothing to read. Its first line of output is the password.
// No thread is blocked by it. Of each command one is executed at a time by a thread: whoever connects meanwhile has its
// answer, so that many sessions that open at once do not start as many shells.
//
// The password is in no message. Thread safety: none is needed, each thread has its own.
#pragma once

#include <cstddef>
#include <string>

#include "coro/clock.h"
#include "coro/task.h"

namespace drover::database::postgres {

inline constexpr std::size_t password_bytes_max = 64 * 1024;

// Throws Error (unavailable: it may have a password the next time) where the command fails, prints nothing, prints too
// much, or takes longer than `patience`; it is killed then, as when this is cancelled.
coro::Task<std::string> ask_password(std::string command, coro::Duration patience);

}  // namespace drover::database::postgres
