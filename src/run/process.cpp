#include "run/process.h"

#include <fmt/format.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "coro/block_on.h"
#include "coro/fd_watch.h"
#include "database/embedded/layout.h"
#include "file/bounded_file.h"
#include "measure/process.h"
#include "run/usage_error.h"
#include "text/plain_text.h"

namespace drover::run {
namespace {

sigset_t interrupts() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  return signals;
}

// Read by the signal handler. Written before the handler is installed.
const coro::Clock* request_clock = nullptr;
coro::Instant requested_at;

// Ends the process at a second request. Reading a clock is safe in a signal handler.
void end_at_once(int) {
  if (request_clock->now() - requested_at < one_request_lasts) return;
  _exit(exit_interrupted);
}

// Installs the handler, because the worker's loop may be busy or stuck at the next signal. Only
// this thread takes the signal; other threads still block it.
void end_process_at_next_signal(const coro::Clock& clock) {
  request_clock = &clock;
  requested_at = clock.now();
  struct sigaction action{};
  action.sa_handler = end_at_once;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  const sigset_t signals = interrupts();
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
}

// Each worker has an epoll descriptor and an eventfd.
constexpr std::size_t descriptors_of_thread = 2;
// Two of the main worker, one for signals, two for the connections that watch the server.
constexpr std::size_t descriptors_of_command = 5;

// A sleeping terminal takes 350 bytes, a terminal in a transaction 900. All terminals are in
// transactions if the machine is overloaded (measured with ten million terminals).
constexpr std::uint64_t bytes_of_terminal = 900;

constexpr double gibibyte = 1 << 30;

std::optional<std::uint64_t> number_in(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end == text.data()) return std::nullopt;
  return number;
}

std::optional<std::uint64_t> address_space_left() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
  const std::string used =
      measure::value_of_line(file::text_or_nothing("/proc/self/status"), "VmSize");
  return limit.rlim_cur - std::min(limit.rlim_cur, number_in(used).value_or(0) * 1024);
}

}  // namespace

BlockedInterrupts::BlockedInterrupts() {
  const sigset_t signals = interrupts();
  pthread_sigmask(SIG_BLOCK, &signals, &before_);
}

BlockedInterrupts::~BlockedInterrupts() {
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

InterruptWatch::InterruptWatch(std::function<void()> on_first, const coro::Clock& clock)
    : on_first_(std::move(on_first)), clock_(clock) {
  const sigset_t signals = interrupts();
  signal_fd_ = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
  if (signal_fd_ < 0) throw std::system_error(errno, std::generic_category(), "signalfd");
}

InterruptWatch::~InterruptWatch() {
  close(signal_fd_);
}

coro::Task<void> InterruptWatch::watch() {
  coro::FdWatch readable(signal_fd_);
  signalfd_siginfo signal{};
  do {
    co_await readable.ready(coro::Readiness::read);
  } while (read(signal_fd_, &signal, sizeof signal) != sizeof signal);
  end_process_at_next_signal(clock_);
  on_first_();
}

namespace {

coro::Task<void> until_interrupted(coro::Task<void> work, bool& done) {
  coro::CancelSource& outer = co_await coro::current_source();
  coro::Scope scope(outer);
  InterruptWatch interrupt([&] { scope.cancel(); });
  auto body = [&]() -> coro::Task<void> {
    co_await std::move(work);
    done = true;
    scope.cancel();  // ends the watch
  };
  scope.start(interrupt.watch());
  scope.start(body());
  co_await scope.join();
}

}  // namespace

int run_command(coro::Task<void> work) {
  const BlockedInterrupts blocked;
  coro::Worker worker;
  bool done = false;
  coro::block_on(worker, until_interrupted(std::move(work), done));
  return done ? exit_success : exit_interrupted;
}

std::optional<std::uint64_t> parse_memory_available(std::string_view meminfo) {
  const auto kibibytes = number_in(measure::value_of_line(meminfo, "MemAvailable"));
  if (!kibibytes) return std::nullopt;
  return *kibibytes * 1024;
}

std::uint64_t memory_available() {
  const std::uint64_t most = database::embedded::memory_bytes_of_machine();
  return std::min({most,
                   parse_memory_available(file::text_or_nothing("/proc/meminfo")).value_or(most),
                   address_space_left().value_or(most)});
}

void require_descriptors(DatabaseKind kind, std::size_t connections, std::size_t threads) {
  rlimit limit{};
  if (kind == DatabaseKind::ydb || getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  std::error_code error;  // the count includes the descriptor of /proc/self/fd
  const auto open_files = static_cast<std::size_t>(
      std::distance(std::filesystem::directory_iterator("/proc/self/fd", error), {}));
  const std::size_t needed =
      open_files + connections + threads * descriptors_of_thread + descriptors_of_command;
  if (needed <= limit.rlim_cur) return;
  throw std::runtime_error(
      fmt::format("{} on {} need {} open files, and this process may open only {} (ulimit -n). "
                  "Raise the limit, or use fewer connections",
                  text::counted(connections, "connection"), text::counted(threads, "thread"),
                  needed, limit.rlim_cur));
}

void require_address_space_for_threads(std::size_t threads) {
  const std::optional<std::uint64_t> left = address_space_left();
  pthread_attr_t attributes;
  if (!left || pthread_getattr_default_np(&attributes) != 0) return;
  std::size_t stack = 0;
  pthread_attr_getstacksize(&attributes, &stack);
  pthread_attr_destroy(&attributes);
  const std::uint64_t needed = threads * stack;
  if (needed <= *left) return;
  throw std::runtime_error(
      fmt::format("the stacks of {} need {:.1f} GiB of address space, and only {:.1f} GiB are left "
                  "(ulimit -v). Raise the limit, or use fewer threads",
                  text::counted(threads, "thread"), static_cast<double>(needed) / gibibyte,
                  static_cast<double>(*left) / gibibyte));
}

void require_memory_for_terminals(std::size_t terminals) {
  const std::uint64_t needed = terminals * bytes_of_terminal;
  const std::uint64_t available = memory_available();
  if (needed <= available) return;
  throw std::runtime_error(
      fmt::format("{} terminals need {:.1f} GiB of memory, and only {:.1f} GiB are available. Use "
                  "fewer terminals or clients",
                  terminals, static_cast<double>(needed) / gibibyte,
                  static_cast<double>(available) / gibibyte));
}

}  // namespace drover::run
