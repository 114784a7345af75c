// What goes wrong at YDB: a database::Error that also knows the status of the protocol, whose name
// is its sqlstate(): "ABORTED", "TRANSPORT_UNAVAILABLE". Whether to try again is decided by its
// class.
//
// Pure; any thread. Messages are one line fit for a terminal and hold no secret: they are made of
// what the server says and of the name of the call, never of metadata or requests.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "database/error.h"

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

// What the call that failed was part of.
enum class Stage : std::uint8_t {
  opening,     // of a session, or of what comes before it: a failure is unavailable or denied
  working,     // nothing is committed by it
  committing,  // if nobody can know whether it did, the failure is an ambiguous_commit
};

// Of the text that was sent, from 1 on. The row 0: the server does not say.
struct TextPlace {
  std::uint32_t row = 0;
  std::uint32_t column = 0;

  friend bool operator==(const TextPlace&, const TextPlace&) = default;
};

class YdbError final : public Error {
 public:
  // A reply whose status is not success. `issues` is what issues_text() made of it; `call` names
  // the RPC.
  YdbError(Status status, std::string_view issues, std::string_view call, Stage stage,
           TextPlace place = {});

  // No reply, or not all of it. `peer` names the endpoint.
  YdbError(TransportStatus status, std::string_view details, std::string_view call,
           std::string_view peer, Stage stage);

  Status status() const noexcept { return status_; }                 // unspecified: no reply
  TransportStatus transport() const noexcept { return transport_; }  // ok: a reply
  TextPlace place() const noexcept { return place_; }  // where it has found something wrong
  bool ends_session() const noexcept {
    return ydb::ends_session(status_) || ydb::ends_session(transport_);
  }

 private:
  Status status_ = Status::unspecified;
  TransportStatus transport_ = TransportStatus::ok;
  TextPlace place_;
};

// Returns true if the error concerns the text of the statement, such as a column that does not
// exist.
inline bool is_of_text(const YdbError& error) noexcept {
  return error.status() == Status::generic_error || error.status() == Status::scheme_error ||
         error.status() == Status::bad_request;
}

ErrorClass classify(Status status, Stage stage) noexcept;
ErrorClass classify(TransportStatus status, Stage stage) noexcept;

// What a failure of a transaction that had nothing to commit is: nothing is in doubt.
ErrorClass class_without_commit(const YdbError& error) noexcept;

}  // namespace drover::database::ydb
