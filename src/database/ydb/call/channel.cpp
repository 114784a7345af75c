#include "database/ydb/call/channel.h"

#include <grpc/grpc.h>
#include <grpc/grpc_security.h>
#include <grpc/support/time.h>

#include <cstdlib>
#include <vector>

#include "database/ydb/call/completion_thread.h"
#include "file/bounded_file.h"

namespace drover::database::ydb {
namespace {

constexpr int keepalive_ms = 10'000;
constexpr int reconnect_first_ms = 100;
constexpr int reconnect_most_ms = 1000;

// gRPC brings a list of its own, which grows old; the machine's is kept up by its distribution.
const char* machine_authorities() {
  static const std::string pem = file::text_or_nothing("/etc/ssl/certs/ca-certificates.crt");
  const bool named = std::getenv("GRPC_DEFAULT_SSL_ROOTS_FILE_PATH") != nullptr;
  return pem.empty() || named ? nullptr : pem.c_str();
}

grpc_channel_credentials* make_credentials(const Endpoint& endpoint, const std::string& ca_pem) {
  if (!endpoint.tls) return grpc_insecure_credentials_create();
  const char* pem = ca_pem.empty() ? machine_authorities() : ca_pem.c_str();
  return grpc_ssl_credentials_create_ex(pem, nullptr, nullptr, nullptr);
}

grpc_arg integer(const char* name, int value) {
  grpc_arg arg{};
  arg.type = GRPC_ARG_INTEGER;
  arg.key = const_cast<char*>(name);
  arg.value.integer = value;
  return arg;
}

std::vector<grpc_arg> arguments_of(const Endpoint& endpoint) {
  std::vector<grpc_arg> arguments = {
      integer(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1),
      integer(GRPC_ARG_MAX_SEND_MESSAGE_LENGTH, message_bytes_most),
      integer(GRPC_ARG_MAX_RECEIVE_MESSAGE_LENGTH, message_bytes_most),
      integer(GRPC_ARG_KEEPALIVE_TIME_MS, keepalive_ms),
      integer(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, keepalive_ms),
      integer(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1),
      integer(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0),
      // Its default of up to two minutes would make an outage longer than it is.
      integer(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, reconnect_first_ms),
      integer(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, reconnect_most_ms),
      // What to try again is decided by our callers, and what is not needed costs time in each call.
      integer(GRPC_ARG_ENABLE_RETRIES, 0),
      integer(GRPC_ARG_SERVICE_CONFIG_DISABLE_RESOLUTION, 1),
      integer(GRPC_ARG_ENABLE_CHANNELZ, 0),
      // A database is reached directly: http_proxy of the environment is for browsers.
      integer(GRPC_ARG_ENABLE_HTTP_PROXY, 0),
  };
  if (endpoint.tls && !endpoint.server_name.empty()) {
    grpc_arg arg{};
    arg.type = GRPC_ARG_STRING;
    arg.key = const_cast<char*>(GRPC_SSL_TARGET_NAME_OVERRIDE_ARG);
    arg.value.string = const_cast<char*>(endpoint.server_name.c_str());
    arguments.push_back(arg);
  }
  return arguments;
}

grpc_channel* make_channel(const Endpoint& endpoint, const std::string& ca_pem) {
  std::vector<grpc_arg> arguments = arguments_of(endpoint);
  const grpc_channel_args list{arguments.size(), arguments.data()};
  grpc_channel_credentials* credentials = make_credentials(endpoint, ca_pem);
  // Never null: a channel that cannot be made fails each of its calls.
  grpc_channel* channel = grpc_channel_create(endpoint.authority.c_str(), credentials, &list);
  grpc_channel_credentials_release(credentials);
  return channel;
}

}  // namespace

Channel::Channel(CompletionThread& completions, const Endpoint& endpoint, const std::string& ca_pem)
    : completions_(completions),
      authority_(endpoint.authority),
      channel_(make_channel(endpoint, ca_pem)) {
  for (std::size_t i = 0; i < method_count; ++i) {
    registered_.at(i) = grpc_channel_register_call(channel_, methods.at(i).path, nullptr, nullptr);
  }
}

Channel::~Channel() {
  grpc_channel_destroy(channel_);
}

grpc_call* Channel::start_call(Method method, coro::Duration timeout) const {
  void* registered = registered_.at(static_cast<std::size_t>(method));
  gpr_timespec deadline = gpr_inf_future(GPR_CLOCK_MONOTONIC);
  if (timeout > coro::Duration::zero()) {
    deadline = gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC),
                            gpr_time_from_nanos(timeout.count(), GPR_TIMESPAN));
  }
  return grpc_channel_create_registered_call(channel_, nullptr, GRPC_PROPAGATE_DEFAULTS,
                                             completions_.queue(), registered, deadline, nullptr);
}

}  // namespace drover::database::ydb
