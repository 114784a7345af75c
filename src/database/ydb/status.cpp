#include "database/ydb/status.h"

namespace drover::database::ydb {

std::string_view status_name(Status status) noexcept {
  switch (status) {
    case Status::unspecified:
      return "STATUS_CODE_UNSPECIFIED";
    case Status::success:
      return "SUCCESS";
    case Status::bad_request:
      return "BAD_REQUEST";
    case Status::unauthorized:
      return "UNAUTHORIZED";
    case Status::internal_error:
      return "INTERNAL_ERROR";
    case Status::aborted:
      return "ABORTED";
    case Status::unavailable:
      return "UNAVAILABLE";
    case Status::overloaded:
      return "OVERLOADED";
    case Status::scheme_error:
      return "SCHEME_ERROR";
    case Status::generic_error:
      return "GENERIC_ERROR";
    case Status::timeout:
      return "TIMEOUT";
    case Status::bad_session:
      return "BAD_SESSION";
    case Status::precondition_failed:
      return "PRECONDITION_FAILED";
    case Status::already_exists:
      return "ALREADY_EXISTS";
    case Status::not_found:
      return "NOT_FOUND";
    case Status::session_expired:
      return "SESSION_EXPIRED";
    case Status::cancelled:
      return "CANCELLED";
    case Status::undetermined:
      return "UNDETERMINED";
    case Status::unsupported:
      return "UNSUPPORTED";
    case Status::session_busy:
      return "SESSION_BUSY";
    case Status::external_error:
      return "EXTERNAL_ERROR";
  }
  return "UNKNOWN_STATUS";
}

std::string_view transport_status_name(TransportStatus status) noexcept {
  constexpr std::string_view names[] = {
      "TRANSPORT_OK",
      "TRANSPORT_CANCELLED",
      "TRANSPORT_UNKNOWN",
      "TRANSPORT_INVALID_ARGUMENT",
      "TRANSPORT_DEADLINE_EXCEEDED",
      "TRANSPORT_NOT_FOUND",
      "TRANSPORT_ALREADY_EXISTS",
      "TRANSPORT_PERMISSION_DENIED",
      "TRANSPORT_RESOURCE_EXHAUSTED",
      "TRANSPORT_FAILED_PRECONDITION",
      "TRANSPORT_ABORTED",
      "TRANSPORT_OUT_OF_RANGE",
      "TRANSPORT_UNIMPLEMENTED",
      "TRANSPORT_INTERNAL",
      "TRANSPORT_UNAVAILABLE",
      "TRANSPORT_DATA_LOSS",
      "TRANSPORT_UNAUTHENTICATED",
  };
  const auto index = static_cast<std::size_t>(status);
  return index < std::size(names) ? names[index] : "TRANSPORT_UNKNOWN";
}

bool ends_session(Status status) noexcept {
  return status == Status::bad_session || status == Status::session_busy ||
         status == Status::session_expired;
}

bool ends_session(TransportStatus status) noexcept {
  return status != TransportStatus::ok && status != TransportStatus::resource_exhausted &&
         status != TransportStatus::out_of_range;
}

}  // namespace drover::database::ydb
