// How the sessions of a command get to the server, and what they see there. A plain value.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

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
  writable,  // takes writes: a primary without default_transaction_read_only
};

struct Access {
  std::string conninfo = {};            // any connection string or URI of libpq
  std::string schema = {};              // empty: the search path of the server
  std::optional<Dialect> dialect = {};  // none: the server is asked
  // Executed at each connect; prints the password (password_command.h). Empty: libpq has it elsewhere.
  std::string password_command = {};
  // The number of the host, in the order of the string, with which to begin; behind the last comes the first. None: the
  // string says in which order they are tried.
  std::optional<std::size_t> first_host = {};
  // Called with a line for the user by an administrative session: which sessions hold the lock that
  // a statement waits for, and the support_notes() of the server (dialect.h). May be empty.
  std::function<void(std::string_view)> on_session_note = {};
  // Set once an administrative session of the command has told the support notes. Null: no session
  // tells them, because a run does (ServerFacts::notes).
  std::shared_ptr<std::atomic_flag> support_told = {};
  // Checked by open_in_schema() and open_connection() (session_setup.h); open() ignores it.
  ServerRole role = ServerRole::any;
  // How long to connect again, and at least four times, while the server has another role. 0: one
  // attempt.
  coro::Duration role_patience = std::chrono::milliseconds(500);
  // How long to try again while the server has too many connections (53300). Ignored if
  // role_patience is 0. A session that was just closed counts until its server process has ended.
  coro::Duration room_patience = std::chrono::seconds(1);
};

// As Connection::open(). A password of the command that the server does not take is of the class unavailable: the next
// one may be good.
coro::Task<std::unique_ptr<Connection>> open(Access access);

}  // namespace drover::database::postgres
