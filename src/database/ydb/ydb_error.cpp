#include "database/ydb/ydb_error.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <iterator>

#include "database/error.h"

namespace drover::database::ydb {

namespace {

using enum ErrorClass;

// The classes of a status.
struct Meaning {
  std::string_view name;
  ErrorClass working = statement;
  ErrorClass opening = unavailable;
  bool leaves_commit_unknown = false;  // false: nothing was committed
};

constexpr Meaning not_known{"UNKNOWN_STATUS", statement, unavailable, true};

// By number, in steps of 10 from 400000 on; one is unused. A server that ends a session to move its
// load to other nodes has executed nothing, so the transaction may be retried on another session.
constexpr Meaning meanings[] = {
    {"SUCCESS"},
    {"BAD_REQUEST", statement, denied},
    {"UNAUTHORIZED", denied, denied},
    {"INTERNAL_ERROR", statement, unavailable, true},
    {"ABORTED", retryable},
    {"UNAVAILABLE", retryable},
    {"OVERLOADED", retryable},
    {"SCHEME_ERROR", statement, denied},
    {"GENERIC_ERROR"},
    {"TIMEOUT", timed_out, unavailable, true},
    {"BAD_SESSION", retryable},
    not_known,
    {"PRECONDITION_FAILED"},
    {"ALREADY_EXISTS"},
    {"NOT_FOUND", statement, denied},
    {"SESSION_EXPIRED", retryable},
    {"CANCELLED", timed_out, unavailable, true},
    {"UNDETERMINED", retryable, unavailable, true},
    {"UNSUPPORTED", statement, denied},
    {"SESSION_BUSY", retryable},
    {"EXTERNAL_ERROR", statement, unavailable, true},
};
constexpr Meaning no_reply{"STATUS_CODE_UNSPECIFIED", statement, unavailable, true};

const Meaning& meaning_of(Status status) noexcept {
  if (status == Status::unspecified) return no_reply;
  const auto offset = static_cast<std::int64_t>(status) - 400'000;
  const auto index = static_cast<std::size_t>(offset / 10);
  const bool is_known = offset % 10 == 0 && offset >= 0 && index < std::size(meanings);
  return is_known ? meanings[index] : not_known;
}

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

}  // namespace

std::string_view status_name(Status status) noexcept {
  return meaning_of(status).name;
}

std::string transport_status_name(TransportStatus status) {
  constexpr auto names = std::to_array<std::string_view>(
      {"OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND",
       "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
       "ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS",
       "UNAUTHENTICATED"});
  const auto index = static_cast<std::size_t>(status);
  return fmt::format("TRANSPORT_{}", index < names.size() ? names[index] : "UNKNOWN");
}

bool ends_session(Status status) noexcept {
  return status == Status::bad_session || status == Status::session_busy ||
         status == Status::session_expired;
}

bool ends_session(TransportStatus status) noexcept {
  return status != TransportStatus::ok && status != TransportStatus::resource_exhausted &&
         status != TransportStatus::out_of_range;
}

ErrorClass classify(Status status, Stage stage) noexcept {
  const Meaning& meaning = meaning_of(status);
  if (stage == Stage::opening) return meaning.opening;
  if (stage == Stage::committing && meaning.leaves_commit_unknown) return ambiguous_commit;
  return meaning.working;
}

ErrorClass classify(TransportStatus status, Stage stage) noexcept {
  if (status == TransportStatus::unauthenticated || status == TransportStatus::permission_denied ||
      status == TransportStatus::unimplemented) {
    return denied;
  }
  if (stage == Stage::opening) return unavailable;
  if (stage == Stage::committing) return ambiguous_commit;
  return ends_session(status) ? connection_lost : statement;
}

YdbError::YdbError(Status status, std::string_view issues, std::string_view call, Stage stage,
                   TextPosition position)
    : Error(classify(status, stage), std::string(status_name(status)),
            reply_message(status, issues, call),
            status == Status::overloaded ? Backoff::slow : Backoff::fast),
      status_(status),
      position_(position) {}

YdbError::YdbError(TransportStatus status, std::string_view details, std::string_view call,
                   std::string_view peer, Stage stage)
    : Error(classify(status, stage), transport_status_name(status),
            transport_message(status, details, call, peer)),
      transport_(status) {}

ErrorClass class_without_commit(const YdbError& error) noexcept {
  if (error.error_class() != ErrorClass::ambiguous_commit) return error.error_class();
  if (error.transport() != TransportStatus::ok) {
    return classify(error.transport(), Stage::working);
  }
  return classify(error.status(), Stage::working);
}

}  // namespace drover::database::ydb
