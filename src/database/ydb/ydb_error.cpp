#include "database/ydb/ydb_error.h"

#include <fmt/format.h>

#include "database/message.h"

namespace drover::database::ydb {
namespace {

std::string reply_message(Status status, std::string_view issues, std::string_view call) {
  const std::string text = one_line(issues);
  std::string name(status_name(status));
  if (name == "UNKNOWN_STATUS") name = fmt::format("status {}", static_cast<int>(status));
  if (text.empty()) return fmt::format("{}: {}", call, name);
  return fmt::format("{}: {}: {}", call, name, text);
}

std::string_view advice(TransportStatus status) noexcept {
  switch (status) {
    case TransportStatus::unimplemented:
      return " (is this a YDB server, 24.1 or newer, with the Query service?)";
    case TransportStatus::unauthenticated:
    case TransportStatus::permission_denied:
      return " (check the token, or user and password)";
    default:
      return "";
  }
}

std::string transport_message(TransportStatus status, std::string_view details,
                              std::string_view call, std::string_view peer) {
  const std::string text = one_line(details);
  return fmt::format("{} at {}: {}{}{}{}", call, peer, transport_status_name(status),
                     text.empty() ? "" : ": ", text, advice(status));
}

// What a commit may have come to all the same. Any other status says that nothing was committed.
bool leaves_commit_unknown(Status status) noexcept {
  switch (status) {
    case Status::unspecified:
    case Status::undetermined:
    case Status::timeout:
    case Status::cancelled:
    case Status::internal_error:
    case Status::external_error:
      return true;
    default:
      return status_name(status) == "UNKNOWN_STATUS";
  }
}

// Another attempt will come to the same, unless the server is only not there yet.
ErrorClass classify_opening(Status status) noexcept {
  switch (status) {
    case Status::unauthorized:
    case Status::bad_request:
    case Status::not_found:
    case Status::scheme_error:
    case Status::unsupported:
      return ErrorClass::denied;
    default:
      return ErrorClass::unavailable;
  }
}

}  // namespace

ErrorClass classify(Status status, Stage stage) noexcept {
  if (stage == Stage::opening) return classify_opening(status);
  if (stage == Stage::committing && leaves_commit_unknown(status)) {
    return ErrorClass::ambiguous_commit;
  }
  switch (status) {
    case Status::aborted:
    case Status::unavailable:
    case Status::overloaded:
    case Status::undetermined:  // not of a commit: nothing of the transaction is in the database
      return ErrorClass::retryable;
    // The server has ended the session, as it does where it moves its load to other nodes, and has
    // done nothing: the same transaction may be tried on another one.
    case Status::bad_session:
    case Status::session_busy:
    case Status::session_expired:
      return ErrorClass::retryable;
    case Status::unauthorized:
      return ErrorClass::denied;
    case Status::timeout:
    case Status::cancelled:
      return ErrorClass::timed_out;
    default:
      return ErrorClass::statement;
  }
}

ErrorClass classify(TransportStatus status, Stage stage) noexcept {
  switch (status) {
    case TransportStatus::unauthenticated:
    case TransportStatus::permission_denied:
    case TransportStatus::unimplemented:
      return ErrorClass::denied;
    default:
      break;
  }
  if (stage == Stage::opening) return ErrorClass::unavailable;
  if (stage == Stage::committing) return ErrorClass::ambiguous_commit;
  return ends_session(status) ? ErrorClass::connection_lost : ErrorClass::statement;
}

YdbError::YdbError(Status status, std::string_view issues, std::string_view call, Stage stage)
    : Error(classify(status, stage), std::string(status_name(status)),
            reply_message(status, issues, call),
            status == Status::overloaded ? Backoff::slow : Backoff::fast),
      status_(status) {}

YdbError::YdbError(TransportStatus status, std::string_view details, std::string_view call,
                   std::string_view peer, Stage stage)
    : Error(classify(status, stage), std::string(transport_status_name(status)),
            transport_message(status, details, call, peer)),
      transport_(status) {}

}  // namespace drover::database::ydb
