// timer_server: answers each line "after MILLISECONDS TEXT" with TEXT after that time.
//
//   timer_server PORT [CONNECTIONS]     on 127.0.0.1. Port 0 takes a free port and prints it
//
// It shows:
//   - One task per connection, written like blocking code. A connection that waits for its timer
//     costs two coroutine frames and a node in the timer wheel, so one thread serves thousands.
//   - A Scope owns all tasks. However the server ends, all tasks end first.
//   - A Semaphore limits the connections. Further clients wait in the kernel's queue.
//   - Ctrl-C is an ordinary event: the signal is read from a descriptor and cancels the scope.
//   - Errors of one client end only its task. std::exception does not catch a cancellation.
#include <arpa/inet.h>
#include <sys/resource.h>
#include <sys/signalfd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "coro/block_on.h"
#include "coro/scope.h"
#include "coro/semaphore.h"
#include "coro/sleep.h"
#include "stream.h"

namespace {

using drover::coro::FdWatch;
using drover::coro::Readiness;
using drover::coro::Scope;
using drover::coro::Semaphore;
using drover::coro::Task;

constexpr std::size_t line_length_max = 1024;
constexpr std::int64_t delay_ms_max = 3'600'000;

std::optional<std::int64_t> parse_number(std::string_view text, std::int64_t max) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  if (!whole || number < 0 || number > max) return std::nullopt;
  return number;
}

struct Request {
  std::int64_t delay_ms = 0;
  std::string_view text;
};

std::optional<Request> parse_request(std::string_view line) {
  constexpr std::string_view command = "after ";
  if (!line.starts_with(command)) return std::nullopt;
  line.remove_prefix(command.size());
  const std::size_t space = std::min(line.find(' '), line.size());
  const auto delay_ms = parse_number(line.substr(0, space), delay_ms_max);
  if (!delay_ms) return std::nullopt;
  return Request{*delay_ms, line.substr(std::min(space + 1, line.size()))};
}

// Nothing at the end of the stream. What was read beyond the line stays in `buffer`.
Task<std::optional<std::string>> next_line(Stream& stream, std::string& buffer) {
  std::size_t end = buffer.find('\n');
  while (end == std::string::npos) {
    if (buffer.size() > line_length_max) throw std::length_error("a line is too long");
    std::array<char, 256> chunk;
    const std::size_t count = co_await stream.read_some(chunk);
    if (count == 0) co_return std::nullopt;
    buffer.append(chunk.data(), count);
    end = buffer.find('\n');
  }
  std::string line = buffer.substr(0, end);
  buffer.erase(0, end + 1);
  co_return line;
}

class TimerServer {
 public:
  TimerServer(std::uint16_t port, std::size_t connections_max)
      : listener_(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), "socket"),
        places_(connections_max) {
    const int on = 1;
    setsockopt(listener_.fd(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    socklen_t size = sizeof address;
    if (bind(listener_.fd(), generic, size) != 0) throw_errno("bind");
    if (listen(listener_.fd(), SOMAXCONN) != 0) throw_errno("listen");
    getsockname(listener_.fd(), generic, &size);
    std::printf("listening on 127.0.0.1:%d\n", ntohs(address.sin_port));
    std::fflush(stdout);
  }

  // Serves until `signals` has something to say.
  Task<void> run(const Descriptor& signals) {
    auto body = [&](Scope& scope) -> Task<void> {
      scope.start(accept_all(scope));
      FdWatch watch(signals.fd());
      co_await watch.ready(Readiness::read);
      scope.cancel();  // every task below ends at its await, and closes its socket
    };
    co_await drover::coro::with_scope(body);
    std::printf("stopped: %lld answers to %lld connections\n", answers_, connections_);
  }

 private:
  Task<void> accept_all(Scope& scope) {
    FdWatch watch(listener_.fd());
    for (;;) {
      Semaphore::Permit place = co_await places_.acquire();
      int fd = -1;
      while ((fd = accept4(listener_.fd(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)) < 0) {
        if (errno == EAGAIN) {
          co_await watch.ready(Readiness::read);
        } else if (errno != EINTR && errno != ECONNABORTED) {
          // Most likely out of descriptors: there are more when a connection has ended.
          co_await drover::coro::sleep_for(std::chrono::milliseconds(100));
        }
      }
      ++connections_;
      scope.start(serve(Descriptor(fd, "accept"), std::move(place)));
    }
  }

  // The place is free again when this task's frame is gone.
  Task<void> serve(Descriptor socket, [[maybe_unused]] Semaphore::Permit place) {
    try {
      Stream stream(std::move(socket));
      std::string buffer;
      while (const auto line = co_await next_line(stream, buffer)) co_await answer(stream, *line);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "a connection has ended: %s\n", error.what());
    }
  }

  Task<void> answer(Stream& stream, std::string_view line) {
    std::string text = "error: expected \"after MILLISECONDS TEXT\", of an hour at most\n";
    if (const auto request = parse_request(line)) {
      co_await drover::coro::sleep_for(std::chrono::milliseconds(request->delay_ms));
      text.assign(request->text).append("\n");
      ++answers_;
    }
    co_await stream.write_all(text);
  }

  Descriptor listener_;
  Semaphore places_;
  long long connections_ = 0;
  long long answers_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  const auto port = argc > 1 ? parse_number(argv[1], 65535) : std::nullopt;
  const auto connections_max = argc > 2 ? parse_number(argv[2], 1'000'000) : 10'000;
  if (argc > 3 || !port || connections_max.value_or(0) == 0) {
    std::fprintf(stderr, "expected PORT (0 to 65535) and perhaps CONNECTIONS (1 to 1000000)\n");
    return 2;
  }
  try {
    // Blocked, the signals come through the descriptor only.
    sigset_t stop;
    sigemptyset(&stop);
    sigaddset(&stop, SIGINT);
    sigaddset(&stop, SIGTERM);
    sigprocmask(SIG_BLOCK, &stop, nullptr);
    const Descriptor signals(signalfd(-1, &stop, SFD_NONBLOCK | SFD_CLOEXEC), "signalfd");
    rlimit files{};
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;  // a descriptor a connection
    setrlimit(RLIMIT_NOFILE, &files);

    drover::coro::Worker worker;
    TimerServer server(static_cast<std::uint16_t>(*port),
                       static_cast<std::size_t>(*connections_max));
    drover::coro::block_on(worker, server.run(signals));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "timer_server: %s\n", error.what());
    return 1;
  }
}
