// What goes wrong at YDB: a database::Error that also knows the status of the protocol, by which a
// retry is decided (retry.h). Its sqlstate() is the name of that status: "ABORTED",
// "TRANSPORT_UNAVAILABLE".
//
// Pure; any thread. Messages are one line fit for a terminal and hold no secret: they are made of
// what the server says and of the name of the call, never of metadata or requests.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "database/error.h"
#include "database/ydb/status.h"

namespace drover::database::ydb {

// What the call that failed was part of.
enum class Stage : std::uint8_t {
  opening,     // of a session, or of what comes before it: a failure is unavailable or denied
  working,     // nothing is committed by it
  committing,  // if nobody can know whether it did, the failure is an ambiguous_commit
};

class YdbError final : public Error {
 public:
  // A reply whose status is not success. `issues` is what issues_text() made of it; `call` names
  // the RPC.
  YdbError(Status status, std::string_view issues, std::string_view call, Stage stage);

  // No reply, or not all of it. `peer` names the endpoint.
  YdbError(TransportStatus status, std::string_view details, std::string_view call,
           std::string_view peer, Stage stage);

  Status status() const noexcept { return status_; }                 // unspecified: no reply
  TransportStatus transport() const noexcept { return transport_; }  // ok: a reply
  bool ends_session() const noexcept {
    return ydb::ends_session(status_) || ydb::ends_session(transport_);
  }

 private:
  Status status_ = Status::unspecified;
  TransportStatus transport_ = TransportStatus::ok;
};

ErrorClass classify(Status status, Stage stage) noexcept;
ErrorClass classify(TransportStatus status, Stage stage) noexcept;

}  // namespace drover::database::ydb
