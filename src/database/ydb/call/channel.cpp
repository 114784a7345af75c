#include "database/ydb/call/channel.h"

#include <absl/synchronization/mutex.h>
#include <grpc/grpc.h>
#include <grpc/grpc_security.h>
#include <grpc/support/log.h>
#include <grpc/support/time.h>
#include <pthread.h>
#include <signal.h>

#include <cassert>
#include <cstdlib>
#include <vector>

#include "coro/started_thread.h"
#include "file/bounded_file.h"

namespace drover::database::ydb {

namespace {

constexpr int keepalive_ms = 10'000;
constexpr int reconnect_first_ms = 100;
constexpr int reconnect_most_ms = 1000;

// Uses the machine's list, which its distribution updates, and not gRPC's own list.
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
      // gRPC's default of up to two minutes would prolong an outage.
      integer(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, reconnect_first_ms),
      integer(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, reconnect_most_ms),
      // The callers decide about retries. Unused features cost time in each call.
      integer(GRPC_ARG_ENABLE_RETRIES, 0),
      integer(GRPC_ARG_SERVICE_CONFIG_DISABLE_RESOLUTION, 1),
      integer(GRPC_ARG_ENABLE_CHANNELZ, 0),
      // The variable http_proxy is meant for browsers.
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

// gRPC's log would damage the live screen. The status of a call has the failure, too.
void drop_log(gpr_log_func_args*) {}

void start_grpc() {
  static const bool started = [] {
    if (std::getenv("GRPC_VERBOSITY") == nullptr) gpr_set_log_function(drop_log);
    // Debian's Abseil looks for deadlocks at each lock, in a graph that all threads share.
    absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
    grpc_init();
    return true;
  }();
  static_cast<void>(started);
}

grpc_completion_queue* make_queue() {
  start_grpc();
  return grpc_completion_queue_create_for_next(nullptr);
}

grpc_call* make_bell(grpc_completion_queue* queue) {
  grpc_channel* channel = grpc_lame_client_channel_create("", GRPC_STATUS_UNAVAILABLE, "");
  grpc_call* call = grpc_channel_create_call(channel, nullptr, GRPC_PROPAGATE_DEFAULTS, queue,
                                             grpc_slice_from_static_string("/bell"), nullptr,
                                             gpr_inf_future(GPR_CLOCK_MONOTONIC), nullptr);
  grpc_channel_destroy(channel);  // the call keeps it
  return call;
}

}  // namespace

Channel::Channel(CompletionThread& completions, const Endpoint& endpoint, const std::string& ca_pem)
    : completions_(completions),
      authority_(endpoint.authority),
      channel_(make_channel(endpoint, ca_pem)) {
  for (std::size_t i = 0; i < methods.size(); ++i) {
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

CompletionThread::CompletionThread() : queue_(make_queue()), bell_(make_bell(queue_)) {
  // This thread must handle no signals.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    thread_ = coro::started_thread<std::thread>("gRPC's answers", [this] { run(); });
  } catch (...) {
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    throw;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_setname_np(thread_.native_handle(), "drover-grpc");
}

CompletionThread::~CompletionThread() {
  // Pairs with stream_ends().
  for (int open = streams_.load(std::memory_order_acquire); open != 0;
       open = streams_.load(std::memory_order_acquire)) {
    streams_.wait(open, std::memory_order_acquire);
  }
  grpc_call_unref(bell_);
  grpc_completion_queue_shutdown(queue_);
  thread_.join();
  grpc_completion_queue_destroy(queue_);
}

// An empty batch completes at once.
void CompletionThread::call_soon(CompletionHandler& handler) noexcept {
  [[maybe_unused]] const grpc_call_error error =
      grpc_call_start_batch(bell_, nullptr, 0, &handler, nullptr);
  assert(error == GRPC_CALL_OK);
}

void CompletionThread::run() noexcept {
  for (;;) {
    const grpc_event event =
        grpc_completion_queue_next(queue_, gpr_inf_future(GPR_CLOCK_REALTIME), nullptr);
    if (event.type == GRPC_QUEUE_SHUTDOWN) return;
    // The status of the call says whether the operation succeeded.
    if (event.type == GRPC_OP_COMPLETE) {
      static_cast<CompletionHandler*>(event.tag)->complete();
    }
  }
}

}  // namespace drover::database::ydb
