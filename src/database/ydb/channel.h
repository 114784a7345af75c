// Channel: the connection of one worker to one endpoint, made when it is first needed and again
// after it was lost, at most a second later.
//
// Channels with the same target and arguments share one TCP connection by default, and the client
// waits for it while the server idles. Ours share none (GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL).
// A message may have 64,000,000 bytes in either direction. A connection that is silent for 10 s is
// asked whether it lives, and given up 10 s later.
//
// Belongs to one worker; not thread-safe but for start_call().
#pragma once

#include <array>
#include <string>

#include "coro/clock.h"
#include "database/ydb/method.h"

struct grpc_call;
struct grpc_channel;

namespace drover::database::ydb {

class CompletionThread;

inline constexpr int message_bytes_most = 64'000'000;

struct ChannelOptions {
  std::string authority;  // "host:port"
  bool tls = false;
  std::string ca_pem = {};       // empty: what this machine believes
  std::string server_name = {};  // in the certificate, where it is not the host; empty: the host
};

class Channel {
 public:
  // The completion thread must outlive it.
  Channel(CompletionThread& completions, const ChannelOptions& options);
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;
  // Calls that are still under way keep what they need of it.
  ~Channel();

  // No later than `timeout` from now; zero: whenever. To be released with grpc_call_unref(). Any
  // thread.
  grpc_call* start_call(Method method, coro::Duration timeout) const;

  const std::string& authority() const noexcept { return authority_; }
  CompletionThread& completions() const noexcept { return completions_; }

 private:
  CompletionThread& completions_;
  std::string authority_;
  grpc_channel* channel_;
  std::array<void*, method_count> registered_{};  // by gRPC
};

}  // namespace drover::database::ydb
