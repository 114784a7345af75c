// How the sessions of a command get to the server, and what they see there. A plain value.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "coro/task.h"
#include "database/dialect.h"

namespace drover::database::postgres {

class Connection;

struct Access {
  std::string conninfo = {};            // any connection string or URI of libpq
  std::string schema = {};              // empty: the search path of the server
  std::optional<Dialect> dialect = {};  // none: the server is asked
  // Executed at each connect; prints the password (password_command.h). Empty: libpq has it elsewhere.
  std::string password_command = {};
  // The number of the host, in the order of the string, with which to begin; behind the last comes the first. None: the
  // string says in which order they are tried.
  std::optional<std::size_t> first_host = {};
  // Takes a line for people when a statement of an administrative session waits for a lock: who
  // holds it. May be empty.
  std::function<void(std::string_view)> on_lock_wait = {};
};

// As Connection::open(). A password of the command that the server does not take is of the class unavailable: the next
// one may be good.
coro::Task<std::unique_ptr<Connection>> open(Access access);

}  // namespace drover::database::postgres
