#include "database/error.h"

#include <array>

namespace drover::database {
namespace {

struct Classed {
  std::string_view sqlstate;
  ErrorClass error_class;
};

// Those that do not go with their family.
constexpr Classed exceptions[] = {
    {"40001", ErrorClass::retryable},         // serialization failure
    {"40P01", ErrorClass::retryable},         // deadlock
    {"40003", ErrorClass::ambiguous_commit},  // statement completion unknown
    {"08007", ErrorClass::ambiguous_commit},  // transaction resolution unknown
    {"25P03", ErrorClass::connection_lost},   // idle in a transaction for too long
    {"57P05", ErrorClass::connection_lost},   // idle for too long
    {"57P01", ErrorClass::connection_lost},   // ended by the administrator
    {"57P02", ErrorClass::connection_lost},   // another session of the server has crashed
    {"57P03", ErrorClass::unavailable},       // starting up or shutting down
    {"53300", ErrorClass::unavailable},       // out of connection slots
    {"25006", ErrorClass::unavailable},       // read only: the server is a standby by now
    {"57P04", ErrorClass::denied},            // the database was dropped
    {"42501", ErrorClass::denied},            // no permission
    {"57014", ErrorClass::timed_out},         // statement_timeout, or cancelled
    {"55P03", ErrorClass::timed_out},         // lock_timeout, or NOWAIT
};

}  // namespace

std::string_view error_class_name(ErrorClass error_class) noexcept {
  constexpr std::array<std::string_view, error_class_count> names = {
      "retryable", "connection_lost", "ambiguous_commit", "unavailable",
      "denied",    "statement",       "timeout"};
  const auto index = static_cast<std::size_t>(error_class);
  return index < names.size() ? names[index] : "unknown";
}

ErrorClass classify_sqlstate(std::string_view sqlstate) noexcept {
  for (const Classed& exception : exceptions) {
    if (exception.sqlstate == sqlstate) return exception.error_class;
  }
  const std::string_view family = sqlstate.substr(0, 2);
  if (family == "08") return ErrorClass::connection_lost;
  if (family == "28" || family == "3D") return ErrorClass::denied;
  return ErrorClass::statement;
}

}  // namespace drover::database
