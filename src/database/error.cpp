#include "database/error.h"

namespace drover::database {

std::string_view error_class_name(ErrorClass error_class) noexcept {
  switch (error_class) {
    case ErrorClass::retryable:
      return "retryable";
    case ErrorClass::connection_lost:
      return "connection_lost";
    case ErrorClass::ambiguous_commit:
      return "ambiguous_commit";
    case ErrorClass::unavailable:
      return "unavailable";
    case ErrorClass::denied:
      return "denied";
    case ErrorClass::statement:
      return "statement";
  }
  return "unknown";
}

ErrorClass classify_sqlstate(std::string_view sqlstate) noexcept {
  if (sqlstate == "40001" || sqlstate == "40P01") return ErrorClass::retryable;
  if (sqlstate == "57P01" || sqlstate == "57P02") return ErrorClass::connection_lost;
  if (sqlstate == "57P03" || sqlstate == "53300") return ErrorClass::unavailable;
  const std::string_view family = sqlstate.substr(0, 2);
  if (family == "08") return ErrorClass::connection_lost;
  if (family == "28" || family == "3D" || sqlstate == "42501") return ErrorClass::denied;
  return ErrorClass::statement;
}

}  // namespace drover::database
