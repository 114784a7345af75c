// Errors of YDB: database::Error with the protocol's status, whose name is the sqlstate():
// "ABORTED", "TRANSPORT_UNAVAILABLE". Messages contain the server's text and the name of the call,
// and no metadata or requests, so no secret. Thread safety: any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "database/error.h"

namespace drover::database::ydb {

// Ydb.StatusIds.StatusCode. A server may send other numbers.
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

// Returns the protocol's name, "ABORTED", or "UNKNOWN_STATUS".
std::string_view status_name(Status status) noexcept;

// The status of a gRPC call (github.com/grpc/grpc/blob/master/doc/statuscodes.md). If it is not ok,
// the transport has failed, and there may be no reply.
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

// Returns "TRANSPORT_UNAVAILABLE": YDB itself has a status UNAVAILABLE.
std::string transport_status_name(TransportStatus status);

// Return true if the session must not be used again: it has ended, or its state is unknown.
bool ends_session(Status status) noexcept;
bool ends_session(TransportStatus status) noexcept;

// The purpose of a call, which decides about the class of its failure.
enum class Stage : std::uint8_t {
  opening,     // opens a session, or prepares it: a failure is unavailable or denied
  working,     // commits nothing
  committing,  // a failure of unknown outcome is an ambiguous_commit
};

// A position in the text of a statement, from 1 on. Row 0: unknown.
struct TextPosition {
  std::uint32_t row = 0;
  std::uint32_t column = 0;

  friend bool operator==(const TextPosition&, const TextPosition&) = default;
};

class YdbError final : public Error {
 public:
  // The error of a reply whose status is not success. `issues` is the text of its issues, `call`
  // the name of the call.
  YdbError(Status status, std::string_view issues, std::string_view call, Stage stage,
           TextPosition position = {});

  // The error of a missing or incomplete reply. `peer` is the authority of the node.
  YdbError(TransportStatus status, std::string_view details, std::string_view call,
           std::string_view peer, Stage stage);

  Status status() const noexcept { return status_; }                 // unspecified: no reply
  TransportStatus transport() const noexcept { return transport_; }  // ok: a reply
  TextPosition position() const noexcept { return position_; }  // of the error in the statement
  bool ends_session() const noexcept {
    return ydb::ends_session(status_) || ydb::ends_session(transport_);
  }

 private:
  Status status_ = Status::unspecified;
  TransportStatus transport_ = TransportStatus::ok;
  TextPosition position_;
};

// Returns true if the error concerns the text of the statement, such as a column that does not
// exist.
inline bool is_of_text(const YdbError& error) noexcept {
  return error.status() == Status::generic_error || error.status() == Status::scheme_error ||
         error.status() == Status::bad_request;
}

ErrorClass classify(Status status, Stage stage) noexcept;
ErrorClass classify(TransportStatus status, Stage stage) noexcept;

// Returns the class of the error for a transaction that had nothing to commit.
ErrorClass class_without_commit(const YdbError& error) noexcept;

}  // namespace drover::database::ydb
