// Access: how sessions connect to the server, and what they see there.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "coro/clock.h"
#include "coro/task.h"
#include "database/server.h"

namespace drover::database::postgres {

class Connection;

// The kind of server that a session requires. Behind a balancer each connection may lead to another
// server.
enum class ServerRole : std::uint8_t {
  any,       // including a standby, whose data may lag
  primary,   // a server whose data do not lag
  writable,  // accepts writes: a primary without default_transaction_read_only
};

struct Access {
  std::string conninfo = {};            // a connection string or URI of libpq
  std::string schema = {};              // empty: the search path of the server
  std::optional<Dialect> dialect = {};  // none: ask the server
  // Executed at each connect, and prints the password (ask_password()). Empty: libpq finds it.
  std::string password_command = {};
  // The number of the host in the connection string to try first; the hosts before it come last.
  // None: the string decides.
  std::optional<std::size_t> first_host = {};
  // Called with a line for the user by an administrative session: which sessions hold the lock that
  // a statement waits for, and the support_notes() of the server (dialect.h). May be empty.
  NoteFunction on_session_note = {};
  // Set once an administrative session of the command has told the support notes. Null: no session
  // tells them, because a run does (ServerFacts::notes).
  std::shared_ptr<std::atomic_flag> support_told = {};
  // Checked by open_in_schema() and open_connection() (session_setup.h); open() ignores it.
  ServerRole role = ServerRole::any;
  // How long to connect again, and at least four times, while the server has another role. 0: one
  // attempt.
  coro::Duration role_timeout = std::chrono::milliseconds(500);
  // How long to try again while the server has too many connections (53300). Ignored if
  // role_timeout is 0. A session that was just closed counts until its server process has ended.
  coro::Duration room_timeout = std::chrono::seconds(1);
};

// Opens a connection (Connection::open()). If the server refuses a password of the command, the
// error has the class unavailable, because the next password may be right.
coro::Task<std::unique_ptr<Connection>> open(Access access);

inline constexpr std::size_t password_bytes_max = 64 * 1024;

// Executes a command and returns the first line of its output, the password, which no message
// contains. /bin/sh -c executes it in a process group of its own, without input. A thread executes
// a command once at a time: all tasks that ask meanwhile get the same answer.
//
// Throws Error (unavailable) if the command fails, prints nothing or too much, or exceeds the
// timeout. A timeout or a cancellation kills the command.
coro::Task<std::string> ask_password(std::string command, coro::Duration timeout);

}  // namespace drover::database::postgres
