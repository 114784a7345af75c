// AttachStream: the open call by which a session lives: the server ends the session when it ends,
// and says on it that the session, or its node, is about to shut down.
//
// Belongs to one worker; not thread-safe. To destroy it is to cancel the call, which does not wait:
// what gRPC still writes to is kept by the call itself until its last completion, which is posted
// home and finds nobody. So the worker must outlive its CompletionThread, whose destructor waits
// for gRPC to have let go of everything.
#pragma once

#include <memory>
#include <string>

#include "database/ydb/ydb_error.h"

namespace Ydb::Query {
class SessionState;
}

namespace drover::database::ydb {

class CallMetadata;
class Channel;

// Told at home, never while the stream is opened.
class AttachListener {
 public:
  virtual void on_state(const Ydb::Query::SessionState& state) noexcept = 0;
  // The last one. `details` is what gRPC says of a failure.
  virtual void on_stream_end(TransportStatus status, std::string details) noexcept = 0;

 protected:
  ~AttachListener() = default;
};

// Keeps the call open.
using AttachStream = std::shared_ptr<void>;

// Begins the call, which has no deadline. Requires: on the channel's worker.
AttachStream open_attach_stream(Channel& channel, const std::string& session_id,
                                std::shared_ptr<const CallMetadata> metadata,
                                AttachListener& listener);

}  // namespace drover::database::ydb
