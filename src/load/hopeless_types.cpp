#include "load/hopeless_types.h"

#include <string_view>

namespace drover::load {

bool is_lasting(const database::Error& error) noexcept {
  if (error.error_class() != database::ErrorClass::statement) return false;
  const std::string_view sqlstate = error.sqlstate();
  const bool is_of_family =
      sqlstate.size() == 5 && (sqlstate.starts_with("42") || sqlstate.starts_with("3F"));
  return is_of_family || sqlstate == "0A000" || sqlstate == "SCHEME_ERROR" ||
         sqlstate == "UNSUPPORTED";
}

void HopelessTypes::succeeded(std::size_t type) {
  const std::lock_guard lock(mutex_);
  types_[type].has_succeeded = true;
}

bool HopelessTypes::failed(std::size_t type, const database::Error& error, coro::Instant now) {
  const std::lock_guard lock(mutex_);
  Failures& failures = types_[type];
  if (failures.has_succeeded) return false;
  if (!is_lasting(error)) {
    failures.in_a_row = 0;
    return false;
  }
  if (failures.in_a_row == 0 || failures.sqlstate != error.sqlstate()) {
    failures = {.sqlstate = error.sqlstate(), .since = now};
  }
  ++failures.in_a_row;
  return failures.in_a_row >= failures_least && now - failures.since >= time_least;
}

}  // namespace drover::load
