#include "metrics/metrics_endpoint.h"

#include <CivetServer.h>
#include <fmt/format.h>
#include <netdb.h>
#include <prometheus/exposer.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <vector>

#include "measure/process.h"

namespace drover::metrics {
namespace {

constexpr std::string_view path = "/metrics";

// Blocks all signals, so that new threads take none.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &mask_);
  }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &mask_, nullptr); }

 private:
  sigset_t mask_{};
};

// The first log message of civetweb's start, which is the reason of a failure.
thread_local std::string first_message;

int keep_message(const mg_connection*, const char* message) {
  if (first_message.empty()) first_message = message;
  return 1;  // civetweb does not log the message itself
}

void* lower_priority(const mg_context*, int) {
  constexpr int nice = 10;
  // On Linux this changes only the calling thread.
  setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), nice);
  return nullptr;
}

// Replaces civetweb's own answer, which calls gmtime(). This function is not thread-safe.
int answer_error(mg_connection* connection, int status, const char*) {
  const std::string text = fmt::format("{} {}: only GET {} is answered.\n", status,
                                       mg_get_response_code_text(connection, status), path);
  const std::string answer = fmt::format(
      "HTTP/1.1 {} {}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {}\r\n"
      "{}Connection: close\r\n\r\n{}",
      status, mg_get_response_code_text(connection, status), text.size(),
      status == 405 ? "Allow: GET\r\n" : "", text);
  mg_write(connection, answer.data(), answer.size());
  return 0;
}

// Answers other requests than GET /metrics with an error. Returns 0 for GET /metrics.
int refuse_the_rest(mg_connection* connection) {
  const mg_request_info* request = mg_get_request_info(connection);
  int status = 0;
  if (request->local_uri == nullptr || request->local_uri != path) {
    status = 404;
  } else if (request->request_method != std::string_view("GET")) {
    status = 405;
  }
  if (status != 0) mg_send_http_error(connection, status, "%s", "");
  return status;
}

CivetCallbacks limited() {
  CivetCallbacks callbacks;
  callbacks.log_message = keep_message;
  callbacks.init_thread = lower_priority;
  callbacks.begin_request = refuse_the_rest;
  callbacks.http_error = answer_error;
  return callbacks;
}

// Returns the part in brackets: "cannot bind to 127.0.0.1:9464: 98 (Address already in use)".
std::string reason_of(const std::string& message) {
  const std::size_t open = message.rfind('(');
  const std::size_t close = message.rfind(')');
  if (open == std::string::npos || close == std::string::npos || close < open) return message;
  return message.substr(open + 1, close - open - 1);
}

std::runtime_error cannot_listen(const ListenAddress& address, std::string_view reason) {
  return std::runtime_error(
      fmt::format("metrics: cannot listen on {}: {}", address.text(), reason));
}

std::unique_ptr<prometheus::Exposer> listen(const ListenAddress& address) {
  constexpr unsigned ipv6 = 8;  // Debian's civetweb is built without it
  if (address.host.find(':') != std::string::npos && mg_check_feature(ipv6) == 0) {
    throw cannot_listen(address,
                        "the civetweb library of this system supports only IPv4. Name an IPv4 "
                        "address, such as 127.0.0.1:9464");
  }
  // Without a document root, civetweb serves no files.
  const std::vector<std::string> options = {"listening_ports",
                                            address.text(),
                                            "num_threads",
                                            "2",
                                            "request_timeout_ms",
                                            "5000",
                                            "max_request_size",
                                            "8192",
                                            "access_control_allow_origin",
                                            "",
                                            "access_control_allow_methods",
                                            ""};
  const CivetCallbacks callbacks = limited();
  first_message.clear();
  try {
    return std::make_unique<prometheus::Exposer>(options, &callbacks);
  } catch (const CivetException& error) {
    const std::string reason = first_message.empty() ? error.what() : reason_of(first_message);
    throw cannot_listen(
        address,
        reason + ". Name another port (0: any free port), or another address of this machine");
  }
}

// Connects to the endpoint, because its accepting thread notices the end only at a connection, or
// every two seconds.
void wake(const ListenAddress& address) {
  addrinfo hints{};
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const std::string port = std::to_string(address.port);
  if (getaddrinfo(address.host.c_str(), port.c_str(), &hints, &found) != 0) return;
  const int caller = ::socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (caller >= 0) {
    ::connect(caller, found->ai_addr, found->ai_addrlen);
    ::close(caller);
  }
  freeaddrinfo(found);
}

}  // namespace

MetricsEndpoint::MetricsEndpoint(const ListenAddress& address, const load::Plan& plan,
                                 std::vector<std::pair<std::string, std::string>> info)
    : run_{.plan = plan, .info = std::move(info)},
      latest_(plan.threads),
      shown_(std::make_shared<const RunFigures>(latest_)),
      address_(address),
      collectable_(static_cast<prometheus::Collectable*>(this), [](auto*) {}) {
  const SignalsBlocked blocked;
  sigaction(SIGPIPE, nullptr, &pipe_before_);
  exposer_ = listen(address_);
  exposer_->RegisterCollectable(collectable_, std::string(path));
  const std::vector<int> ports = exposer_->GetListeningPorts();
  if (!ports.empty()) address_.port = static_cast<std::uint16_t>(ports.front());
}

// Another thread wakes the accepting thread, because the call that ends it blocks.
MetricsEndpoint::~MetricsEndpoint() {
  const SignalsBlocked blocked;
  std::atomic<bool> ended{false};
  std::jthread waker([this, &ended] {
    while (!ended) {
      wake(address_);
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  });
  exposer_.reset();
  ended = true;
  sigaction(SIGPIPE, &pipe_before_, nullptr);
}

std::string MetricsEndpoint::url() const {
  return fmt::format("http://{}/metrics", address_.text());
}

std::vector<prometheus::MetricFamily> MetricsEndpoint::Collect() const {
  std::unique_lock lock(mutex_);
  const std::shared_ptr<const RunFigures> shown = shown_;
  lock.unlock();
  return families_of(run_, *shown, measure::read_process_usage());
}

template <class Change>
void MetricsEndpoint::change(Change change) {
  change(latest_);
  auto figures = std::make_shared<const RunFigures>(latest_);
  const std::lock_guard lock(mutex_);
  shown_.swap(figures);
}

void MetricsEndpoint::on_started(coro::Duration /*ramp_up*/) {
  change([&](RunFigures& figures) {
    figures.state =
        run_.plan.warmup > coro::Duration::zero() ? RunState::warmup : RunState::measure;
    figures.database.connections_open = run_.plan.connections;
  });
}

void MetricsEndpoint::on_snapshot(const load::Snapshot& snapshot) {
  change([&](RunFigures& figures) { figures.take(snapshot); });
}

void MetricsEndpoint::on_ended(bool database_away) {
  change([&](RunFigures& figures) { figures.end(database_away); });
}

void MetricsEndpoint::show_outcome(const load::Outcome& outcome) {
  change([&](RunFigures& figures) { figures.take(outcome); });
}

}  // namespace drover::metrics
