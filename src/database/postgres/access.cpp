#include "database/postgres/access.h"

#include <utility>

#include "database/postgres/connection.h"
#include "database/postgres/password_command.h"

namespace drover::database::postgres {

using coro::Task;

Task<std::unique_ptr<Connection>> open(Access access) {
  ConnectionChoice choice{.password = {}, .first_host = access.first_host};
  if (access.password_command.empty()) {
    co_return co_await Connection::open(std::move(access.conninfo), std::move(choice));
  }
  choice.password = co_await ask_password(std::move(access.password_command),
                                          connect_timeout_of(access.conninfo));
  try {
    co_return co_await Connection::open(std::move(access.conninfo), std::move(choice));
  } catch (const Error& error) {
    // PgBouncer refuses a password with 08P01, a server with 28P01.
    const bool is_refused_password =
        error.sqlstate() == "28P01" ||
        (error.sqlstate() == "08P01" && error.error_class() == ErrorClass::denied);
    if (!is_refused_password) throw;
    throw Error(ErrorClass::unavailable, error.sqlstate(), error.what());
  }
}

}  // namespace drover::database::postgres
