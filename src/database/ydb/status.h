// The status of a reply of YDB, and of a call of gRPC that brought none, by their numbers in the
// protocols. Pure; any thread.
#pragma once

#include <cstdint>
#include <string_view>

namespace drover::database::ydb {

// Ydb.StatusIds.StatusCode. A server may say one that is not here.
enum class Status : std::int32_t {
  unspecified = 0,  // no reply
  success = 400000,
  bad_request = 400010,
  unauthorized = 400020,
  internal_error = 400030,
  aborted = 400040,
  unavailable = 400050,
  overloaded = 400060,
  scheme_error = 400070,
  generic_error = 400080,
  timeout = 400090,
  bad_session = 400100,
  precondition_failed = 400120,
  already_exists = 400130,
  not_found = 400140,
  session_expired = 400150,
  cancelled = 400160,
  undetermined = 400170,
  unsupported = 400180,
  session_busy = 400190,
  external_error = 400200,
};

// "ABORTED", as the protocol has it; "UNKNOWN_STATUS" for a number that is not there.
std::string_view status_name(Status status) noexcept;

// How a call of gRPC ended (github.com/grpc/grpc/blob/master/doc/statuscodes.md). Anything but ok
// says that the transport failed and that there may be no reply.
enum class TransportStatus : std::int32_t {
  ok = 0,
  cancelled = 1,
  unknown = 2,
  invalid_argument = 3,
  deadline_exceeded = 4,
  not_found = 5,
  already_exists = 6,
  permission_denied = 7,
  resource_exhausted = 8,
  failed_precondition = 9,
  aborted = 10,
  out_of_range = 11,
  unimplemented = 12,
  internal = 13,
  unavailable = 14,
  data_loss = 15,
  unauthenticated = 16,
};

// "TRANSPORT_UNAVAILABLE": told apart from the statuses of YDB, which has an UNAVAILABLE, too.
std::string_view transport_status_name(TransportStatus status) noexcept;

// Whether the session on which it happened must not be used again (the server has ended it, or
// nobody knows its state).
bool ends_session(Status status) noexcept;
bool ends_session(TransportStatus status) noexcept;

}  // namespace drover::database::ydb
