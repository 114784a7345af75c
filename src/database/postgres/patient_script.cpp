#include "database/postgres/patient_script.h"

#include <fmt/format.h>

#include <exception>
#include <utility>

#include "coro/sleep.h"
#include "database/error.h"
#include "database/session_pool.h"
#include "text/plain_text.h"

namespace drover::database::postgres {

using coro::Task;

Task<void> repeated(Connection& connection, std::function<Task<void>()> transaction) {
  constexpr int tries_max = 10;
  ReopenPause pause(0);
  for (int tries = 1;; ++tries) {
    std::exception_ptr end;
    bool again = false;
    try {
      co_await transaction();
      co_return;
    } catch (const Error& error) {
      end = std::current_exception();
      again =
          error.error_class() == ErrorClass::retryable && tries < tries_max && !connection.broken();
    }
    co_await roll_back(connection);
    if (!again) std::rethrow_exception(end);
    co_await coro::sleep_for(pause(tries));
  }
}

Task<Result> script_patiently(Connection& connection, std::string sql) {
  if (connection.in_transaction()) co_return co_await connection.script(std::move(sql));
  Result result;
  auto execute = [&]() -> Task<void> { result = co_await connection.script(sql); };
  co_await repeated(connection, execute);
  co_return result;
}

std::string no_statistics_note(std::string_view tables, std::string_view warning) {
  return fmt::format(
      "note: {} may lack statistics, so statements may be slow. The server warned: {} Ask the "
      "owner of the table to run ANALYZE",
      tables, text::sentence(warning));
}

}  // namespace drover::database::postgres
